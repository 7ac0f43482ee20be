// The goals of effects, approvals and contexts: asked for only where an engine dispatches.
#include <algorithm>
#include <variant>

#include "properties/goal_rows.hpp"
#include "properties/history.hpp"
#include "properties/outside.hpp"

namespace leaseproof::properties {

using model::ApprovalStatus;
using model::Contract;
using model::OpStatus;
using model::ServiceMode;
using model::Word;

namespace {
const OpFacts* facts_of(const CallFact& call, const Judgement& judgement) {
  const std::string* op = op_of(call.action());
  return op == nullptr ? nullptr : judgement.history->op(*op);
}

template <Contract contract, ServiceMode mode>
bool timed_out(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Call>(call, Word::timeout)) return false;
  const OpFacts* facts = facts_of(call, judgement);
  return std::get<model::Call>(call.action()).service == mode && facts != nullptr &&
         facts->spec.effect && facts->spec.effect->contract == contract;
}

// The worker died on this side of its call to the service.
template <Contract contract, faults::Point point>
bool died_at_call(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Call>(call, Word::crashed) || call.step->fault->plan.point != point)
    return false;
  const OpFacts* facts = facts_of(call, judgement);
  return facts != nullptr && facts->spec.effect && facts->spec.effect->contract == contract;
}
template <faults::Point point>
bool overtaken_at_call(const CallFact& call, const Judgement&) {
  return call.fired > 0 && call.step->fault->plan.point == point &&
         call.step->fault->plan.kind == faults::Kind::interleave;
}

template <Word word>
bool decided(const CallFact& call, const Judgement&) {
  return told<model::Decide>(call, word);
}
template <Word word>
bool dispatch_told(const CallFact& call, const Judgement&) {
  return told<model::Dispatch>(call, word);
}
template <Word word>
bool request_told(const CallFact& call, const Judgement&) {
  return told<model::RequestApproval>(call, word);
}
template <Word word>
bool call_told(const CallFact& call, const Judgement&) {
  return told<model::Call>(call, word);
}
template <Word word>
bool close_told(const CallFact& call, const Judgement&) {
  return told<model::Close>(call, word);
}
template <bool approve>
bool decided_as(const CallFact& call, const Judgement&) {
  return told<model::Decide>(call, Word::ok) &&
         std::get<model::Decide>(call.action()).approve == approve;
}
template <bool happened>
bool closed_as(const CallFact& call, const Judgement&) {
  return told<model::Close>(call, Word::ok) &&
         std::get<model::Close>(call.action()).happened == happened;
}

// The newest request of some op went from one status to another.
template <ApprovalStatus from, ApprovalStatus to>
bool approval_went(const Judgement& judgement) {
  const auto is = [](const model::OpView* op, ApprovalStatus status) {
    return op != nullptr && op->approval && op->approval->status == status;
  };
  return std::any_of(judgement.ops->begin(), judgement.ops->end(), [&](const OpChange& change) {
    return is(change.before, from) && is(change.after, to) &&
           change.before->approval->request_no == change.after->approval->request_no;
  });
}

bool superseded(const CallFact& call, const Judgement&) {
  const auto& request = call.standing.request;
  return told<model::RequestApproval>(call, Word::waiting) && request && request->approved &&
         !request->over;
}

bool expired_exactly(const CallFact& call, const Judgement&) {
  const bool late = told<model::Decide>(call, Word::expired) ||
                    told<model::Dispatch>(call, Word::approval_expired_before_dispatch);
  return late && call.standing.request && call.standing.request->expires_us == call.given.now_us;
}

template <bool at_the_microsecond>
bool context_expired(const CallFact& call, const Judgement&) {
  const auto& expires_us = call.standing.context_expires_us;
  if (!call.to_engine || !call.told(Word::context_invalid) || !expires_us) return false;
  return at_the_microsecond ? *expires_us == call.given.now_us : *expires_us <= call.given.now_us;
}

bool context_revoked(const CallFact& call, const Judgement&) {
  const auto& expires_us = call.standing.context_expires_us;
  return call.to_engine && call.told(Word::context_invalid) && expires_us &&
         *expires_us > call.given.now_us;
}

bool permit_expired_exactly(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Call>(call, Word::permit_expired)) return false;
  const auto& by = std::get<model::Call>(call.action()).by;
  const Permit* permit = judgement.outside->permit(by.worker, by.op, call.given.lease_generation);
  return permit != nullptr && permit->call_before_us == call.given.now_us;
}

bool delivered_to_unknown(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Deliver>(call, Word::ok)) return false;
  const auto op = judgement.after->ops.find(std::get<model::Deliver>(call.action()).op);
  return op != judgement.after->ops.end() && op->second.status == OpStatus::reconciling;
}

