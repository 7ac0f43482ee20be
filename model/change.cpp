#include "model/change.hpp"

#include <utility>

#include "model/promise.hpp"
#include "model/wide.hpp"

namespace leaseproof::model {
namespace {

std::int64_t& count(WorkflowState& workflow, OpStatus status) {
  return workflow.counts[static_cast<std::size_t>(status)];
}

WorkflowState& workflow_of(State& state, const Op& op) {
  WorkflowState* workflow = find_workflow(state, op.view.workflow);
  promise(workflow != nullptr, "an op belongs to a workflow");
  return *workflow;
}

}  // namespace

void move(State& state, Op& op, OpRule via, OpStatus to) {
  const OpStatus from = op.view.status;
  promise(allowed(from, via, to), "an op moves along a row of its lifecycle table");
  WorkflowState& workflow = workflow_of(state, op);
  --count(workflow, from);
  ++count(workflow, to);
  if (from == OpStatus::running || to == OpStatus::running) {
    if (QueueState* queue = find_queue(state, op))
      queue->running += to == OpStatus::running ? 1 : -1;
  }
  if (from == OpStatus::running) op.view.lease.reset();
  op.view.next_attempt_us.reset();
  if (is_done(to)) op.view.error.reset();
  op.view.status = to;
}

void move_approval(Op& op, ApprovalRule via, ApprovalStatus to) {
  promise(op.view.approval && allowed(op.view.approval->status, via, to),
          "an approval moves along a row of its lifecycle table");
  op.view.approval->status = to;
}

void move_effect(Op& op, EffectRule via, EffectStatus to) {
  promise(op.view.effect && allowed(op.view.effect->status, via, to),
          "an effect moves along a row of its lifecycle table");
  op.view.effect->status = to;
}

OpStatus end_or_reconcile(State& state, Op& op, OpRule via, OpStatus end) {
  const OpStatus to = is_dispatching(op) ? OpStatus::reconciling : end;
  move(state, op, via, to);
  return to;
}

OpStatus fail_for(State& state, Op& op, OpRule via, std::string_view reason) {
  const OpStatus to = end_or_reconcile(state, op, via, OpStatus::failed);
  op.view.error = std::string(reason);
  record(state, op);
  return to;
}

bool is_dispatching(const Op& op) {
  return op.view.effect && op.view.effect->status == EffectStatus::dispatching;
}

bool is_live(const Op& op, std::int64_t now_us) {
  if (!op.view.approval) return false;
  const ApprovalStatus status = op.view.approval->status;
  return status == ApprovalStatus::pending ||
         (status == ApprovalStatus::approved && op.approval_expires_us > now_us);
}

bool is_resendable(const State& state, const Op& op, std::int64_t t_us) {
  const auto& effect = op.spec->effect;
  if (!effect || effect->contract != Contract::idempotent || effect->approval) return false;
  if (effect->retention_us == 0) return true;
  return Wide{t_us} + state.settings.clock_slack_us <
         Wide{op.dispatched_at_us} + effect->retention_us;
}

bool out_of_attempts(const Op& op) { return op.view.attempts >= op.spec->max_attempts; }

bool past_deadline(const Op& op, std::int64_t now_us) {
  return op.deadline_us && *op.deadline_us <= now_us;
}

Op& add_op(State& state, std::string_view workflow, const OpSpec& spec, std::int64_t now_us) {
  Op op;
  op.spec = Immutable<OpSpec>(spec);
  op.created_us = now_us;
  op.deadline_us = spec.deadline_us;
  op.view.workflow = std::string(workflow);
  if (spec.effect) op.view.effect.emplace();
  if (spec.context) {
    const auto context = state.contexts.find(*spec.context);
    promise(context != state.contexts.end(), "an op is made under a context that was put");
    op.context = PinnedContext{context->second.revision, context->second.expires_us};
  }
  const auto [at, is_new] = state.ops.emplace(spec.id, std::move(op));
  promise(is_new, "op ids are unique in the whole database");
  ++count(workflow_of(state, at->second), OpStatus::pending);
  return at->second;
}

void mark_needs(State& state, const Op& op) {
  for (const Need& need : op.spec->needs) {
    Op* on = find_op(state, need.op);
    promise(on != nullptr, "a need is an op");
    on->needed = true;
    if (need.required) on->required = true;
  }
}

void record(State& state, WorkflowState& workflow) { workflow.last_seq = ++state.last_seq; }

void record(State& state, const Op& op) { record(state, workflow_of(state, op)); }

void record_unowned(State& state) { ++state.last_seq; }

}  // namespace leaseproof::model
