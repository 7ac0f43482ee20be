// One function for each action that the model judges: the rooms behind `apply`.
//
// Promise: an overload set without a catch-all, so that the compiler names an action that has no
// room yet. Each judges in the order of SEMANTICS: shape, existence, guards, what depends on state.
#pragma once

#include <optional>
#include <string_view>

#include "model/action.hpp"
#include "model/outcome.hpp"
#include "model/shape.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

Outcome judge(State& state, const Start& call, const Given& given);
Outcome judge(State& state, const Ensure& call, const Given& given);
Outcome judge(State& state, const Queue& call, const Given& given);
Outcome judge(State& state, const ContextPut& call, const Given& given);
Outcome judge(State& state, const ContextRevoke& call, const Given& given);
Outcome judge(State& state, const Refresh& call, const Given& given);
Outcome judge(State& state, const Lease& call, const Given& given);
Outcome judge(State& state, const Heartbeat& call, const Given& given);
Outcome judge(State& state, const Checkpoint& call, const Given& given);
Outcome judge(State& state, const RequestApproval& call, const Given& given);
Outcome judge(State& state, const Decide& call, const Given& given);
Outcome judge(State& state, const Dispatch& call, const Given& given);
Outcome judge(State& state, const Complete& call, const Given& given);
Outcome judge(State& state, const Fail& call, const Given& given);
Outcome judge(State& state, const Observe& call, const Given& given);
Outcome judge(State& state, const Retry& call, const Given& given);
Outcome judge(State& state, const Cancel& call, const Given& given);
Outcome judge(State& state, const Reconcile& call, const Given& given);
Outcome judge(State& state, const Close& call, const Given& given);
Outcome judge(State& state, const Snapshot& call, const Given& given);
Outcome judge(State& state, const SnapshotsSince& call, const Given& given);

// SEMANTICS 3, own: the caller's handle proves the op's running, unexpired lease.
bool owns(const Op& op, const Given& given);

// The deadline and context guards of a worker call, in this order: ends an op that fails one and
// answers its word.
std::optional<Word> failed_guard(State& state, OpRef op, const Given& given);

}  // namespace leaseproof::model
