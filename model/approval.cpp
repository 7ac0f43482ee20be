// request_approval and decide (SEMANTICS 3 and 5).
#include <algorithm>
#include <string_view>
#include <vector>

#include "model/binding.hpp"
#include "model/change.hpp"
#include "model/judge.hpp"

namespace leaseproof::model {
namespace {

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool may_decide(const Actor& actor, const EffectSpec& effect) {
  return holds(actor.roles, "reviewer") && holds(actor.scopes, effect.scope) &&
         actor.id != effect.requester;
}

bool is_other_hash(const Decide& call, const ApprovalView& approval) {
  return call.stale_hash || (call.hash && *call.hash != approval.hash);
}

}  // namespace

std::string binding_of(const Op& op, std::string_view payload, std::int64_t request_no) {
  const OpSpec& spec = *op.spec;
  Envelope envelope;
  envelope.workflow = op.view.workflow;
  envelope.op = spec.id;
  envelope.action = spec.kind;
  envelope.target = spec.effect->target;
  envelope.scope = spec.effect->scope;
  envelope.requester = spec.effect->requester;
  envelope.input = spec.input;
  envelope.payload = payload;
  if (op.context) {
    envelope.context_revision = op.context->revision;
    envelope.context_expires_us = op.context->expires_us;
  }
  envelope.request_no = request_no;
  return binding_hash(envelope);
}

Outcome judge(State& state, const RequestApproval& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (!owns(*op, given)) return Word::lease_lost;
  if (!op->spec->effect || !op->spec->effect->approval) return Word::not_needed;
  if (is_live(*op, given.now_us)) return Word::approval_exists;
  if (is_dispatching(*op)) return Word::effect_dispatched;
  if (out_of_attempts(*op)) {
    fail_for(state, op, OpRule::guard, word(Word::deadline_or_attempt_budget));
    return Word::deadline_or_attempt_budget;
  }
  if (const auto refusal = failed_guard(state, op, given)) return *refusal;

  if (op->view.approval && op->view.approval->status == ApprovalStatus::approved) {
    move_approval(op, ApprovalRule::supersede, ApprovalStatus::expired);
  }
  const std::int64_t request_no = op->view.approval ? op->view.approval->request_no + 1 : 1;
  const std::string hash = binding_of(*op, call.payload, request_no);
  op.edit().view.approval = ApprovalView{request_no, ApprovalStatus::pending, hash};
  op.edit().approval_expires_us = given.now_us + call.ttl_us;
  move(state, op, OpRule::request_approval, OpStatus::waiting_approval);
  record(state, *op);
  return {Word::waiting, Waiting{hash}};
}

Outcome judge(State& state, const Decide& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.op);
  if (!op || !op->view.approval) return Word::not_found;
  const ApprovalView& approval = *op->view.approval;
  if (!may_decide(call.actor, *op->spec->effect)) return Word::forbidden;
  if (is_other_hash(call, approval)) return Word::wrong_hash;
  const bool is_open = approval.status == ApprovalStatus::pending;
  if (approval.status == ApprovalStatus::expired ||
      (is_open && op->approval_expires_us <= given.now_us)) {
    return Word::expired;
  }
  if (!is_open) return {Word::already_decided, AlreadyDecided{approval.status}};

  if (call.approve) {
    move_approval(op, ApprovalRule::approve, ApprovalStatus::approved);
    move(state, op, OpRule::approve, OpStatus::ready);
    record(state, *op);
  } else {
    move_approval(op, ApprovalRule::reject, ApprovalStatus::rejected);
    fail_for(state, op, OpRule::reject, "approval_rejected");
  }
  return Word::ok;
}

}  // namespace leaseproof::model
