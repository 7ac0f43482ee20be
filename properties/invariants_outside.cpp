#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

#include "properties/history.hpp"
#include "properties/invariant_rows.hpp"
#include "properties/outside.hpp"

namespace leaseproof::properties {

using model::Contract;
using model::EffectStatus;
using model::OpStatus;
using model::Word;

namespace {
__extension__ using Wide = __int128;

// What no engine can be held to: it was told what is not true, or it counted on clocks that did not
// agree.
bool is_excused(const Outside& outside, const Record& record) {
  return outside.is_misled(record.op) || (record.retention_us > 0 && !outside.clocks_agree());
}

// The call changed something, whether its answer was heard or not.
bool dispatched(const CallFact& call, const Judgement& judgement) {
  const auto* dispatch = std::get_if<model::Dispatch>(&call.action());
  if (dispatch == nullptr || !call.to_engine) return false;
  if (call.told(Word::dispatching)) return true;
  if (call.ended != Ended::unheard) return false;
  const OpChange* change = judgement.change_of(dispatch->by.op);
  const auto is_dispatching = [](const model::OpView* op) {
    return op != nullptr && op->effect && op->effect->status == EffectStatus::dispatching;
  };
  return change != nullptr && is_dispatching(change->after) && !is_dispatching(change->before);
}
}  // namespace

std::string judge_no_duplicate_effect(const Judgement& judgement) {
  const Outside& outside = *judgement.outside;
  if (outside.records().empty()) return {};
  for (const auto& [key, record] : outside.records()) {
    if (record.writes > 1 && !is_excused(outside, record)) {
      return fmt::format("the service holds {} writes of {} under one key", record.writes,
                         record.op);
    }
  }
  std::map<std::string, std::string> owners;
  for (const auto& [op, keys] : outside.keys()) {
    if (keys.size() > 1) {
      return fmt::format("dispatches of {} gave {} different keys", op, keys.size());
    }
    const auto [owner, is_new] = owners.try_emplace(keys.back(), op);
    if (!is_new) return fmt::format("{} and {} have the same key", owner->second, op);
  }
  return {};
}

namespace {
std::string judge_decision(const CallFact& call, const Judgement& judgement) {
  const auto* decide = std::get_if<model::Decide>(&call.action());
  if (decide == nullptr || !call.told(Word::ok)) return {};
  const OpFacts* facts = judgement.history->op(decide->op);
  if (facts == nullptr || !facts->spec.effect) return {};
  const auto& request = call.standing.request;
  if (!request) return fmt::format("a request of {} was decided, but none was made", decide->op);
  if (request->unclear) return {};
  if (request->over || request->approved) {
    return fmt::format("the request of {} was decided a second time", decide->op);
  }
  if (decide->stale_hash) {
    return fmt::format("{} was decided by the hash of another request", decide->op);
  }
  const auto& effect = *facts->spec.effect;
  const auto holds = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!holds(decide->actor.roles, "reviewer") || !holds(decide->actor.scopes, effect.scope) ||
      decide->actor.id == effect.requester) {
    return fmt::format("{} was decided by {}, who may not", decide->op, decide->actor.id);
  }
  if (request->expires_us <= call.given.now_us) {
    return fmt::format("{} was decided at {}, its request expired at {}", decide->op,
                       call.given.now_us, request->expires_us);
  }
  return {};
}

std::string judge_cover(const CallFact& call, const Judgement& judgement) {
  if (!dispatched(call, judgement)) return {};
  const auto& dispatch = std::get<model::Dispatch>(call.action());
  const Standing& standing = call.standing;
  if (standing.effect == nullptr || !standing.effect->approval) return {};
  const std::string& op = dispatch.by.op;
  if (!standing.request) return fmt::format("{} was dispatched, but nobody was asked", op);
  const RequestFacts& request = *standing.request;
  if (request.unclear) return {};
  if (!request.approved) return fmt::format("{} was dispatched without an approval", op);
  if (request.over) return fmt::format("{} was dispatched by an approval that is over", op);
  if (!request.by_allowed) {
    return fmt::format("{} was dispatched by the approval of one who may not give it", op);
  }
  if (!request.in_time) {
    return fmt::format("{} was dispatched by an approval of an expired request", op);
  }
  if (request.payload != dispatch.payload) {
    return fmt::format("{} was dispatched with {}, approved was {}", op, dispatch.payload,
                       request.payload);
  }
  if (request.expires_us <= call.given.now_us) {
    return fmt::format("{} was dispatched at {}, its approval expired at {}", op, call.given.now_us,
                       request.expires_us);
  }
  return {};
}
}  // namespace

