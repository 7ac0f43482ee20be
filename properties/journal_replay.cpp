#include "properties/journal_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/lifecycle.hpp"
#include "model/rules.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::OpStatus;

namespace {

// engine/store/journal.hpp lists the kinds; which of them a change has follows from its call and
// where it leads.
std::string_view kind_of_change(std::string_view verb, std::optional<OpStatus> from, OpStatus to) {
  switch (to) {
    case OpStatus::failed:
      return "op_failed";
    case OpStatus::canceled:
      return "op_canceled";
    case OpStatus::reconciling:
      return "op_unknown";
    case OpStatus::effect_confirmed:
      return "op_confirmed";
    case OpStatus::blocked:
      return "op_blocked";
    case OpStatus::succeeded:
      return "op_succeeded";
    case OpStatus::waiting_approval:
      return "approval_requested";
    case OpStatus::pending:
      return from ? "op_reopened" : "op_created";
    case OpStatus::running:
      if (verb == model::Lease::name) return "op_leased";
      if (verb == model::Heartbeat::name) return "op_extended";
      return verb == model::Checkpoint::name ? "op_checkpointed" : "op_dispatched";
    case OpStatus::ready:
      if (verb == model::Fail::name) return "op_retry_scheduled";
      if (verb == model::Retry::name) return "op_retried";
      if (verb != model::Refresh::name) return "approval_granted";
      return from == OpStatus::running ? "op_recovered" : "op_readied";
  }
  return {};
}

std::string_view kind_of_call(const model::Recorded& recorded, std::string_view verb) {
  if (!recorded.workflow.empty()) {
    return verb == model::Cancel::name ? "cancel_requested" : "workflow_created";
  }
  if (verb == model::ContextPut::name) return "context_put";
  return verb == model::ContextRevoke::name ? "context_revoked" : "queue_set";
}

std::string named(const model::Recorded& recorded) {
  if (!recorded.op.empty()) return "op " + recorded.op;
  return recorded.workflow.empty() ? "nothing that belongs to a workflow"
                                   : "workflow " + recorded.workflow;
}

std::string told_of(std::string_view what, std::string_view expected, std::string_view told) {
  return fmt::format("its {} has to be {}, and is {}", what, expected.empty() ? "absent" : expected,
                     told.empty() ? "absent" : told);
}

bool waits_for_a_person(OpStatus status) {
  return status == OpStatus::waiting_approval || status == OpStatus::reconciling;
}

}  // namespace

JournalReplay::JournalReplay(JournalDecoder decode, const model::Settings& settings,
                             const model::Observation& tables, bool keep_all)
    : decode_(std::move(decode)), tables_(tables), keep_all_(keep_all) {
  state_.settings = settings;
  state_.roster.keep();
}

std::int64_t JournalReplay::newest_of(const std::string& workflow) const {
  if (const auto live = workflows_.find(workflow); live != workflows_.end()) {
    return live->second.newest;
  }
  const auto gone = gone_workflows_.find(workflow);
  return gone == gone_workflows_.end() ? 0 : gone->second;
}

bool JournalReplay::refuse(std::int64_t seq, std::string why) {
  wrong_.seq = seq;
  wrong_.why = std::move(why);
  return false;
}

bool JournalReplay::take(const JournalEvent& event) {
  if (event.seq != last_seq_ + 1) {
    return refuse(event.seq, fmt::format("event {} follows event {}", event.seq, last_seq_));
  }
  auto decoded = decode_(event);
  if (!decoded) return refuse(event.seq, fmt::format("event {} cannot be read", event.seq));
  if (event.call != call_ && !(end_call(event.seq) && begin_call(event, *decoded))) return false;
  if (!judge(event, *decoded)) return false;
  last_seq_ = event.seq;
  return true;
}

