// dispatch, reconcile, close: what is known about a write to the outside world (SEMANTICS 3 and 6).
#include <algorithm>
#include <limits>
#include <string_view>

#include "model/binding.hpp"
#include "model/change.hpp"
#include "model/judge.hpp"
#include "model/wide.hpp"

namespace leaseproof::model {
namespace {

// The approval that covers this dispatch is there, is bound to it and is in time; else the word
// that refuses it, after what the refusal changes.
std::optional<Word> failed_approval(State& state, OpRef op, std::string_view payload,
                                    std::int64_t now_us) {
  const auto& approval = op->view.approval;
  if (!approval || approval->status != ApprovalStatus::approved) return Word::approval_required;
  if (binding_of(*op, payload, approval->request_no) != approval->hash) {
    move_approval(op, ApprovalRule::mismatch, ApprovalStatus::void_);
    fail_for(state, op, OpRule::dispatch, word(Word::binding_mismatch));
    return Word::binding_mismatch;
  }
  if (op->approval_expires_us <= now_us) {
    move_approval(op, ApprovalRule::late, ApprovalStatus::expired);
    fail_for(state, op, OpRule::dispatch, word(Word::approval_expired_before_dispatch));
    return Word::approval_expired_before_dispatch;
  }
  return std::nullopt;
}

// The first request may have arrived: a second one must be one that the service takes for the
// first.
std::optional<Word> failed_resend(State& state, OpRef op, std::string_view payload) {
  std::optional<Word> refusal;
  if (!is_resendable(state, *op, op->view.lease->expires_us)) {
    refusal = Word::resend_closed;
  } else if (payload != op->dispatched_payload) {
    refusal = Word::payload_conflict;
  }
  if (refusal) fail_for(state, op, OpRule::dispatch, word(*refusal));
  return refusal;
}

// When a permit given now ends. The retention counts from the first dispatch under the key.
std::int64_t call_before(const State& state, const Op& op, std::int64_t now_us) {
  const std::int64_t expires_us = op.view.lease->expires_us;
  const std::int64_t retention_us = op.spec->effect->retention_us;
  if (retention_us == 0) return expires_us;
  const std::int64_t first_us = is_dispatching(op) ? op.dispatched_at_us : now_us;
  const Wide forgotten = Wide{first_us} + retention_us - state.settings.clock_slack_us;
  constexpr Wide earliest = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp(forgotten, earliest, Wide{expires_us}));
}

void confirm(State& state, OpRef op, OpRule via, EffectRule effect_via,
             const std::optional<std::string>& receipt) {
  move(state, op, via, OpStatus::effect_confirmed);
  move_effect(op, effect_via, EffectStatus::confirmed);
  Op& confirmed = op.edit();
  confirmed.view.effect->receipt = receipt;
  confirmed.view.result = reconciled_result(receipt);
  record(state, confirmed);
}

}  // namespace

Outcome judge(State& state, const Dispatch& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (!owns(*op, given)) return Word::lease_lost;
  if (const auto refusal = failed_guard(state, op, given)) return *refusal;
  if (!op->spec->effect) return Outcome::invalid("op \"" + op->spec->id + "\" has no effect");
  if (op->spec->effect->approval) {
    const auto refusal = failed_approval(state, op, call.payload, given.now_us);
    if (refusal) return *refusal;
  }

  const std::int64_t permit_ends_us = call_before(state, *op, given.now_us);
  if (is_dispatching(*op)) {
    if (const auto refusal = failed_resend(state, op, call.payload)) return *refusal;
    Op& sent_again = op.edit();
    sent_again.unsure = true;
    // A lease that was shortened before it was lost leaves a permit that outlasts the new one.
    sent_again.call_before_us = std::max(sent_again.call_before_us, permit_ends_us);
  } else {
    move_effect(op, EffectRule::dispatch, EffectStatus::dispatching);
    if (op->spec->effect->approval) {
      move_approval(op, ApprovalRule::dispatch, ApprovalStatus::spent);
    }
    Op& sent = op.edit();
    sent.view.effect->key = operation_key(sent.spec->id);
    sent.unsure = false;
    sent.dispatched_payload = call.payload;
    sent.dispatched_at_us = given.now_us;
    sent.call_before_us = permit_ends_us;
  }
  record(state, *op);
  return {Word::dispatching, Dispatching{*op->view.effect->key, permit_ends_us}};
}

Outcome judge(State& state, const Reconcile& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.op);
  if (!op) return Word::not_found;
  if (op->view.status != OpStatus::reconciling) return Word::not_reconciling;
  if (!given.found || op->spec->effect->contract == Contract::opaque) return Word::unknown;
  confirm(state, op, OpRule::reconcile, EffectRule::reconcile, given.found);
  return Word::confirmed;
}

Outcome judge(State& state, const Close& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.op);
  if (!op) return Word::not_found;
  if (op->view.status != OpStatus::reconciling) return Word::not_reconciling;
  const auto& roles = call.actor.roles;
  if (std::find(roles.begin(), roles.end(), "operator") == roles.end()) return Word::forbidden;
  if (call.evidence.empty()) return Word::evidence_required;
  const Wide permit_ends = Wide{op->call_before_us} + state.settings.clock_slack_us;
  if (!call.happened && given.now_us < permit_ends) return Word::permit_open;

  if (call.happened) {
    confirm(state, op, OpRule::close, EffectRule::close, std::nullopt);
    return Word::ok;
  }
  move_effect(op, EffectRule::close, EffectStatus::refused);
  if (find_workflow(state, op->view.workflow)->cancel_requested) {
    move(state, op, OpRule::close, OpStatus::canceled);
    record(state, *op);
  } else {
    fail_for(state, op, OpRule::close, "closed_no_effect");
  }
  return Word::ok;
}

}  // namespace leaseproof::model