bool key_forgotten(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Reconcile>(call, Word::unknown) || call.given.found) return false;
  const OpFacts* facts = facts_of(call, judgement);
  return facts != nullptr && facts->spec.effect && facts->spec.effect->retention_us > 0 &&
         judgement.outside->writes(std::get<model::Reconcile>(call.action()).op) > 0;
}

bool outlived_its_approval(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Refresh>(call, Word::ok)) return false;
  const auto& ops = judgement.after->ops;
  return std::any_of(ops.begin(), ops.end(), [&](const auto& at) {
    const auto& [id, op] = at;
    if (op.status != OpStatus::reconciling || !op.approval) return false;
    const OpFacts* facts = judgement.history->op(id);
    return facts != nullptr && facts->request && facts->request->expires_us <= call.given.now_us;
  });
}

bool dispatch_lost_to_a_cancel(const CallFact& call, const Judgement&) {
  if (call.fired == 0 || !told<model::Dispatch>(call, Word::lease_lost)) return false;
  const std::vector<Step>& meanwhile = call.step->fault->steps;
  return std::any_of(meanwhile.begin(), meanwhile.end(), [](const Step& step) {
    return std::holds_alternative<model::Cancel>(step.action);
  });
}

// A past write outlives the deadline.
bool completed_late(const CallFact& call, const Judgement&) {
  return told<model::Complete>(call, Word::ok) && call.given.receipt && call.standing.deadline_us &&
         *call.standing.deadline_us <= call.given.now_us;
}

using C = const CallFact&;
using J = const Judgement&;
}  // namespace