bool JournalReplay::begin_call(const JournalEvent& event, DecodedEvent& decoded) {
  // Calls that tell no more are counted as their engine likes.
  if (event.call <= call_ || (decoded.change && event.call != event.seq)) {
    return refuse(event.seq, fmt::format("event {} is said to belong to call {}, of which it is "
                                         "neither the first event nor the next",
                                         event.seq, event.call));
  }
  first_seq_ = event.seq;
  if (!decoded.call) {
    return refuse(event.seq, fmt::format("event {} does not tell its call", event.seq));
  }
  call_ = event.call;
  at_us_ = event.at_us;
  DecodedCall& call = *decoded.call;
  verb_ = model::do_word(call.action);
  if (is_harness(call.action) || is_read(call.action)) {
    return refuse(event.seq,
                  fmt::format("event {} records {}, which changes nothing", event.seq, verb_));
  }
  if (call.given.now_us != event.at_us) {
    return refuse(event.seq, fmt::format("event {} is dated {}, its call says {}", event.seq,
                                         event.at_us, call.given.now_us));
  }
  return make(call);
}

bool JournalReplay::make(DecodedCall& call) {
  if (const model::WorkerHandle* by = handle_of(call.action)) {
    if (const auto known = ops_.find(by->op); known != ops_.end()) {
      const LiveOp& op = known->second;
      const auto at = std::ranges::find(op.tokens, call.token, &LiveOp::Token::first);
      if (at != op.tokens.end()) call.given.lease_generation = at->second;
    }
  }
  if (const auto* told = std::get_if<model::Identified>(&call.outcome.detail)) {
    call.given.fresh_id = told->workflow;
  }
  recorded_.clear();
  changes_.clear();
  told_ = 0;
  model::Trail trail;
  trail.recorded.swap(recorded_);
  const model::Outcome outcome = model::apply(state_, call.action, call.given);
  trail.recorded.swap(recorded_);
  if (!(outcome == call.outcome)) {
    wrong_.call = call;
    wrong_.call_seq = first_seq_;
    wrong_.allowed = outcome;
    return refuse(first_seq_,
                  fmt::format("replaying event {}: {} answers {}, the journal says {}", first_seq_,
                              verb_, model::word(outcome.word), model::word(call.outcome.word)));
  }
  for (const model::Recorded& recorded : recorded_) {
    if (!look_up(recorded)) return false;
  }
  if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
    ops_[leased->op].tokens.emplace_back(call.token, leased->generation);
  }
  if (on_call) on_call(call, state_);
  return true;
}

bool JournalReplay::look_up(const model::Recorded& recorded) {
  const auto refuse_second = [&] {
    return refuse(first_seq_,
                  fmt::format("event {} makes {} a second time", first_seq_, named(recorded)));
  };
  Change& change = changes_.emplace_back();
  change.recorded = &recorded;
  if (recorded.workflow.empty()) return true;
  const bool is_of_the_last =
      changes_.size() > 1 && changes_[changes_.size() - 2].recorded->workflow == recorded.workflow;
  if (is_of_the_last) {
    change.workflow = changes_[changes_.size() - 2].workflow;
  } else {
    const auto [live, is_new] = workflows_.try_emplace(recorded.workflow);
    if (is_new && gone_workflows_.contains(recorded.workflow)) return refuse_second();
    change.workflow = &live->second;
  }
  if (recorded.op.empty()) return true;
  change.op = model::find_op(state(), recorded.op);
  const OpStatus to = change.op->view.status;
  const auto [live, is_new] = ops_.try_emplace(recorded.op);
  if (is_new) {
    if (gone_ops_.contains(recorded.op)) return refuse_second();
    change.workflow->ops.push_back(recorded.op);
  } else {
    change.from = live->second.status;
  }
  live->second.status = to;
  count_waiting(change.from, to);
  return true;
}

// How many wait once the call stands.
void JournalReplay::count_waiting(std::optional<OpStatus> from, OpStatus to) {
  const auto add = [&](OpStatus status, std::int64_t by) {
    if (status == OpStatus::reconciling) waiting_.reconciling += by;
    if (status == OpStatus::waiting_approval) waiting_.waiting_approval += by;
  };
  if (from) add(*from, -1);
  add(to, 1);
}

