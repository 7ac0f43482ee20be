#include "engine/store/effects.hpp"

#include <algorithm>
#include <limits>

#include "engine/store/approvals.hpp"
#include "engine/store/ownership.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine::store {
namespace {

using model::EffectStatus;
using model::Outcome;
using model::Word;

std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

// When a permit that is given now ends: with the lease, and before the service forgets the key.
std::int64_t call_before(const Write& write, const Effect& effect) {
  if (effect.retention_us == 0) return effect.lease_expires_us;
  const std::int64_t first_us =
      effect.status == EffectStatus::dispatching ? effect.dispatched_us : write.now_us();
  const std::int64_t forgotten_us = capped_sum(first_us, effect.retention_us);
  return std::min(effect.lease_expires_us, capped_sum(forgotten_us, -write.clock_slack_us()));
}

// A second request is one that the service takes for the first, and says the same.
std::optional<Word> refused_resend(const Write& write, const Effect& effect,
                                   std::string_view payload_hash) {
  if (!effect.resendable_at(effect.lease_expires_us, write.clock_slack_us())) {
    return Word::resend_closed;
  }
  if (effect.payload_hash != payload_hash) return Word::payload_conflict;
  return std::nullopt;
}

struct Unknown {
  OpRow op;
  model::OpStatus status = model::OpStatus::pending;
  std::optional<model::Contract> contract;
  std::int64_t call_before_us = 0;
  bool cancel_requested = false;
};

std::optional<Unknown> unknown_op(Write& write, std::string_view op) {
  auto rows = write.query(Sql::op_to_reconcile, op);
  if (!rows.next()) return std::nullopt;
  Unknown found;
  found.op = {rows.integer(0), rows.integer(1), rows.integer(2)};
  found.status = model::from_word<model::OpStatus>(rows.text(3)).value_or(found.status);
  found.contract = model::from_word<model::Contract>(rows.text(4));
  found.call_before_us = rows.integer(5);
  found.cancel_requested = rows.integer(6) == 1;
  return found;
}

void confirm(Write& write, const OpRow& op, const std::optional<std::string>& receipt) {
  const std::string result = confirmed_result(receipt);
  const std::optional<std::string> no_worker;
  write.execute(Sql::confirm_op, op.row);
  write.execute(Sql::insert_result, op.row, result, write.now_us(), no_worker);
  write.journal().op(op.row, op.workflow, op.generation, "op_confirmed", "reconciling",
                     "effect_confirmed");
}

}  // namespace

bool Effect::resendable_at(std::int64_t t_us, std::int64_t clock_slack_us) const {
  if (contract != model::Contract::idempotent || approval) return false;
  if (retention_us == 0) return true;
  return capped_sum(t_us, clock_slack_us) < capped_sum(dispatched_us, retention_us);
}

std::string Effect::envelope(std::string_view payload, std::int64_t request_no) const {
  return envelope_text({workflow, op, kind, target, scope, requester, input, payload,
                        context_revision, context_expires_us, request_no});
}

Effect effect_of(Write& write, std::int64_t op_row) {
  Effect effect;
  auto rows = write.query(Sql::effect_of, op_row);
  if (!rows.next()) return effect;
  effect.contract = model::from_word<model::Contract>(rows.text(0)).value_or(effect.contract);
  effect.approval = rows.integer(1) == 1;
  effect.retention_us = rows.integer(2);
  effect.target = rows.string(3);
  effect.scope = rows.string(4);
  effect.requester = rows.string(5);
  effect.status = model::from_word<EffectStatus>(rows.text(6)).value_or(effect.status);
  effect.unsure = rows.integer(7) == 1;
  effect.payload_hash = rows.string(8);
  effect.dispatched_us = rows.integer(9);
  effect.call_before_us = rows.integer(10);
  effect.lease_expires_us = rows.integer(11);
  effect.op = rows.string(12);
  effect.kind = rows.string(13);
  effect.input = rows.string(14);
  effect.workflow = rows.string(15);
  effect.context_revision = rows.maybe_integer(16);
  effect.context_expires_us = rows.maybe_integer(17);
  return effect;
}

Outcome dispatch(Write& write, std::string_view op, std::string_view token_hash,
                 std::string_view payload, Effect& effect) {
  const auto owned = own(write, op, token_hash);
  if (!owned) return Word::not_found;
  if (!owned->owned) return Word::lease_lost;
  if (const auto failed = failed_guard(write, *owned, token_hash)) return *failed;
  if (!owned->has_effect) return Outcome::invalid("the op has no effect; complete it instead");

  effect = effect_of(write, owned->row);
  if (effect.approval) {
    if (const auto refused = refused_approval(write, *owned, effect, token_hash, payload)) {
      return *refused;
    }
  }
  const std::int64_t call_before_us = call_before(write, effect);
  const std::string payload_hash = sha256_hex(payload);
  const std::string key = operation_key(op);
  if (effect.status == EffectStatus::dispatching) {
    if (const auto refused = refused_resend(write, effect, payload_hash)) {
      end_owned(write, *owned, token_hash, model::word(*refused));
      return *refused;
    }
    write.execute(Sql::dispatch_again, owned->row, call_before_us);
  } else {
    write.execute(Sql::begin_dispatch, owned->row, key, payload_hash, write.now_us(),
                  call_before_us);
    if (effect.approval) write.execute(Sql::end_request, owned->row, "spent", "approved");
  }
  write.journal().op(owned->row, owned->workflow, owned->generation, "op_dispatched", "running",
                     "running");
  return {Word::dispatching, model::Dispatching{key, call_before_us}};
}

Outcome reconcile(Write& write, std::string_view op, const std::optional<std::string>& found) {
  const auto unknown = unknown_op(write, op);
  if (!unknown) return Word::not_found;
  if (unknown->status != model::OpStatus::reconciling) return Word::not_reconciling;
  if (write.execute(Sql::confirm_found, unknown->op.row, found) == 0) return Word::unknown;
  confirm(write, unknown->op, found);
  return Word::confirmed;
}

Outcome close(Write& write, const model::Close& action) {
  const auto unknown = unknown_op(write, action.op);
  if (!unknown) return Word::not_found;
  if (unknown->status != model::OpStatus::reconciling) return Word::not_reconciling;
  const auto& roles = action.actor.roles;
  if (std::find(roles.begin(), roles.end(), "operator") == roles.end()) return Word::forbidden;
  if (action.evidence.empty()) return Word::evidence_required;
  if (action.happened) {
    const std::optional<std::string> no_receipt;
    write.execute(Sql::confirm_effect, unknown->op.row, no_receipt);
    confirm(write, unknown->op, no_receipt);
    return Word::ok;
  }
  // Until then somebody may still hold the right to send.
  if (write.now_us() < capped_sum(unknown->call_before_us, write.clock_slack_us())) {
    return Word::permit_open;
  }
  const auto& op = unknown->op;
  write.execute(Sql::refuse_effect, op.row);
  write.execute(Sql::close_without_effect, op.row,
                static_cast<std::int64_t>(unknown->cancel_requested));
  write.journal().op(op.row, op.workflow, op.generation,
                     unknown->cancel_requested ? "op_canceled" : "op_failed", "reconciling",
                     unknown->cancel_requested ? "canceled" : "failed");
  return Word::ok;
}

}  // namespace leaseproof::engine::store
