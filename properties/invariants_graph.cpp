#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "properties/history.hpp"
#include "properties/invariant_rows.hpp"

namespace leaseproof::properties {

using model::OpStatus;
using model::Word;

namespace {
const model::OpView* find(const model::Observation& seen, const std::string& op) {
  const auto at = seen.ops.find(op);
  return at == seen.ops.end() ? nullptr : &at->second;
}

bool terminal(OpStatus status) { return model::is_done(status) || status == OpStatus::canceled; }

// The last call of the step that may have changed anything was a refresh, and it stands.
bool refreshed_last(const Judgement& judgement) {
  const CallFact* last = nullptr;
  for (const CallFact& call : *judgement.calls) {
    if (!call.to_engine || call.locked_out || call.ended == Ended::undone) continue;
    if (is_read(call.action())) continue;
    last = &call;
  }
  return last != nullptr && std::holds_alternative<model::Refresh>(last->action()) &&
         (last->ended == Ended::unheard || last->word() == Word::ok);
}
}  // namespace

std::string judge_no_blocked_left(const Judgement& judgement) {
  if (!refreshed_last(judgement)) return {};
  for (const auto& [id, op] : judgement.after->ops) {
    if (op.status != OpStatus::pending && op.status != OpStatus::blocked) continue;
    const OpFacts* facts = judgement.history->op(id);
    if (facts == nullptr) continue;
    const auto stopping = std::find_if(
        facts->spec.needs.begin(), facts->spec.needs.end(), [&](const model::Need& need) {
          const model::OpView* needed = find(*judgement.after, need.op);
          return need.required && needed != nullptr && model::is_stopping(needed->status);
        });
    const bool must_block = stopping != facts->spec.needs.end();
    if (must_block == (op.status == OpStatus::blocked)) continue;
    return must_block ? fmt::format("after refresh {} is pending, though its need {} is stopping",
                                    id, stopping->op)
                      : fmt::format(
                            "after refresh {} is blocked, though no required need of it is "
                            "stopping",
                            id);
  }
  return {};
}

std::string judge_ready_means_needs_done(const Judgement& judgement) {
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr || change.facts == nullptr) continue;
    if (change.after->status != OpStatus::ready && change.after->status != OpStatus::running) {
      continue;
    }
    for (const model::Need& need : change.facts->spec.needs) {
      if (!need.required) continue;
      const model::OpView* needed = find(*judgement.after, need.op);
      if (needed != nullptr && model::is_done(needed->status)) continue;
      return fmt::format("{} is {}, but its need {} is {}", *change.id,
                         model::word(change.after->status), need.op,
                         needed == nullptr ? "absent" : model::word(needed->status));
    }
  }
  return {};
}

std::string judge_terminal_is_final(const Judgement& judgement) {
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr) return fmt::format("{} is gone", *change.id);
    if (change.before == nullptr || !terminal(change.before->status)) continue;
    if (change.before->status != change.after->status) {
      return fmt::format("{} was {} and is {}", *change.id, model::word(change.before->status),
                         model::word(change.after->status));
    }
    if (change.before->result != change.after->result) {
      return fmt::format("the result of {} changed after it was {}", *change.id,
                         model::word(change.before->status));
    }
    if (change.before->artifacts != change.after->artifacts) {
      return fmt::format("the artifacts of {} changed after it was {}", *change.id,
                         model::word(change.before->status));
    }
    if (change.before->effect && change.after->effect &&
        change.before->effect->receipt != change.after->effect->receipt) {
      return fmt::format("the receipt of {} changed after it was {}", *change.id,
                         model::word(change.before->status));
    }
  }
  for (const WorkflowChange& change : *judgement.workflows) {
    if (change.after == nullptr) return fmt::format("workflow {} is gone", *change.id);
    if (change.before != nullptr && change.before->cancel_requested &&
        !change.after->cancel_requested) {
      return fmt::format("the cancellation of {} was taken back", *change.id);
    }
  }
  return {};
}

