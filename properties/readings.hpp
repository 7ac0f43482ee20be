// What can be read of an engine besides TRACE 4: by a worker that begins an op, a reviewer, the
// reconciler, whoever is alerted, and a dashboard that starts from a time.
//
// Promise: what is expected comes from the replayed journal and the model's state, what is seen
// from the engine's own reading calls; neither knows of the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/state.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::properties {

struct DecodedCall;
struct JournalEvent;

struct Readings {
  // Of an op: what it was made with. JSON values are canonical text.
  struct Work {
    std::string workflow;
    std::string kind;
    std::string input;
    std::int64_t max_attempts = 0;
    std::optional<std::int64_t> deadline_us;
    std::optional<std::string> context;
    std::optional<std::string> dispatched_hash;
    model::OpStatus status = model::OpStatus::pending;
    std::int64_t generation = 0;
    std::int64_t attempts = 0;
    std::map<std::string, std::string> checkpoints;
    bool operator==(const Work&) const = default;
  };
  // Of an approval, as a reviewer sees it. `payload` is canonical JSON.
  struct Request {
    std::string op;
    std::int64_t number = 0;
    model::ApprovalStatus status = model::ApprovalStatus::pending;
    std::string hash;
    std::string payload;
    std::string requester;
    std::int64_t expires_us = 0;
    std::optional<std::string> decided_by;
    std::optional<std::int64_t> decided_us;
    bool operator==(const Request&) const = default;
  };
  // What the service can be asked about.
  struct Unknown {
    std::string op;
    std::string key;
    model::Contract contract = model::Contract::idempotent;
    bool operator==(const Unknown&) const = default;
  };

  std::int64_t waiting_approval = 0;
  std::int64_t reconciling = 0;
  std::map<std::string, Work> work;
  std::vector<Request> requests;  // by the age of their ops, then by number
  std::vector<Unknown> unknown;   // by the age of their ops
  // The first end of a lease or of a pending request, and from when on each queue that has ready
  // ops could give a lease without any other call.
  std::optional<std::int64_t> expiry_us;
  std::map<model::SiteQueue, std::int64_t> due_queues;
  // Where a reader stands that wants what changed at or after a moment.
  std::map<std::int64_t, std::int64_t> cursors;
};

// One sentence that names what was asked and both answers, or empty.
std::string first_difference(const Readings& expected, const Readings& seen);

// Follows a replay and remembers what the model has no use for.
class Witness {
 public:
  // After each call, with the state that it led to.
  void take(const DecodedCall& call, const model::State& after);
  // After all events of the journal, which led to `state`.
  [[nodiscard]] Readings expected(const model::State& state,
                                  const std::vector<JournalEvent>& events) const;

 private:
  std::map<std::pair<std::string, std::int64_t>, std::string> contexts_;  // payload by revision
  std::map<std::string, std::vector<Readings::Request>> requests_;        // by op
};

}  // namespace leaseproof::properties
