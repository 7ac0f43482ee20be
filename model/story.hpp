// Tells a story to the model, for tests: a state, a clock that moves only when told, and the calls
// with the defaults of TRACE.
//
// Promise: adds nothing of its own to the rules: `tell` is `apply` at the story's `now_us`. Worker
// calls name the generation whose proof they carry.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/rules.hpp"

namespace leaseproof::model {

inline OpSpec op_spec(std::string id, std::vector<Need> needs = {}) {
  OpSpec spec;
  spec.id = std::move(id);
  spec.needs = std::move(needs);
  return spec;
}

inline OpSpec effect_spec(std::string id, Contract contract) {
  OpSpec spec = op_spec(std::move(id));
  spec.effect.emplace();
  spec.effect->contract = contract;
  return spec;
}

inline OpSpec approval_spec(std::string id) {
  OpSpec spec = effect_spec(std::move(id), Contract::queryable);
  spec.effect->approval = true;
  spec.effect->scope = "team";
  spec.effect->requester = "paul";
  return spec;
}

inline Need requires_op(std::string id) { return {std::move(id), true}; }
inline Need prefers_op(std::string id) { return {std::move(id), false}; }

struct Story {
  State state;
  std::int64_t now_us = 0;

  Outcome tell(const Action& action, Given given = {}) {
    given.now_us = now_us;
    return apply(state, action, given);
  }
  Outcome by_worker(const Action& action, std::int64_t generation) {
    Given given;
    given.lease_generation = generation;
    return tell(action, given);
  }

  Outcome ensure(std::vector<OpSpec> ops, std::string workflow = "w") {
    Ensure call;
    call.workflow = std::move(workflow);
    call.identity = "{}";
    call.ops = std::move(ops);
    return tell(call);
  }
  Refreshed refresh() { return std::get<Refreshed>(tell(Refresh{}).detail); }
  Outcome lease(std::string worker = "A") {
    Lease call;
    call.worker = std::move(worker);
    return tell(call);
  }
  Outcome heartbeat(std::string op, std::int64_t generation = 1) {
    return by_worker(Heartbeat{{"A", std::move(op), 0}, default_lease_us}, generation);
  }
  Outcome checkpoint(std::string op, std::string payload, std::int64_t generation = 1) {
    return by_worker(Checkpoint{{"A", std::move(op), 0}, "step", std::move(payload)}, generation);
  }
  Outcome complete(std::string op, std::int64_t generation = 1, std::vector<OpSpec> emit = {}) {
    Complete call;
    call.by.op = std::move(op);
    call.emit = std::move(emit);
    return by_worker(call, generation);
  }
  Outcome complete_with_receipt(std::string op, std::int64_t generation = 1) {
    Complete call;
    call.by.op = std::move(op);
    Given given;
    given.lease_generation = generation;
    given.receipt = "r-1";
    return tell(call, given);
  }
  Outcome fail(std::string op, FailKind kind, std::int64_t generation = 1) {
    return by_worker(Fail{{"A", std::move(op), 0}, kind, {}}, generation);
  }
  Outcome request_approval(std::string op, std::int64_t generation = 1) {
    return by_worker(RequestApproval{{"A", std::move(op), 0}, "\"draft\"", default_approval_ttl_us},
                     generation);
  }
  Outcome decide(std::string op, bool approve = true) {
    Decide call;
    call.op = std::move(op);
    call.approve = approve;
    call.actor = {"rita", {"reviewer"}, {"team"}};
    return tell(call);
  }
  Outcome dispatch(std::string op, std::int64_t generation = 1, std::string payload = "\"draft\"") {
    return by_worker(Dispatch{{"A", std::move(op), 0}, std::move(payload)}, generation);
  }
  Outcome close(std::string op, bool happened) {
    return tell(Close{std::move(op), happened, "searched", {"otto", {"operator"}, {}}});
  }

  // One op that worker A runs, from nothing.
  void begin_running(OpSpec spec) {
    ensure({std::move(spec)});
    refresh();
    lease();
  }

  Op& op(const std::string& id) { return state.ops.edit(id); }
  OpStatus status(const std::string& id) { return op(id).view.status; }
  WorkflowStatus workflow(const std::string& id = "w") {
    return workflow_status(state, id, state.workflows.at(id));
  }
};

}  // namespace leaseproof::model
