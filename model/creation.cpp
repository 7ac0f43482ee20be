#include "model/creation.hpp"

#include "model/change.hpp"
#include "model/graph.hpp"

namespace leaseproof::model {

std::string creation_fault(const State& state, const std::vector<OpSpec>& ops) {
  for (const OpSpec& op : ops) {
    if (find_op(state, op.id)) return "op \"" + op.id + "\" exists already";
    if (op.context && !state.contexts.contains(*op.context)) {
      return "op \"" + op.id + "\": context \"" + *op.context + "\" was never put";
    }
  }
  return {};
}

std::string emission_fault(const State& state, std::string_view workflow,
                           const std::vector<OpSpec>& ops) {
  if (ops.empty()) return {};
  const auto in_workflow = [&](std::string_view id) {
    const Op* op = find_op(state, id);
    return op && op->view.workflow == workflow;
  };
  std::string fault = graph_fault(ops, in_workflow);
  return fault.empty() ? creation_fault(state, ops) : fault;
}

void create_ops(State& state, std::string_view workflow, const std::vector<OpSpec>& ops,
                std::int64_t now_us) {
  std::vector<std::string_view> ids;
  for (const OpSpec& op : ops) {
    add_op(state, workflow, op, now_us);
    ids.emplace_back(op.id);
  }
  for (const OpSpec& op : ops) mark_needs(state, *find_op(state, op.id));
  std::sort(ids.begin(), ids.end());
  for (const std::string_view id : ids) record(state, *find_op(state, id));
}

}  // namespace leaseproof::model
