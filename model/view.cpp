// observe, snapshot, snapshots_since: what can be seen of a state (SEMANTICS 1, TRACE 2 and 4).
#include <algorithm>
#include <utility>
#include <vector>

#include "model/judge.hpp"
#include "model/rules.hpp"

namespace leaseproof::model {
namespace {

WorkflowView view_of(const State& state, const std::string& id, const WorkflowState& workflow) {
  return {workflow_status(state, id, workflow), workflow.cancel_requested, workflow.counts};
}

QueueView view_of(const QueueState& queue) { return {queue.running, queue.tokens}; }

// Both maps entry by entry: the same keys, and values that `same` takes.
template <class Ours, class Theirs, class Same>
bool agree(const Ours& ours, const Theirs& theirs, Same same) {
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [&](const auto& a, const auto& b) { return a.first == b.first && same(a, b); });
}

}  // namespace

Observation observe(const State& state) {
  Observation seen;
  for (const auto& [id, workflow] : state.workflows) {
    seen.workflows.emplace_hint(seen.workflows.end(), id, view_of(state, id, workflow));
  }
  for (const auto& [id, op] : state.ops) seen.ops.emplace_hint(seen.ops.end(), id, op.view);
  for (const auto& [key, queue] : state.queues) {
    seen.queues.emplace_hint(seen.queues.end(), key, view_of(queue));
  }
  seen.events = state.last_seq;
  seen.last_seq = state.last_seq;
  return seen;
}

bool agrees(const State& state, const Observation& seen) {
  return agree(state.ops, seen.ops,
               [](const auto& a, const auto& b) { return a.second.view == b.second; }) &&
         agree(state.workflows, seen.workflows,
               [&](const auto& a, const auto& b) {
                 return view_of(state, a.first, a.second) == b.second;
               }) &&
         agree(state.queues, seen.queues,
               [](const auto& a, const auto& b) { return view_of(a.second) == b.second; });
}

std::int64_t page_cursor(const State& state, const Page& page, std::int64_t old_cursor) {
  if (page.workflows.empty()) return old_cursor;
  return state.workflows.at(page.workflows.back()).last_seq;
}

Outcome judge(State& state, const Observe&, const Given&) { return {Word::ok, observe(state)}; }

Outcome judge(State& state, const Snapshot& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const WorkflowRef workflow = find_workflow(state, call.workflow);
  if (!workflow) return Word::not_found;
  return {Word::ok, StatusCounts{workflow->counts}};
}

Outcome judge(State& state, const SnapshotsSince& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  std::vector<std::pair<std::int64_t, const std::string*>> changed;
  for (const auto& [id, workflow] : state.workflows) {
    if (workflow.last_seq > given.cursor) changed.emplace_back(workflow.last_seq, &id);
  }
  std::sort(changed.begin(), changed.end());
  Page page;
  for (const auto& [seq, id] : changed) {
    if (static_cast<std::int64_t>(page.workflows.size()) == call.limit) {
      page.more = true;
      break;
    }
    page.workflows.push_back(*id);
  }
  return {Word::ok, std::move(page)};
}

}  // namespace leaseproof::model
