// What can be asked of an engine, and of the world around it: one struct for each `do` of TRACE 2.
//
// Promise: a closed variant. A new action is one struct here and one row in `ActionList`; the
// compiler then names every place to visit. All JSON values (`input`, `payload`, `result`,
// `identity`) travel as canonical JSON text (RFC 8785), so that equality of text is equality of
// value. Times and durations are microseconds (`_us`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/words.hpp"

namespace leaseproof::model {

inline constexpr std::int64_t default_lease_us = 30'000'000;
inline constexpr std::int64_t default_approval_ttl_us = 120'000'000;
inline constexpr std::int64_t default_max_attempts = 3;

struct Need {
  std::string op;
  bool required = true;
  bool operator==(const Need&) const = default;
};

// SEMANTICS 3, delay. `delays_us` belongs to `fixed`, `base_us` and `cap_us` to the three others,
// `multiplier` to `exponential`. The default is fixed 2 s, 4 s.
struct RetryPolicy {
  DelayPolicy policy = DelayPolicy::fixed;
  std::vector<std::int64_t> delays_us{2'000'000, 4'000'000};
  std::int64_t base_us = 0;
  std::int64_t multiplier = 2;
  std::int64_t cap_us = 0;
  bool operator==(const RetryPolicy&) const = default;
};

struct EffectSpec {
  Contract contract = Contract::idempotent;
  bool approval = false;
  std::int64_t retention_us = 0;
  std::string target;
  std::string scope;
  std::string requester;
  bool operator==(const EffectSpec&) const = default;
};

struct OpSpec {
  std::string id;
  std::vector<Need> needs;
  std::string kind = "task";
  std::string site = "default";
  std::string queue = "default";
  std::string input = "null";
  std::int64_t max_attempts = default_max_attempts;
  std::optional<std::int64_t> deadline_us;
  RetryPolicy retry;
  std::optional<EffectSpec> effect;
  std::optional<std::string> context;
  bool operator==(const OpSpec&) const = default;
};

struct Artifact {
  std::string name;
  std::string text;
  bool operator==(const Artifact&) const = default;
};

struct Actor {
  std::string id;
  std::vector<std::string> roles;
  std::vector<std::string> scopes;
  bool operator==(const Actor&) const = default;
};

// Worker calls name the worker and which of its handles for `op` it uses: 0 is the newest.
struct WorkerHandle {
  std::string worker;
  std::string op;
  std::int64_t handle = 0;
  bool operator==(const WorkerHandle&) const = default;
};

struct Start {
  static constexpr std::string_view name = "start";
  std::optional<std::string> workflow;
  std::string package = "default";
  std::string input = "null";
  std::vector<OpSpec> ops;
  bool operator==(const Start&) const = default;
};
struct Ensure {
  static constexpr std::string_view name = "ensure";
  std::optional<std::string> workflow;
  std::string package = "default";
  std::string identity = "null";
  std::string input = "null";
  std::vector<OpSpec> ops;
  bool operator==(const Ensure&) const = default;
};
struct Queue {
  static constexpr std::string_view name = "queue";
  std::string queue = "default";
  std::string site = "default";
  std::int64_t max_in_flight = 0;
  std::int64_t rate_per_s = 0;
  std::int64_t burst = 0;
  bool operator==(const Queue&) const = default;
};
struct ContextPut {
  static constexpr std::string_view name = "context_put";
  std::string scope;
  std::string payload = "null";
  std::int64_t ttl_us = 0;
  bool operator==(const ContextPut&) const = default;
};
struct ContextRevoke {
  static constexpr std::string_view name = "context_revoke";
  std::string scope;
  bool operator==(const ContextRevoke&) const = default;
};
struct Refresh {
  static constexpr std::string_view name = "refresh";
  bool operator==(const Refresh&) const = default;
};
// `expected_op` (JSON key `op`) is what the writer of the trace expects to be leased; it does not
// steer the engine. `queue` without `site` means site `default`; neither means everywhere.
struct Lease {
  static constexpr std::string_view name = "lease";
  std::string worker;
  std::optional<std::string> owner;
  std::optional<std::string> queue;
  std::optional<std::string> site;
  std::optional<std::string> expected_op;
  std::int64_t lease_us = default_lease_us;
  bool operator==(const Lease&) const = default;
};
struct Heartbeat {
  static constexpr std::string_view name = "heartbeat";
  WorkerHandle by;
  std::int64_t lease_us = default_lease_us;
  bool operator==(const Heartbeat&) const = default;
};
struct Checkpoint {
  static constexpr std::string_view name = "checkpoint";
  WorkerHandle by;
  std::string step;
  std::string payload = "null";
  bool operator==(const Checkpoint&) const = default;
};
struct RequestApproval {
  static constexpr std::string_view name = "request_approval";
  WorkerHandle by;
  std::string payload = "null";
  std::int64_t ttl_us = default_approval_ttl_us;
  bool operator==(const RequestApproval&) const = default;
};
// `approve` and `reject`. No hash means that of the newest request; `stale_hash` means any other.
struct Decide {
  static constexpr std::string_view name = "decide";
  std::string op;
  bool approve = true;
  bool stale_hash = false;
  std::optional<std::string> hash;
  Actor actor;
  bool operator==(const Decide&) const = default;
};
struct Dispatch {
  static constexpr std::string_view name = "dispatch";
  WorkerHandle by;
  std::string payload = "null";
  bool operator==(const Dispatch&) const = default;
};
// Talks to the outside service only. Without a payload the permit's own payload is sent.
struct Call {
  static constexpr std::string_view name = "call";
  WorkerHandle by;
  ServiceMode service = ServiceMode::ok;
  std::optional<std::string> payload;
  bool operator==(const Call&) const = default;
};
struct Deliver {
  static constexpr std::string_view name = "deliver";
  std::string op;
  bool operator==(const Deliver&) const = default;
};
struct Complete {
  static constexpr std::string_view name = "complete";
  WorkerHandle by;
  std::string result = "null";
  std::optional<std::int64_t> completed_at_us;
  std::vector<Artifact> artifacts;
  std::vector<OpSpec> emit;
  bool operator==(const Complete&) const = default;
};
struct Fail {
  static constexpr std::string_view name = "fail";
  WorkerHandle by;
  FailKind kind = FailKind::retryable;
  std::optional<std::string> error;
  bool operator==(const Fail&) const = default;
};
struct Observe {
  static constexpr std::string_view name = "observe";
  bool operator==(const Observe&) const = default;
};
struct Retry {
  static constexpr std::string_view name = "retry";
  std::string op;
  std::optional<std::int64_t> deadline_us;
  bool operator==(const Retry&) const = default;
};
struct Cancel {
  static constexpr std::string_view name = "cancel";
  std::string workflow;
  bool operator==(const Cancel&) const = default;
};
struct Reconcile {
  static constexpr std::string_view name = "reconcile";
  std::string op;
  bool operator==(const Reconcile&) const = default;
};
struct Close {
  static constexpr std::string_view name = "close";
  std::string op;
  bool happened = false;
  std::string evidence;
  Actor actor;
  bool operator==(const Close&) const = default;
};
struct Snapshot {
  static constexpr std::string_view name = "snapshot";
  std::string workflow;
  bool operator==(const Snapshot&) const = default;
};
// The runner keeps each reader's cursor; a new name starts at the beginning.
struct SnapshotsSince {
  static constexpr std::string_view name = "snapshots_since";
  std::string reader;
  std::int64_t limit = 100;
  bool operator==(const SnapshotsSince&) const = default;
};
struct Advance {
  static constexpr std::string_view name = "advance";
  std::int64_t by_us = 0;
  bool operator==(const Advance&) const = default;
};
struct Restart {
  static constexpr std::string_view name = "restart";
  bool operator==(const Restart&) const = default;
};
struct Forget {
  static constexpr std::string_view name = "forget";
  std::string worker;
  bool operator==(const Forget&) const = default;
};

using Action = std::variant<Start, Ensure, Queue, ContextPut, ContextRevoke, Refresh, Lease,
                            Heartbeat, Checkpoint, RequestApproval, Decide, Dispatch, Call, Deliver,
                            Complete, Fail, Observe, Retry, Cancel, Reconcile, Close, Snapshot,
                            SnapshotsSince, Advance, Restart, Forget>;

// The word in `do`; `approve` and `reject` are told apart.
inline std::string_view do_word(const Action& action) {
  if (const auto* decide = std::get_if<Decide>(&action)) {
    return decide->approve ? "approve" : "reject";
  }
  return std::visit([](const auto& a) { return std::decay_t<decltype(a)>::name; }, action);
}

// What the harness adds to an action before it reaches an engine or the model (TRACE 5): the moment
// and what the caller holds. One struct for both, so that both judge the same call.
struct Given {
  // The caller's clock after the write lock is held.
  std::int64_t now_us = 0;
  // Worker calls: the generation of the lease that the caller's handle proves. Per op, a token and
  // the generation it was granted with name the same lease.
  std::int64_t lease_generation = 0;
  // `complete`: the newest receipt that this worker's calls got for the op.
  std::optional<std::string> receipt;
  // `reconcile`: the receipt that the service answered to a query for the key.
  std::optional<std::string> found;
  // `snapshots_since`: where this reader stands; 0 is the beginning.
  std::int64_t cursor = 0;
  // `start` without a workflow id: the id that the caller's id source drew.
  std::string fresh_id;
  bool operator==(const Given&) const = default;
};

}  // namespace leaseproof::model
