// retry and cancel: what an operator decides (SEMANTICS 3).
#include <algorithm>
#include <vector>

#include "model/change.hpp"
#include "model/judge.hpp"
#include "model/needs.hpp"
#include "model/promise.hpp"

namespace leaseproof::model {
namespace {

bool is_cancelable(OpStatus status) {
  switch (status) {
    case OpStatus::pending:
    case OpStatus::ready:
    case OpStatus::running:
    case OpStatus::waiting_approval:
    case OpStatus::blocked:
      return true;
    case OpStatus::reconciling:
    case OpStatus::succeeded:
    case OpStatus::effect_confirmed:
    case OpStatus::failed:
    case OpStatus::canceled:
      return false;
  }
  return false;
}

bool has_nothing_to_cancel(const WorkflowState& workflow) {
  for (std::size_t i = 0; i < op_status_count; ++i) {
    const auto status = static_cast<OpStatus>(i);
    const bool holds_out = !is_settled(status) || status == OpStatus::blocked;
    if (holds_out && workflow.counts[i] > 0) return false;
  }
  return true;
}

}  // namespace

Outcome judge(State& state, const Retry& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.op);
  if (!op) return Word::not_found;
  if (op->view.status != OpStatus::failed) return Word::not_failed;
  if (find_workflow(state, op->view.workflow)->cancel_requested) return Word::workflow_canceled;
  const auto deadline_us = call.deadline_us ? call.deadline_us : op->deadline_us;
  if (deadline_us && *deadline_us <= given.now_us) return Word::deadline_passed;

  move(state, op, OpRule::retry, OpStatus::ready);
  op.edit().deadline_us = deadline_us;
  op.edit().view.attempts = 0;
  op.edit().view.error.reset();
  if (op->view.approval && op->view.approval->status == ApprovalStatus::approved) {
    move_approval(op, ApprovalRule::retry, ApprovalStatus::void_);
  }
  record(state, *op);

  std::vector<OpRef> reopened;
  std::vector<OpRef> below{op};
  while (reopen_pass(state, &below, reopened) > 0) below = reopened;
  for (const OpRef each : reopened) record(state, *each);
  return {Word::ok, Reopened{static_cast<std::int64_t>(reopened.size())}};
}

Outcome judge(State& state, const Cancel& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const WorkflowRef workflow = find_workflow(state, call.workflow);
  if (!workflow) return Word::not_found;
  if (has_nothing_to_cancel(*workflow)) return Word::already_settled;
  if (!workflow->cancel_requested) {
    workflow.edit().cancel_requested = true;
    record(state, workflow, call.workflow);
  }
  CancelCounts counts;
  std::vector<OpRef> open;
  for (const OpRef op : state.ops.refs()) {
    if (op->view.workflow == call.workflow && is_cancelable(op->view.status)) open.push_back(op);
  }
  // The map is in id order already.
  std::stable_sort(open.begin(), open.end(),
                   [](OpRef a, OpRef b) { return a->created_us < b->created_us; });
  for (const OpRef op : open) {
    if (is_live(*op, given.now_us)) {
      move_approval(op, ApprovalRule::cancel, ApprovalStatus::canceled);
    }
    const OpStatus end = end_or_reconcile(state, op, OpRule::cancel, OpStatus::canceled);
    ++op.edit().view.generation;
    ++(end == OpStatus::canceled ? counts.canceled : counts.reconciling);
    record(state, *op);
  }
  return {Word::ok, counts};
}

}  // namespace leaseproof::model