namespace {
std::string judge_completion(const CallFact& call, const Judgement& judgement) {
  const auto* complete = std::get_if<model::Complete>(&call.action());
  if (complete == nullptr || call.ended != Ended::answered || call.word() != Word::ok) return {};
  const model::OpView* op = find(*judgement.after, complete->by.op);
  if (op == nullptr || !model::is_done(op->status)) {
    return fmt::format("{} was told that it completed, but it is {}", complete->by.op,
                       op == nullptr ? "absent" : model::word(op->status));
  }
  if (op->result != complete->result) {
    return fmt::format("the result of {} is not the one that was accepted", complete->by.op);
  }
  for (const model::Artifact& artifact : complete->artifacts) {
    if (!op->artifacts.contains(artifact.name)) {
      return fmt::format("{} completed without its artifact {}", complete->by.op, artifact.name);
    }
  }
  for (const model::OpSpec& spec : complete->emit) {
    if (find(*judgement.after, spec.id) == nullptr) {
      return fmt::format("{} completed without the op {} that it emitted", complete->by.op,
                         spec.id);
    }
  }
  return {};
}
}  // namespace

std::string judge_all_or_nothing(const Judgement& judgement) {
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr) continue;
    const bool done = model::is_done(change.after->status);
    if (done != change.after->result.has_value()) {
      return fmt::format("{} is {} and has {} result", *change.id,
                         model::word(change.after->status), done ? "no" : "a");
    }
    if (!done && !change.after->artifacts.empty()) {
      return fmt::format("{} is {} and has artifacts", *change.id,
                         model::word(change.after->status));
    }
    if (change.before != nullptr) continue;
    if (change.facts == nullptr) {
      return fmt::format("{} exists, though no call that made it was accepted", *change.id);
    }
    if (change.facts->parent.empty()) continue;
    const model::OpView* parent = find(*judgement.after, change.facts->parent);
    if (parent == nullptr || !model::is_done(parent->status)) {
      return fmt::format("{} was emitted by {}, which is not done", *change.id,
                         change.facts->parent);
    }
  }
  for (const CallFact& call : *judgement.calls) {
    std::string why = judge_completion(call, judgement);
    if (!why.empty()) return why;
  }
  return {};
}

namespace {
std::string judge_creation(const CallFact& call) {
  const auto* told = std::get_if<model::Identified>(&call.outcome.detail);
  const std::string_view id = told == nullptr ? std::string_view("the workflow") : told->workflow;
  const Standing& standing = call.standing;
  const bool same = standing.same_package && standing.same_identity;
  switch (call.word()) {
    case Word::created:
      if (standing.workflow_known) return fmt::format("{} was created a second time", id);
      return {};
    case Word::attached:
      if (!standing.workflow_known) return fmt::format("a call attached to {}, never made", id);
      if (!same) return fmt::format("a call with another identity attached to {}", id);
      return {};
    case Word::identity_conflict:
      if (!standing.workflow_known) {
        return fmt::format("{} was never made, yet its identity is in conflict", id);
      }
      if (same) return fmt::format("the same identity was refused for {}", id);
      return {};
    default:
      return {};
  }
}
}  // namespace

std::string judge_one_identity(const Judgement& judgement) {
  if (judgement.hazy) return {};
  for (const CallFact& call : *judgement.calls) {
    if (!call.to_engine || call.ended != Ended::answered) continue;
    if (!std::holds_alternative<model::Start>(call.action()) &&
        !std::holds_alternative<model::Ensure>(call.action())) {
      continue;
    }
    std::string why = judge_creation(call);
    if (!why.empty()) return why;
  }
  for (const WorkflowChange& change : *judgement.workflows) {
    if (change.before == nullptr && judgement.history->workflow(*change.id) == nullptr) {
      return fmt::format("workflow {} exists, though no call that made it was accepted",
                         *change.id);
    }
  }
  return {};
}

}  // namespace leaseproof::properties