std::string judge_approval_binds(const Judgement& judgement) {
  if (judgement.hazy) return {};
  for (const CallFact& call : *judgement.calls) {
    if (!call.to_engine || call.ended == Ended::undone) continue;
    std::string why = judge_decision(call, judgement);
    if (why.empty()) why = judge_cover(call, judgement);
    if (!why.empty()) return why;
  }
  return {};
}

namespace {
// SEMANTICS 1, resendable, at the expiry of the lease that it is sent under.
std::string judge_resend(const CallFact& call, const Judgement& judgement) {
  if (!dispatched(call, judgement)) return {};
  const auto& dispatch = std::get<model::Dispatch>(call.action());
  const Standing& standing = call.standing;
  if (standing.effect == nullptr || !standing.dispatch || !standing.dispatch->open) return {};
  const DispatchFacts& first = *standing.dispatch;
  if (first.unclear) return {};
  const std::string& op = dispatch.by.op;
  if (standing.effect->contract != Contract::idempotent || standing.effect->approval) {
    return fmt::format("{} was dispatched again, though it is unknown whether it was written", op);
  }
  const Wide until = Wide{first.at_us} + standing.effect->retention_us;
  const std::int64_t slack_us = judgement.outside->clock_slack_us();
  if (standing.effect->retention_us > 0 && Wide{standing.expires_us} + slack_us >= until) {
    return fmt::format(
        "{} was dispatched again with a lease until {}, its key of {} is kept for {}", op,
        standing.expires_us, first.at_us, standing.effect->retention_us);
  }
  if (first.payload != dispatch.payload) {
    return fmt::format("{} was dispatched again with {} instead of {}", op, dispatch.payload,
                       first.payload);
  }
  return {};
}

bool is_receipt(const CallFact& call, const OpChange& change) {
  const auto* reconcile = std::get_if<model::Reconcile>(&call.action());
  if (reconcile == nullptr || reconcile->op != *change.id || !call.given.found) return false;
  const bool is_opaque =
      call.standing.effect != nullptr && call.standing.effect->contract == Contract::opaque;
  return !is_opaque && change.after->status == OpStatus::effect_confirmed && change.after->effect &&
         change.after->effect->receipt == call.given.found;
}

bool is_evidence(const CallFact& call, const OpChange& change) {
  const auto* close = std::get_if<model::Close>(&call.action());
  if (close == nullptr || close->op != *change.id || close->evidence.empty()) return false;
  const auto& roles = close->actor.roles;
  if (std::find(roles.begin(), roles.end(), "operator") == roles.end()) return false;
  return close->happened == (change.after->status == OpStatus::effect_confirmed);
}

std::string judge_end(const OpChange& change, const Judgement& judgement) {
  const OpStatus status = change.after->status;
  const bool was_unknown =
      change.before != nullptr && change.before->status == OpStatus::reconciling;
  if (!was_unknown || status == OpStatus::reconciling) return {};
  const bool answered =
      std::any_of(judgement.calls->begin(), judgement.calls->end(), [&](const CallFact& call) {
        if (!call.to_engine || call.ended == Ended::undone) return false;
        return is_receipt(call, change) || is_evidence(call, change);
      });
  if (answered) return {};
  return fmt::format("{} was reconciling and is {}, without a receipt and without evidence",
                     *change.id, model::word(status));
}
}  // namespace

std::string judge_unknown_never_resent(const Judgement& judgement) {
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr || !change.after->effect) continue;
    if (!model::is_settled(change.after->status)) continue;
    if (change.after->effect->status == EffectStatus::dispatching) {
      return fmt::format("{} is {}, though its effect is dispatching", *change.id,
                         model::word(change.after->status));
    }
  }
  if (judgement.hazy) return {};
  for (const CallFact& call : *judgement.calls) {
    std::string why = judge_resend(call, judgement);
    if (!why.empty()) return why;
  }
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr || change.facts == nullptr) continue;
    std::string why = judge_end(change, judgement);
    if (!why.empty()) return why;
    const auto& dispatch = change.facts->dispatch;
    if (dispatch && dispatch->open && model::is_settled(change.after->status)) {
      return fmt::format("{} is {}, though it is unknown whether it was written", *change.id,
                         model::word(change.after->status));
    }
  }
  return {};
}

}  // namespace leaseproof::properties
