#include "properties/journal_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/canonical.hpp"
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
    const auto status = static_cast<OpStatus>(i);
    const bool is_final = is_done(status) || status == OpStatus::canceled;
    if (!is_final && workflow.counts[i] > 0) return false;
  }
  return true;
}

}  // namespace

JournalReplay::JournalReplay(JournalDecoder decode, const model::Settings& settings,
                             model::Observation tables, bool keep_all)
    : decode_(std::move(decode)), tables_(std::move(tables)), keep_all_(keep_all) {
  state_.settings = settings;
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
  if (!keep_all_ && !event.workflow.empty()) newest_[event.workflow] = event.seq;
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
    const auto known = tokens_.find(by->op);
    if (known != tokens_.end()) {
      const auto at = std::ranges::find(known->second, call.token, &Tokens::value_type::first);
      if (at != known->second.end()) call.given.lease_generation = at->second;
    }
  }
  if (const auto* told = std::get_if<model::Identified>(&call.outcome.detail)) {
    call.given.fresh_id = told->workflow;
  }
  model::Trail trail;
  const model::Outcome outcome = model::apply(state_, call.action, call.given);
  recorded_ = std::move(trail.recorded);
  told_ = 0;
  if (!(outcome == call.outcome)) {
    wrong_.call = call;
    wrong_.call_seq = first_seq_;
    wrong_.allowed = outcome;
    return refuse(first_seq_,
                  fmt::format("replaying event {}: {} answers {}, the journal says {}", first_seq_,
                              verb_, model::word(outcome.word), model::word(call.outcome.word)));
  }
  if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
    tokens_[leased->op].emplace_back(call.token, leased->generation);
  }
  for (const model::Recorded& recorded : recorded_) {
    count_waiting(recorded.op);
    if (gone_.contains(recorded.op) || gone_.contains(recorded.workflow)) {
      return refuse(first_seq_,
                    fmt::format("event {} makes {} a second time", first_seq_, named(recorded)));
    }
  }
  if (on_call) on_call(call, state_);
  return true;
}

// How many wait once the call stands.
void JournalReplay::count_waiting(const std::string& op) {
  if (op.empty()) return;
  const auto add = [&](OpStatus status, std::int64_t by) {
    if (status == OpStatus::reconciling) waiting_.reconciling += by;
    if (status == OpStatus::waiting_approval) waiting_.waiting_approval += by;
  };
  if (const auto before = statuses_.find(op); before != statuses_.end()) add(before->second, -1);
  add(model::find_op(state_, op)->view.status, 1);
}

bool JournalReplay::judge(const JournalEvent& event, const DecodedEvent& decoded) {
  if (told_ == recorded_.size()) {
    return refuse(event.seq, fmt::format("event {} tells of something more than its call changed, "
                                         "which was {} things",
                                         event.seq, recorded_.size()));
  }
  const model::Recorded& recorded = recorded_[told_];
  if (std::string why = first_wrong(event, decoded, recorded); !why.empty()) {
    return refuse(event.seq, fmt::format("event {} of {}: {}", event.seq, named(recorded), why));
  }
  ++told_;
  return true;
}

std::string JournalReplay::first_wrong(const JournalEvent& event, const DecodedEvent& decoded,
                                       const model::Recorded& recorded) {
  if (event.workflow != recorded.workflow) {
    return told_of("workflow", recorded.workflow, event.workflow);
  }
  if (event.op != recorded.op) return told_of("op", recorded.op, event.op);
  if (event.at_us != at_us_) {
    return fmt::format("it is dated {}, the moment of its call was {}", event.at_us, at_us_);
  }
  if (decoded.call && event.seq != first_seq_) return "it tells a call that began before it";
  const model::Op* op = recorded.op.empty() ? nullptr : model::find_op(state(), recorded.op);
  const std::int64_t generation = op == nullptr ? 0 : op->view.generation;
  if (event.generation != generation) {
    return told_of("generation", std::to_string(generation), std::to_string(event.generation));
  }
  DecodedChange expected;
  std::string_view kind = kind_of_call(recorded, verb_);
  if (op != nullptr) {
    std::optional<OpStatus> from;
    const auto before = statuses_.find(recorded.op);
    if (before != statuses_.end()) from = before->second;
    kind = kind_of_change(verb_, from, op->view.status);
    expected.from = from ? model::word(*from) : "";
    expected.to = model::word(op->view.status);
    if (from == OpStatus::waiting_approval || from == OpStatus::reconciling ||
        op->view.status == OpStatus::waiting_approval || op->view.status == OpStatus::reconciling) {
      expected.for_a_person = waiting_;
    }
  }
  if (!decoded.change) return {};
  if (event.kind != kind) return told_of("kind", kind, event.kind);
  if (decoded.change->from != expected.from) {
    return told_of("status before", expected.from, decoded.change->from);
  }
  if (decoded.change->to != expected.to) {
    return told_of("status after", expected.to, decoded.change->to);
  }
  if (decoded.change->for_a_person != expected.for_a_person) {
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
  for (const model::Recorded& recorded : recorded_) {
    if (recorded.op.empty()) continue;
    const model::Op* op = model::find_op(state(), recorded.op);
    const auto [known, is_new] = statuses_.try_emplace(recorded.op, op->view.status);
    known->second = op->view.status;
    if (is_new && !keep_all_) ops_[recorded.workflow].push_back(recorded.op);
  }
  if (keep_all_) return true;
  for (const model::Recorded& recorded : recorded_) {
    if (!recorded.workflow.empty() && !retire(recorded.workflow)) return false;
  }
  recorded_.clear();
  told_ = 0;
  return true;
}

// Nothing can be told of it again, so that the tables have to say what it has come to.
bool JournalReplay::retire(const std::string& workflow) {
  const auto* ended = model::find_workflow(state(), workflow);
  if (ended == nullptr || !can_never_change(*ended) || gone_.contains(workflow)) return true;
  model::State alone;
  alone.workflows.emplace(workflow, *ended);
  model::Observation seen;
  const auto take = [](auto& from, const std::string& id, auto& into) {
    if (auto node = from.extract(id); !node.empty()) into.insert(std::move(node));
  };
  take(tables_.workflows, workflow, seen.workflows);
  for (const std::string& id : ops_[workflow]) {
    alone.ops.emplace(id, *model::find_op(state(), id));
    take(tables_.ops, id, seen.ops);
    statuses_.erase(id);
    tokens_.erase(id);
    gone_.insert(id);
    ++retired_;
  }
  ops_.erase(workflow);
  gone_.insert(workflow);
  match_digests(alone, seen);
  if (!model::agrees(alone, seen)) {
    return refuse(0, "replaying the journal does not give the tables: " +
                         model::first_difference(alone, seen));
  }
  constexpr std::size_t most = 256;
  if (retired_ >= std::max(most, state_.ops.size() / 2)) forget_retired();
  return true;
}

void JournalReplay::forget_retired() {
  state_.ops.erase_if([&](const model::Op& op) { return gone_.contains(op.spec->id); });
  std::vector<std::string> workflows;
  for (const auto& [id, workflow] : state_.workflows) {
    if (gone_.contains(id)) workflows.push_back(id);
  }
  for (const std::string& id : workflows) state_.workflows.erase(id);
  retired_ = 0;
}

bool JournalReplay::finish() {
  if (!end_call(last_seq_ + 1)) return false;
  if (!keep_all_) forget_retired();
  match_digests(state_, tables_);
  const std::string difference = model::first_difference(state_, tables_);
  if (difference.empty()) return true;
  return refuse(0, "replaying the journal does not give the tables: " + difference);
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
