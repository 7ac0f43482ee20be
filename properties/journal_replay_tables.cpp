// How a replayed journal compares with the tables: workflow by workflow as each ends for ever, and
// the rest once the journal ends.
#include <iterator>
#include <utility>

#include "model/canonical.hpp"
#include "model/lifecycle.hpp"
#include "model/rules.hpp"
#include "properties/journal_replay.hpp"

namespace leaseproof::properties {

namespace {

constexpr const char* not_the_tables = "replaying the journal does not give the tables: ";

// Of what the journal holds as a digest alone, no more can be compared.
void match_digests(const model::State& state, model::Observation& seen) {
  const auto match = [](const std::string& value, std::string& stored) {
    if (model::is_digest_form(value)) stored = model::digest_form(model::digest_of(stored));
  };
  for (const auto& [id, op] : state.ops) {
    const auto stored = seen.ops.find(id);
    if (stored == seen.ops.end()) continue;
    if (op.view.result && stored->second.result) match(*op.view.result, *stored->second.result);
    for (const auto& [step, payload] : op.view.checkpoints) {
      const auto at = stored->second.checkpoints.find(step);
      if (at != stored->second.checkpoints.end()) match(payload, at->second);
    }
  }
}

bool can_never_change(const model::WorkflowState& workflow) {
  for (std::size_t i = 0; i < model::op_status_count; ++i) {
    if (!model::is_terminal(static_cast<model::OpStatus>(i)) && workflow.counts[i] > 0)
      return false;
  }
  return true;
}

}  // namespace

// Nothing can be told of it again, so that the tables have to say what it has come to.
bool JournalReplay::retire(const std::string& workflow) {
  const auto* ended = model::find_workflow(state(), workflow);
  const auto live = workflows_.find(workflow);
  if (ended == nullptr || !can_never_change(*ended) || live == workflows_.end()) return true;
  const std::vector<std::string>& ops = live->second.ops;
  if (!is_in_tables(workflow, *ended, ops)) {
    model::State alone;
    model::Observation seen;
    const auto copy = [](const auto& from, const std::string& id, auto& into) {
      if (const auto at = from.find(id); at != from.end()) into.insert(*at);
    };
    alone.workflows.emplace(workflow, *ended);
    copy(tables_.workflows, workflow, seen.workflows);
    for (const std::string& id : ops) {
      alone.ops.emplace(id, *model::find_op(state(), id));
      copy(tables_.ops, id, seen.ops);
    }
    match_digests(alone, seen);
    if (const std::string difference = model::first_difference(alone, seen); !difference.empty()) {
      return refuse(0, not_the_tables + difference);
    }
  }
  for (const std::string& id : ops) {
    ops_.erase(id);
    gone_ops_.insert(id);
  }
  retired_ops_ += ops.size();
  retired_.insert(workflow);
  gone_workflows_.emplace(workflow, live->second.newest);
  workflows_.erase(live);
  return true;
}

// Whether the tables say just that, and hold no value as a digest alone.
bool JournalReplay::is_in_tables(const std::string& workflow, const model::WorkflowState& ended,
                                 const std::vector<std::string>& ops) const {
  const auto seen = tables_.workflows.find(workflow);
  if (seen == tables_.workflows.end()) return false;
  const model::WorkflowView view{model::workflow_status(state_, workflow, ended),
                                 ended.cancel_requested, ended.counts};
  if (!(seen->second == view)) return false;
  // Ids of one workflow mostly stand one behind the other.
  auto next = tables_.ops.end();
  for (const std::string& id : ops) {
    const auto at = next != tables_.ops.end() && next->first == id ? next : tables_.ops.find(id);
    if (at == tables_.ops.end()) return false;
    if (!(at->second == model::find_op(state(), id)->view)) return false;
    next = std::next(at);
  }
  return true;
}

void JournalReplay::forget_retired() {
  state_.ops.erase_if([&](const model::Op& op) {
    const bool goes = model::is_terminal(op.view.status) && retired_.contains(op.view.workflow);
    if (goes) state_.roster->forget(op);
    return goes;
  });
  for (const std::string& id : retired_) state_.workflows.erase(id);
  retired_.clear();
  retired_ops_ = 0;
}

bool JournalReplay::finish() {
  if (!end_call(last_seq_ + 1)) return false;
  forget_retired();
  model::Observation seen;
  const auto copy = [](const auto& from, const auto& gone, auto& into) {
    for (const auto& entry : from) {
      if (!gone.contains(entry.first)) into.insert(into.end(), entry);
    }
  };
  copy(tables_.workflows, gone_workflows_, seen.workflows);
  copy(tables_.ops, gone_ops_, seen.ops);
  seen.queues = tables_.queues;
  match_digests(state_, seen);
  const std::string difference = model::first_difference(state_, seen);
  return difference.empty() || refuse(0, not_the_tables + difference);
}

}  // namespace leaseproof::properties
