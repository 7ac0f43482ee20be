#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "properties/history.hpp"
#include "properties/invariant_rows.hpp"

namespace leaseproof::properties {

using model::Word;

namespace {
std::string judge_sequence(const Judgement& judgement) {
  std::int64_t seq = judgement.last_seq;
  std::int64_t call = judgement.last_call;
  for (const JournalEvent& event : *judgement.events) {
    if (event.seq != seq + 1) {
      return fmt::format("event {} follows event {}", event.seq, seq);
    }
    if (event.call < call || (event.call == call && event.seq == judgement.last_seq + 1)) {
      return fmt::format("event {} belongs to call {}, after call {}", event.seq, event.call, call);
    }
    seq = event.seq;
    call = event.call;
  }
  if (judgement.after->last_seq != seq || judgement.after->events != seq) {
    return fmt::format("{} events up to seq {} are counted, but the journal ends at {}",
                       judgement.after->events, judgement.after->last_seq, seq);
  }
  return {};
}

std::int64_t events_of(const Judgement& judgement, const std::string& op,
                       const std::string& workflow) {
  return std::count_if(judgement.events->begin(), judgement.events->end(),
                       [&](const JournalEvent& event) {
                         return event.op == op && (!op.empty() || event.workflow == workflow);
                       });
}

// One call reached the engine, so every event and every change belongs to it.
std::string judge_single(const Judgement& judgement, const CallFact& call) {
  for (const JournalEvent& event : *judgement.events) {
    if (event.call != judgement.events->front().call) {
      return fmt::format("event {} has another call number than the first of its call", event.seq);
    }
    if (event.at_us != call.given.now_us) {
      return fmt::format("event {} is dated {}, the moment of its call was {}", event.seq,
                         event.at_us, call.given.now_us);
    }
    if (event.op.empty()) continue;
    const auto op = judgement.after->ops.find(event.op);
    if (op == judgement.after->ops.end()) {
      return fmt::format("event {} tells of {}, which does not exist", event.seq, event.op);
    }
    if (event.generation != op->second.generation) {
      return fmt::format("event {} gives {} generation {}, it is at {}", event.seq, event.op,
                         event.generation, op->second.generation);
    }
    // What a heartbeat and a second dispatch change need not be visible.
    const bool unseen = std::holds_alternative<model::Heartbeat>(call.action()) ||
                        std::holds_alternative<model::Dispatch>(call.action());
    if (!unseen && judgement.change_of(event.op) == nullptr) {
      return fmt::format("event {} tells of {}, which did not change", event.seq, event.op);
    }
    if (events_of(judgement, event.op, {}) != 1) {
      return fmt::format("{} stands in more than one event of its call", event.op);
    }
  }
  for (const WorkflowChange& change : *judgement.workflows) {
    const bool made = change.before == nullptr;
    const bool asked = !made && change.after != nullptr &&
                       change.before->cancel_requested != change.after->cancel_requested;
    if (!made && !asked) continue;
    if (events_of(judgement, {}, *change.id) != 1) {
      return fmt::format("workflow {} changed and stands in {} events", *change.id,
                         events_of(judgement, {}, *change.id));
    }
  }
  return {};
}

bool changes_nothing(const CallFact& call) {
  if (call.ended == Ended::undone) return true;
  if (call.ended == Ended::unheard) return false;
  switch (call.word()) {
    case Word::attached:
    case Word::exists:
    case Word::identity_conflict:
    case Word::lease_lost:
    case Word::checkpoint_conflict:
    case Word::already_completed:
    case Word::receipt_required:
    case Word::not_failed:
    case Word::workflow_canceled:
    case Word::deadline_passed:
    case Word::already_settled:
    case Word::invalid:
    case Word::not_found:
    case Word::busy:
    case Word::storage_error:
      return true;
    default:
      return is_read(call.action());
  }
}
}  // namespace

std::string judge_journal_is_truth(const Judgement& judgement) {
  if (!judgement.has_journal) return {};
  std::string why = judge_sequence(judgement);
  if (!why.empty()) return why;

  // Whatever was interleaved: what changed stands in the journal, and quiet calls write nothing.
  for (const OpChange& change : *judgement.ops) {
    if (events_of(judgement, *change.id, {}) == 0) {
      return fmt::format("{} changed, but no event tells of it", *change.id);
    }
  }
  if (!judgement.events->empty() &&
      std::all_of(judgement.calls->begin(), judgement.calls->end(),
                  [](const CallFact& call) { return !call.to_engine || changes_nothing(call); })) {
    return fmt::format("event {} was written by a call that changes nothing",
                       judgement.events->front().seq);
  }
  const CallFact* only = judgement.only_call();
  return only == nullptr ? std::string() : judge_single(judgement, *only);
}

namespace {
std::string judge_page(const CallFact& call, const Judgement& judgement) {
  const auto* asked = std::get_if<model::SnapshotsSince>(&call.action());
  const auto* page = std::get_if<model::Page>(&call.outcome.detail);
  if (asked == nullptr || page == nullptr) return {};
  if (static_cast<std::int64_t>(page->workflows.size()) > asked->limit) {
    return fmt::format("a page of {} workflows was asked for, {} came", asked->limit,
                       page->workflows.size());
  }
  if (judgement.only_call() == nullptr) return {};
  std::int64_t seq = 0;
  for (const std::string& id : page->workflows) {
    const WorkflowFacts* facts = judgement.history->workflow(id);
    if (facts == nullptr) return fmt::format("reader {} was told of {}", asked->reader, id);
    if (!judgement.has_journal) continue;
    if (facts->last_seq <= seq) {
      return fmt::format("reader {} was told of {} out of the order of changes", asked->reader, id);
    }
    seq = facts->last_seq;
  }
  return {};
}
}  // namespace

std::string judge_snapshots_true(const Judgement& judgement) {
  for (const WorkflowChange& change : *judgement.workflows) {
    const WorkflowFacts* facts = judgement.history->workflow(*change.id);
    if (facts == nullptr || change.after == nullptr) continue;
    if (facts->counts != change.after->counts) {
      return fmt::format("the counts of workflow {} do not add up to its ops", *change.id);
    }
  }
  // Ops that changed under a workflow whose counts did not move with them.
  for (const OpChange& change : *judgement.ops) {
    if (change.facts == nullptr) continue;
    const auto view = judgement.after->workflows.find(change.facts->workflow);
    const WorkflowFacts* facts = judgement.history->workflow(change.facts->workflow);
    if (view == judgement.after->workflows.end() || facts == nullptr) continue;
    if (facts->counts != view->second.counts) {
      return fmt::format("the counts of workflow {} do not add up to its ops", view->first);
    }
  }
  const CallFact* only = judgement.only_call();
  if (only != nullptr && only->ended == Ended::answered) {
    const auto* snapshot = std::get_if<model::Snapshot>(&only->action());
    const auto* told = std::get_if<model::StatusCounts>(&only->outcome.detail);
    if (snapshot != nullptr && told != nullptr) {
      const WorkflowFacts* facts = judgement.history->workflow(snapshot->workflow);
      if (facts == nullptr || facts->counts != told->counts) {
        return fmt::format("the snapshot of {} does not add up to its ops", snapshot->workflow);
      }
    }
  }
  for (const CallFact& call : *judgement.calls) {
    std::string why = judge_page(call, judgement);
    if (!why.empty()) return why;
  }
  if (judgement.history->untold() != nullptr) {
    return fmt::format("a reader that has read to the end was never told of the last change of {}",
                       *judgement.history->untold());
  }
  return {};
}

}  // namespace leaseproof::properties
