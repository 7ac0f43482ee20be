#include <utility>

#include "properties/goals.hpp"
#include "properties/invariants.hpp"
#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

namespace {
// Walks two ordered maps side by side and lists the entries that differ.
template <class Map, class Change>
void list_changes(const Map& before, const Map& after, std::vector<Change>& changes) {
  auto old = before.begin();
  auto now = after.begin();
  while (old != before.end() || now != after.end()) {
    Change change;
    const int order = old == before.end()  ? 1
                      : now == after.end() ? -1
                                           : old->first.compare(now->first);
    if (order <= 0) {
      change.id = &old->first;
      change.before = &old->second;
    }
    if (order >= 0) {
      change.id = &now->first;
      change.after = &now->second;
    }
    if (order != 0 || !(old->second == now->second)) changes.push_back(change);
    if (order <= 0) ++old;
    if (order >= 0) ++now;
  }
}

// Entries of `after` are copied only where they changed.
template <class Map, class Change>
void apply_changes(Map& seen, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    if (change.after != nullptr) {
      seen.insert_or_assign(*change.id, *change.after);
    } else {
      seen.erase(std::string(*change.id));
    }
  }
}
}  // namespace

void Runner::Impl::find_changes(const model::Observation& after) {
  op_changes_.clear();
  workflow_changes_.clear();
  list_changes(seen_.ops, after.ops, op_changes_);
  list_changes(seen_.workflows, after.workflows, workflow_changes_);
}

void Runner::Impl::remember() {
  apply_changes(seen_.ops, op_changes_);
  apply_changes(seen_.workflows, workflow_changes_);
  if (seen_.queues != after_->queues) seen_.queues = after_->queues;
  // The service is the harness's own; no engine knows what it holds.
  seen_.writes = outside_.writes_by_key();
  seen_.events = after_->events;
  seen_.last_seq = after_->last_seq;
  if (!events_.empty()) {
    last_seq_ = events_.back().seq;
    last_call_ = events_.back().call;
  }
}

const model::Observation& Runner::Impl::look(bool in_full) {
  const model::Observation& shown = in_full ? sut_.observe_in_full() : sut_.observe();
  const Unseen* unseen = sut_.unseen();
  if (unseen == nullptr) return shown;
  filled_ = shown;
  fill(filled_, *unseen, state_);
  return filled_;
}

std::optional<Violation> Runner::Impl::judge(const Step& /*step*/) {
  const bool in_full = --until_full_ <= 0;
  if (in_full) until_full_ = options_.full_observation_every;
  after_ = &look(in_full);
  events_.clear();
  if (sut_.has_journal() && after_->last_seq != last_seq_) sut_.journal(last_seq_, events_);
  find_changes(*after_);

  if (options_.compare_with_model && difference_.empty() && !model::agrees(state_, *after_)) {
    difference_ = model::first_difference(state_, *after_);
    if (difference_.empty()) difference_ = "the observed state is not the model's";
  }

  Judgement judgement;
  judgement.before = &seen_;
  judgement.after = after_;
  judgement.calls = &calls_;
  judgement.ops = &op_changes_;
  judgement.workflows = &workflow_changes_;
  judgement.events = &events_;
  judgement.history = &history_;
  judgement.outside = &outside_;
  judgement.last_seq = last_seq_;
  judgement.last_call = last_call_;
  judgement.has_journal = sut_.has_journal();
  judgement.model_difference = &difference_;
  history_.take(judgement, calls_, op_changes_);

  std::optional<Violation> found;
  for (std::size_t row = 0; row < invariants.size(); ++row) {
    ++tally_.judged[row];
    std::string why = invariants[row].judge(judgement);
    if (why.empty()) continue;
    ++tally_.violated[row];
    if (!found) found = violation(invariants[row].name, std::move(why));
  }
  if (!found && !unexpected_.empty()) found = violation(as_expected, unexpected_);
  count_goals(judgement, tally_);

  remember();
  difference_.clear();
  unexpected_.clear();
  differing_expected_.reset();
  differing_observed_.reset();
  return found;
}

// Nothing can be observed any more, so no other row is judged.
std::optional<Violation> Runner::Impl::judge_loss() {
  ++tally_.violated[*find_invariant(conforms_to_model)];
  after_ = nullptr;
  return violation(conforms_to_model, damage_);
}

Violation Runner::Impl::violation(std::string_view name, std::string why) {
  Violation found;
  found.invariant = name;
  found.step = index_;
  found.why = std::move(why);
  found.expected = differing_expected_;
  found.observed = differing_observed_;
  if (!found.observed) {
    for (const CallFact& call : calls_) {
      if (call.depth == 0) found.observed = call.outcome;
    }
  }
  found.expected_state = model::observe(state_);
  if (after_ != nullptr) found.observed_state = *after_;
  if (found.observed_state) found.observed_state->writes = outside_.writes_by_key();
  return found;
}

}  // namespace leaseproof::properties
