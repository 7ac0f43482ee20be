// What the history knows of requests, dispatches and their ends: SEMANTICS 3, 5 and 6 as far as a
// bystander can follow them.
#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "properties/history.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::EffectStatus;
using model::FailKind;
using model::OpStatus;
using model::Word;

namespace {
bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool may_decide(const model::Actor& actor, const model::EffectSpec& effect) {
  return holds(actor.roles, "reviewer") && holds(actor.scopes, effect.scope) &&
         actor.id != effect.requester;
}

// The op as an unheard call left it, or null where it changed nothing.
const model::OpView* left_by(const CallFact& call, const Judgement& judgement,
                             const std::string& op) {
  if (call.ended != Ended::unheard) return nullptr;
  const OpChange* change = judgement.change_of(op);
  return change == nullptr ? nullptr : change->after;
}

bool is_at(const model::OpView* left, EffectStatus status) {
  return left != nullptr && left->effect && left->effect->status == status;
}

void take_request(OpFacts& facts, const CallFact& call, const Judgement& judgement) {
  const auto& asked = std::get<model::RequestApproval>(call.action());
  const model::OpView* left = left_by(call, judgement, asked.by.op);
  const bool waits = left != nullptr && left->status == OpStatus::waiting_approval;
  if (!waits && !call.told(Word::waiting)) return;
  facts.request.emplace();
  facts.request->payload = asked.payload;
  facts.request->expires_us = saturating_add(call.given.now_us, asked.ttl_us);
}

void take_decision(OpFacts& facts, const CallFact& call, const Judgement& judgement) {
  const auto& decide = std::get<model::Decide>(call.action());
  if (!facts.request || !facts.spec.effect) return;
  const model::OpView* left = left_by(call, judgement, decide.op);
  if (left == nullptr && !call.told(Word::ok)) return;
  facts.request->approved = decide.approve;
  facts.request->over = !decide.approve;
  facts.request->by_allowed = may_decide(decide.actor, *facts.spec.effect);
  facts.request->in_time = call.given.now_us < facts.request->expires_us;
}

void take_dispatch(OpFacts& facts, const CallFact& call, const Judgement& judgement) {
  const auto& dispatch = std::get<model::Dispatch>(call.action());
  if (call.told(Word::binding_mismatch) || call.told(Word::approval_expired_before_dispatch)) {
    if (facts.request) facts.request->over = true;
    return;
  }
  const model::OpView* left = left_by(call, judgement, dispatch.by.op);
  const bool stands = call.told(Word::dispatching) || is_at(left, EffectStatus::dispatching);
  if (!stands) {
    // A second dispatch changes nothing that is observed, but it may have given another permit.
    const bool may_stand = call.ended == Ended::unheard && left == nullptr;
    if (may_stand && facts.dispatch && facts.dispatch->open) {
      facts.dispatch->permit_ends_us =
          std::max(facts.dispatch->permit_ends_us, call.standing.expires_us);
    }
    return;
  }
  std::int64_t ends_us = call.standing.expires_us;
  if (const auto* told = std::get_if<model::Dispatching>(&call.outcome.detail)) {
    ends_us = told->call_before_us;
  }
  if (facts.request) facts.request->over = true;
  if (facts.dispatch && facts.dispatch->open) {
    facts.dispatch->unsure = true;
    facts.dispatch->permit_ends_us = std::max(facts.dispatch->permit_ends_us, ends_us);
    return;
  }
  facts.dispatch = DispatchFacts{dispatch.payload, call.given.now_us, ends_us, true, false};
}

void take_failure(OpFacts& facts, const CallFact& call, const Judgement& judgement) {
  const auto& fail = std::get<model::Fail>(call.action());
  if (!facts.dispatch || !facts.dispatch->open) return;
  if (call.ended == Ended::unheard) {
    const model::OpView* left = left_by(call, judgement, fail.by.op);
    if (left == nullptr) return;
    facts.dispatch->open = !is_at(left, EffectStatus::refused);
    facts.dispatch->unsure = true;
    return;
  }
  const bool taken = call.told(Word::retry_scheduled) || call.told(Word::failed);
  if (!taken && !call.told(Word::reconciling)) return;
  if (taken && fail.kind != FailKind::unknown && !facts.dispatch->unsure) {
    facts.dispatch->open = false;
  } else {
    facts.dispatch->unsure = true;
  }
}

// Complete, reconcile and close: the outcome is known from then on.
void take_answer(OpFacts& facts, const CallFact& call, const Judgement& judgement,
                 const std::string& op, Word word) {
  if (!facts.dispatch) return;
  const model::OpView* left = left_by(call, judgement, op);
  const bool known = left != nullptr && !is_at(left, EffectStatus::dispatching);
  if (known || call.told(word)) facts.dispatch->open = false;
}
}  // namespace

void History::take_outside(CallFact& call, const Judgement& judgement) {
  const model::Action& action = call.action();
  if (std::holds_alternative<model::Refresh>(action)) {
    if (call.ended == Ended::answered && call.word() != Word::ok) return;
    for (auto& [id, facts] : ops_) {
      const bool over = facts.held && facts.held->expires_us <= call.given.now_us;
      if (over && facts.dispatch && facts.dispatch->open) facts.dispatch->unsure = true;
    }
    return;
  }
  if (const auto* put = std::get_if<model::ContextPut>(&action)) {
    if (call.ended == Ended::answered && call.word() != Word::ok) return;
    contexts_[put->scope] = saturating_add(call.given.now_us, put->ttl_us);
    return;
  }
  const std::string* op = op_of(action);
  const auto at = op == nullptr ? ops_.end() : ops_.find(*op);
  if (at == ops_.end()) return;
  OpFacts& facts = at->second;
  if (std::holds_alternative<model::RequestApproval>(action)) {
    take_request(facts, call, judgement);
  } else if (std::holds_alternative<model::Decide>(action)) {
    take_decision(facts, call, judgement);
  } else if (std::holds_alternative<model::Dispatch>(action)) {
    take_dispatch(facts, call, judgement);
  } else if (std::holds_alternative<model::Fail>(action)) {
    take_failure(facts, call, judgement);
  } else if (std::holds_alternative<model::Complete>(action) ||
             std::holds_alternative<model::Close>(action)) {
    take_answer(facts, call, judgement, *op, Word::ok);
  } else if (std::holds_alternative<model::Reconcile>(action)) {
    take_answer(facts, call, judgement, *op, Word::confirmed);
  } else if (std::holds_alternative<model::Retry>(action)) {
    const bool stands = call.told(Word::ok) || left_by(call, judgement, *op) != nullptr;
    if (stands && facts.request) facts.request->over = true;
  }
}

void History::resync_outside(OpFacts& facts, const model::OpView& seen) {
  if (!seen.effect) return;
  if (facts.request || facts.spec.effect->approval) {
    facts.request.emplace();
    facts.request->unclear = true;
  }
  const bool open = seen.effect->status == EffectStatus::dispatching;
  if (!open) {
    facts.dispatch.reset();
    return;
  }
  if (!facts.dispatch) facts.dispatch.emplace();
  facts.dispatch->open = true;
  facts.dispatch->unclear = true;
}

}  // namespace leaseproof::properties
