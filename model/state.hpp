// Everything that a later answer or observation can depend on, as one value.
//
// Promise: `State` is a regular value with `==` and a hash. It holds nothing else: no clock (each
// call brings its own), no tokens (a generation proves a lease, `Given`), no texts that no rule and
// no observation reads (a context's payload, a workflow's input, `completed_at`). Times are
// microseconds. Only `apply` (rules.hpp) keeps the derived parts right: `counts`, `running`,
// `needed`, `last_seq`. A copy is cheap: it shares what neither of the two edits (shared_map.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/action.hpp"
#include "model/immutable.hpp"
#include "model/observation.hpp"
#include "model/roster.hpp"
#include "model/shared_map.hpp"

namespace leaseproof::model {

// What an engine is configured with for its whole life.
struct Settings {
  // SEMANTICS 6: how far the clocks of engine, workers and service may differ; >= 0.
  std::int64_t clock_slack_us = 0;
  bool operator==(const Settings&) const = default;
};

// SEMANTICS 2: the context that an op was made under, whatever is put under its scope later.
struct PinnedContext {
  std::int64_t revision = 0;
  std::int64_t expires_us = 0;
  bool operator==(const PinnedContext&) const = default;
};

struct Op {
  Immutable<OpSpec> spec;
  // `now` of the call that made it. With the id it is the order of everything.
  std::int64_t created_us = 0;
  // Begins as the spec's; an operator's `retry` can replace it.
  std::optional<std::int64_t> deadline_us;
  std::optional<PinnedContext> context;
  OpView view;
  // The generation whose token completed it; 0 before that and for every other end.
  std::int64_t completed_generation = 0;
  // Of the newest request, `view.approval`.
  std::int64_t approval_expires_us = 0;
  // SEMANTICS 3: an earlier request under the key may have arrived, so a refusal proves nothing.
  bool unsure = false;
  // Of the newest dispatch from `none` or `refused`.
  std::string dispatched_payload;
  std::int64_t dispatched_at_us = 0;
  // The end of the last of the permits that were given since.
  std::int64_t call_before_us = 0;
  // Whether any op needs this one, and whether one requires it: what the workflow's end hangs on.
  bool needed = false;
  bool required = false;
  bool operator==(const Op&) const = default;
};

// What a workflow was made as.
struct WorkflowIdentity {
  std::string package;
  // Lower-case hex of the identity; empty for a workflow made by `start`, which has none.
  std::string digest;
  bool operator==(const WorkflowIdentity&) const = default;
};

struct WorkflowState {
  Immutable<WorkflowIdentity> identity;
  bool cancel_requested = false;
  // Ops by status.
  std::array<std::int64_t, op_status_count> counts{};
  // The seq of the newest event that belongs to it: its place in `snapshots_since`.
  std::int64_t last_seq = 0;
  bool operator==(const WorkflowState&) const = default;
};

// SEMANTICS 3, queue room. `tokens` and the refill are micro-tokens; without a rate limit
// (`burst` 0) there are none.
struct QueueState {
  std::int64_t max_in_flight = 0;
  std::int64_t rate_per_s = 0;
  std::int64_t burst = 0;
  std::int64_t tokens = 0;
  std::int64_t last_refill_us = 0;
  std::int64_t running = 0;
  bool operator==(const QueueState&) const = default;
};

struct ContextState {
  std::int64_t revision = 0;
  std::int64_t expires_us = 0;
  // Every revision up to this one is revoked.
  std::int64_t revoked_revision = 0;
  bool operator==(const ContextState&) const = default;
};

// Lets a queue be looked up by two views, without making two strings.
struct SiteQueueLess {
  using is_transparent = void;
  using Views = std::pair<std::string_view, std::string_view>;
  static Views views(const SiteQueue& key) { return {key.first, key.second}; }
  static Views views(const Views& key) { return key; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return views(a) < views(b);
  }
};

using Workflows = SharedMap<std::string, WorkflowState>;
using Ops = SharedMap<std::string, Op>;
using Queues = SharedMap<SiteQueue, QueueState, SiteQueueLess>;
using Contexts = SharedMap<std::string, ContextState>;

// An entry of a state to be read as it is, and to be changed through `edit`.
using WorkflowRef = Workflows::Ref;
using OpRef = Ops::Ref;
using QueueRef = Queues::Ref;

struct State {
  Settings settings;
  Workflows workflows;
  Ops ops;
  // Queues that a `queue` call has named; every other queue is unlimited.
  Queues queues;
  Contexts contexts;
  // Events written so far (SEMANTICS 1): the newest seq.
  std::int64_t last_seq = 0;
  // Of no state unless somebody wants it kept.
  KeptRoster roster;

  // Nearly every change is an event, so that the last of them tells most states apart at once.
  bool operator==(const State& other) const {
    return last_seq == other.last_seq && settings == other.settings &&
           workflows == other.workflows && ops == other.ops && queues == other.queues &&
           contexts == other.contexts;
  }
  // Whether this is `other`, or a copy in which nothing was edited since. Implies `==`.
  [[nodiscard]] bool shares_all(const State& other) const {
    return last_seq == other.last_seq && settings == other.settings &&
           workflows.shares_all(other.workflows) && ops.shares_all(other.ops) &&
           queues.shares_all(other.queues) && contexts.shares_all(other.contexts);
  }
};

// Equal states have equal hashes; every field takes part, but of an op's spec only the id.
std::size_t hash_value(const State& state);

// The entry named `id`, or none.
const Op* find_op(const State& state, std::string_view id);
OpRef find_op(State& state, std::string_view id);
const WorkflowState* find_workflow(const State& state, std::string_view id);
WorkflowRef find_workflow(State& state, std::string_view id);
const QueueState* find_queue(const State& state, const Op& op);
QueueRef find_queue(State& state, const Op& op);

// SEMANTICS 1: derived from the ops, never stored.
WorkflowStatus workflow_status(const State& state, std::string_view id,
                               const WorkflowState& workflow);

}  // namespace leaseproof::model

template <>
struct std::hash<leaseproof::model::State> {
  std::size_t operator()(const leaseproof::model::State& state) const {
    return leaseproof::model::hash_value(state);
  }
};
