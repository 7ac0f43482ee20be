#include "model/change.hpp"

#include <utility>

#include "model/promise.hpp"
#include "model/trail.hpp"
#include "model/wide.hpp"

namespace leaseproof::model {
namespace {

thread_local Trail* newest = nullptr;

std::int64_t& count(WorkflowState& workflow, OpStatus status) {
  return workflow.counts[static_cast<std::size_t>(status)];
}

WorkflowRef workflow_of(State& state, const Op& op) {
  const WorkflowRef workflow = find_workflow(state, op.view.workflow);
  promise(bool(workflow), "an op belongs to a workflow");
  return workflow;
}

}  // namespace

void move(State& state, OpRef moved, OpRule via, OpStatus to) {
  Op& op = moved.edit();
  const OpStatus from = op.view.status;
  promise(allowed(from, via, to), "an op moves along a row of its lifecycle table");
  WorkflowState& workflow = workflow_of(state, op).edit();
  --count(workflow, from);
  ++count(workflow, to);
  if (from == OpStatus::running || to == OpStatus::running) {
    if (const QueueRef queue = find_queue(state, op))
      queue.edit().running += to == OpStatus::running ? 1 : -1;
  }
  if (from == OpStatus::running) op.view.lease.reset();
  op.view.next_attempt_us.reset();
  if (is_done(to)) op.view.error.reset();
  op.view.status = to;
  if (state.roster) state.roster->move(op, from);
}

void move_approval(OpRef op, ApprovalRule via, ApprovalStatus to) {
  promise(op->view.approval && allowed(op->view.approval->status, via, to),
          "an approval moves along a row of its lifecycle table");
  op.edit().view.approval->status = to;
}

void move_effect(OpRef op, EffectRule via, EffectStatus to) {
  promise(op->view.effect && allowed(op->view.effect->status, via, to),
          "an effect moves along a row of its lifecycle table");
  op.edit().view.effect->status = to;
}

OpStatus end_or_reconcile(State& state, OpRef op, OpRule via, OpStatus end) {
  const OpStatus to = is_dispatching(*op) ? OpStatus::reconciling : end;
  move(state, op, via, to);
  return to;
}

OpStatus fail_for(State& state, OpRef op, OpRule via, std::string_view reason) {
  const OpStatus to = end_or_reconcile(state, op, via, OpStatus::failed);
  op.edit().view.error = std::string(reason);
  record(state, *op);
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

OpRef add_op(State& state, std::string_view workflow, const OpSpec& spec, std::int64_t now_us) {
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
  const auto [added, is_new] = state.ops.emplace(spec.id, std::move(op));
  promise(is_new, "op ids are unique in the whole database");
  ++count(workflow_of(state, *added).edit(), OpStatus::pending);
  if (state.roster) state.roster->add(*added);
  return added;
}

void mark_needs(State& state, const Op& op) {
  for (const Need& need : op.spec->needs) {
    const OpRef needed = find_op(state, need.op);
    promise(bool(needed), "a need is an op");
    Op& on = needed.edit();
    on.needed = true;
    if (need.required) on.required = true;
    if (state.roster) state.roster->add_need(op, need.op);
  }
}

void record(State& state, WorkflowRef workflow, std::string_view id) {
  workflow.edit().last_seq = ++state.last_seq;
  if (newest != nullptr) newest->recorded.push_back({std::string(id), {}});
}

void record(State& state, const Op& op) {
  workflow_of(state, op).edit().last_seq = ++state.last_seq;
  if (newest != nullptr) newest->recorded.push_back({op.view.workflow, op.spec->id});
}

void record_unowned(State& state) {
  ++state.last_seq;
  if (newest != nullptr) newest->recorded.emplace_back();
}

Trail::Trail() : outer_(newest) { newest = this; }
Trail::~Trail() { newest = outer_; }

}  // namespace leaseproof::model