bool JournalReplay::judge(const JournalEvent& event, const DecodedEvent& decoded) {
  if (told_ == recorded_.size()) {
    return refuse(event.seq, fmt::format("event {} tells of something more than its call changed, "
                                         "which was {} things",
                                         event.seq, recorded_.size()));
  }
  const Change& change = changes_[told_];
  if (std::string why = first_wrong(event, decoded, change); !why.empty()) {
    return refuse(event.seq,
                  fmt::format("event {} of {}: {}", event.seq, named(*change.recorded), why));
  }
  if (change.workflow != nullptr) change.workflow->newest = event.seq;
  ++told_;
  return true;
}

std::string JournalReplay::first_wrong(const JournalEvent& event, const DecodedEvent& decoded,
                                       const Change& change) {
  const model::Recorded& recorded = *change.recorded;
  if (event.workflow != recorded.workflow) {
    return told_of("workflow", recorded.workflow, event.workflow);
  }
  if (event.op != recorded.op) return told_of("op", recorded.op, event.op);
  if (event.at_us != at_us_) {
    return fmt::format("it is dated {}, the moment of its call was {}", event.at_us, at_us_);
  }
  if (decoded.call && event.seq != first_seq_) return "it tells a call that began before it";
  const model::Op* op = change.op;
  const std::int64_t generation = op == nullptr ? 0 : op->view.generation;
  if (event.generation != generation) {
    return told_of("generation", std::to_string(generation), std::to_string(event.generation));
  }
  if (!decoded.change) return {};
  std::string_view kind = kind_of_call(recorded, verb_);
  std::string_view from;
  std::string_view to;
  std::optional<DecodedChange::ForAPerson> for_a_person;
  if (op != nullptr) {
    const OpStatus status = op->view.status;
    kind = kind_of_change(verb_, change.from, status);
    if (change.from) from = model::word(*change.from);
    to = model::word(status);
    if (waits_for_a_person(status) || (change.from && waits_for_a_person(*change.from))) {
      for_a_person = waiting_;
    }
  }
  if (event.kind != kind) return told_of("kind", kind, event.kind);
  if (decoded.change->from != from) return told_of("status before", from, decoded.change->from);
  if (decoded.change->to != to) return told_of("status after", to, decoded.change->to);
  if (decoded.change->for_a_person != for_a_person) {
    return "how many ops wait for a person is not what it says";
  }
  return {};
}

bool JournalReplay::end_call(std::int64_t next_seq) {
  if (told_ < recorded_.size()) {
    return refuse(next_seq,
                  fmt::format("event {} should tell of {}, which the call before it changed",
                              next_seq, named(recorded_[told_])));
  }
  if (!keep_all_) {
    // The last thing that can happen to a workflow is that an op of it ends for ever, or that it is
    // made without any.
    for (const Change& change : changes_) {
      const bool may_be_last = change.op == nullptr || model::is_terminal(change.op->view.status);
      if (may_be_last && change.workflow != nullptr && !retire(change.recorded->workflow)) {
        return false;
      }
    }
    constexpr std::size_t most = 64;
    if (retired_ops_ >= std::max(most, state_.ops.size() / 2)) forget_retired();
  }
  recorded_.clear();
  changes_.clear();
  told_ = 0;
  return true;
}

std::string replay_journal(const std::vector<JournalEvent>& events, const JournalDecoder& decode,
                           const model::Settings& settings, const model::Observation& seen,
                           Readings* expected) {
  Witness witness;
  JournalReplay replay(decode, settings, seen, true);
  if (expected != nullptr) {
    replay.on_call = [&](const DecodedCall& call, const model::State& state) {
      witness.take(call, state);
    };
  }
  for (const JournalEvent& event : events) {
    if (!replay.take(event)) return replay.wrong().why;
  }
  if (!replay.finish()) return replay.wrong().why;
  if (expected != nullptr) *expected = witness.expected(replay.state(), events);
  return {};
}

}  // namespace leaseproof::properties
