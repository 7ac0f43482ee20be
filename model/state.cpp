#include "model/state.hpp"

namespace leaseproof::model {
namespace {

template <class Map, class Key>
const auto* find_in(const Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

SiteQueueLess::Views queue_of(const Op& op) { return {op.spec->site, op.spec->queue}; }

}  // namespace

const Op* find_op(const State& state, std::string_view id) { return find_in(state.ops, id); }
OpRef find_op(State& state, std::string_view id) { return state.ops.ref(id); }
const WorkflowState* find_workflow(const State& state, std::string_view id) {
  return find_in(state.workflows, id);
}
WorkflowRef find_workflow(State& state, std::string_view id) { return state.workflows.ref(id); }
const QueueState* find_queue(const State& state, const Op& op) {
  return state.queues.empty() ? nullptr : find_in(state.queues, queue_of(op));
}
QueueRef find_queue(State& state, const Op& op) {
  return state.queues.empty() ? QueueRef() : state.queues.ref(queue_of(op));
}

WorkflowStatus workflow_status(const State& state, std::string_view id,
                               const WorkflowState& workflow) {
  std::int64_t unsettled = 0;
  std::int64_t stopping = 0;
  for (std::size_t i = 0; i < op_status_count; ++i) {
    const auto status = static_cast<OpStatus>(i);
    if (!is_settled(status)) unsettled += workflow.counts[i];
    if (is_stopping(status)) stopping += workflow.counts[i];
  }
  if (unsettled > 0) return WorkflowStatus::running;
  if (workflow.cancel_requested) return WorkflowStatus::canceled;
  if (stopping == 0) return WorkflowStatus::succeeded;
  for (const auto& [op_id, op] : state.ops) {
    if (op.view.workflow != id || is_done(op.view.status)) continue;
    if (!op.needed || op.required) return WorkflowStatus::failed;
  }
  return WorkflowStatus::succeeded;
}

}  // namespace leaseproof::model