std::array<Goal, outside_goal_count> outside_goals() {
  std::array<Goal, outside_goal_count> rows{{
      {"approved", "A reviewer approves.", decided_as<true>},
      {"rejected", "A reviewer rejects.", decided_as<false>},
      {"decision_forbidden", "One who may not decide is refused.", decided<Word::forbidden>},
      {"decision_wrong_hash", "A decision about another request is refused.",
       decided<Word::wrong_hash>},
      {"decision_repeated", "A second decision is told already_decided.",
       decided<Word::already_decided>},
      {"decision_too_late", "A decision comes after the request has expired.",
       decided<Word::expired>},
      {"approval_expired_exactly", "An approval is found expired in its very microsecond.",
       expired_exactly},
      {"request_expired_in_refresh", "Refresh ends a request that nobody decided.",
       [](C c, J j) {
         return told<model::Refresh>(c, Word::ok) &&
                approval_went<ApprovalStatus::pending, ApprovalStatus::expired>(j);
       }},
      {"approval_spent", "A dispatch spends its approval.",
       [](C c, J j) {
         return told<model::Dispatch>(c, Word::dispatching) &&
                approval_went<ApprovalStatus::approved, ApprovalStatus::spent>(j);
       }},
      {"approval_voided_by_retry", "An operator's retry voids an approval.",
       [](C c, J j) {
         return told<model::Retry>(c, Word::ok) &&
                approval_went<ApprovalStatus::approved, ApprovalStatus::void_>(j);
       }},
      {"approval_canceled", "A cancellation ends a living request or approval.",
       [](C c, J j) {
         return told<model::Cancel>(c, Word::ok) &&
                (approval_went<ApprovalStatus::pending, ApprovalStatus::canceled>(j) ||
                 approval_went<ApprovalStatus::approved, ApprovalStatus::canceled>(j));
       }},
      {"approval_superseded", "A new request takes the place of an expired approval.", superseded},
      {"approval_expired_before_dispatch", "An approval expires before its dispatch.",
       dispatch_told<Word::approval_expired_before_dispatch>},
      {"approval_required", "A dispatch without an approval is refused.",
       dispatch_told<Word::approval_required>},
      {"binding_mismatch", "A dispatch of another payload than the approved one is refused.",
       dispatch_told<Word::binding_mismatch>},
      {"approval_exists", "A second request beside a living one is refused.",
       request_told<Word::approval_exists>},
      {"approval_not_needed", "A request for an op that needs none is refused.",
       request_told<Word::not_needed>},
      {"request_after_dispatch", "A request for a dispatched effect is refused.",
       request_told<Word::effect_dispatched>},
      {"request_without_budget", "A request that leaves no attempt ends its op.",
       request_told<Word::deadline_or_attempt_budget>},
      {"idempotent_timeout_before", "An idempotent call times out before its write.",
       timed_out<Contract::idempotent, ServiceMode::timeout_before>},
      {"idempotent_timeout_after", "An idempotent call times out after its write.",
       timed_out<Contract::idempotent, ServiceMode::timeout_after>},
      {"queryable_timeout_before", "A queryable call times out before its write.",
       timed_out<Contract::queryable, ServiceMode::timeout_before>},
      {"queryable_timeout_after", "A queryable call times out after its write.",
       timed_out<Contract::queryable, ServiceMode::timeout_after>},
      {"opaque_timeout_before", "An opaque call times out before its write.",
       timed_out<Contract::opaque, ServiceMode::timeout_before>},
      {"opaque_timeout_after", "An opaque call times out after its write.",
       timed_out<Contract::opaque, ServiceMode::timeout_after>},
      {"idempotent_crash_before_call", "A worker dies before its idempotent call.",
       died_at_call<Contract::idempotent, faults::effect_before_call>},
      {"idempotent_crash_after_call", "A worker dies after its idempotent call was answered.",
       died_at_call<Contract::idempotent, faults::effect_after_call>},
      {"queryable_crash_before_call", "A worker dies before its queryable call.",
       died_at_call<Contract::queryable, faults::effect_before_call>},
      {"queryable_crash_after_call", "A worker dies after its queryable call was answered.",
       died_at_call<Contract::queryable, faults::effect_after_call>},
      {"opaque_crash_before_call", "A worker dies before its opaque call.",
       died_at_call<Contract::opaque, faults::effect_before_call>},
      {"opaque_crash_after_call", "A worker dies after its opaque call was answered.",
       died_at_call<Contract::opaque, faults::effect_after_call>},
      {"overtaken_before_call", "Others act between a worker's dispatch and its call.",
       overtaken_at_call<faults::effect_before_call>},
      {"overtaken_after_call", "Others act before a worker hears what the service answered.",
       overtaken_at_call<faults::effect_after_call>},
      {"call_refused", "The service refuses a call.", call_told<Word::refused>},
      {"call_deduplicated", "A second call gets the receipt of the first write.",
       [](C c, J) {
         const auto* receipt = std::get_if<model::Receipt>(&c.outcome.detail);
         return receipt != nullptr && !receipt->fresh;
       }},
      {"late_delivery", "A late request arrives.",
       [](C c, J) { return told<model::Deliver>(c, Word::ok); }},
      {"late_delivery_while_reconciling", "A late request arrives while its op is reconciling.",
       delivered_to_unknown},
      {"permit_expired", "A permit is over when its holder calls.",
       call_told<Word::permit_expired>},
      {"permit_expired_exactly", "A permit is over in its very microsecond.",
       permit_expired_exactly},
      {"permit_used", "A permit is used up when its holder calls.", call_told<Word::permit_used>},
      {"payload_conflict", "A second dispatch with another payload is refused.",
       dispatch_told<Word::payload_conflict>},
      {"resend_closed",
       "A second dispatch that the service would not take for the first is "
       "refused.",
       dispatch_told<Word::resend_closed>},
      {"second_dispatch", "A resendable effect is dispatched a second time.",
       [](C c, J) {
         return told<model::Dispatch>(c, Word::dispatching) && c.standing.dispatch &&
                c.standing.dispatch->open;
       }},
      {"dispatch_after_refusal", "A refused effect is dispatched anew.",
       [](C c, J) {
         return told<model::Dispatch>(c, Word::dispatching) && c.standing.dispatch &&
                !c.standing.dispatch->open;
       }},
      {"receipt_required", "A completion without a receipt is refused.",
       [](C c, J) { return told<model::Complete>(c, Word::receipt_required); }},
      {"completed_past_deadline", "A receipt completes an op after its deadline.", completed_late},
      {"reconcile_confirmed", "A query finds the write.",
       [](C c, J) { return told<model::Reconcile>(c, Word::confirmed); }},
      {"reconcile_unknown", "A query finds nothing, which proves nothing.",
       [](C c, J) { return told<model::Reconcile>(c, Word::unknown); }},
      {"key_forgotten", "A query comes after the service has forgotten the key.", key_forgotten},
      {"closed_happened", "An operator's evidence says that the write took place.",
       closed_as<true>},
      {"closed_not_happened", "An operator's evidence says that there was no write.",
       closed_as<false>},
      {"close_forbidden", "One who is no operator is refused.", close_told<Word::forbidden>},
      {"evidence_required", "A close without evidence is refused.",
       close_told<Word::evidence_required>},
      {"permit_open", "A close is refused because somebody may still send.",
       close_told<Word::permit_open>},
      {"canceled_dispatched", "A dispatched op is canceled and becomes reconciling.",
       [](C c, J) {
         const auto* counts = std::get_if<model::CancelCounts>(&c.outcome.detail);
         return counts != nullptr && counts->reconciling > 0;
       }},
      {"spent_approval_outlived", "An unknown write is still unknown after its approval's time.",
       outlived_its_approval},
      {"dispatch_lost_to_a_cancel", "A cancellation commits before a dispatch gets its lock.",
       dispatch_lost_to_a_cancel},
      {"context_expired", "A worker call ends an op whose context has expired.",
       context_expired<false>},
      {"context_expired_exactly", "A context is found expired in its very microsecond.",
       context_expired<true>},
      {"context_revoked", "A worker call ends an op whose context was revoked.", context_revoked},
  }};
  for (Goal& row : rows) row.of_dispatch = true;
  return rows;
}

}  // namespace leaseproof::properties
