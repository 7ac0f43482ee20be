// complete and fail: a worker ends its attempt (SEMANTICS 3).
#include <limits>
#include <utility>

#include "model/canonical.hpp"
#include "model/change.hpp"
#include "model/creation.hpp"
#include "model/delay.hpp"
#include "model/judge.hpp"
#include "model/sha256.hpp"

namespace leaseproof::model {
namespace {

// What a failure asks for, once what it says about the dispatched effect is taken into account.
enum class Ending { retry, fail, reconcile };

Ending ending(State& state, OpRef op, FailKind kind, std::int64_t now_us) {
  if (!is_dispatching(*op)) return kind == FailKind::permanent ? Ending::fail : Ending::retry;
  if (kind != FailKind::unknown && !op->unsure) {
    move_effect(op, EffectRule::refuse, EffectStatus::refused);
    return kind == FailKind::permanent ? Ending::fail : Ending::retry;
  }
  if (kind == FailKind::permanent) return Ending::reconcile;
  op.edit().unsure = true;
  return is_resendable(state, *op, now_us) ? Ending::retry : Ending::reconcile;
}

// When the next attempt is due, or nothing if there is none: attempts used up, deadline reached
// before it, or a time that leaves 64 bits.
std::optional<std::int64_t> next_attempt(const Op& op, std::int64_t now_us) {
  if (out_of_attempts(op)) return std::nullopt;
  const std::int64_t delay = retry_delay_us(op.spec->id, op.spec->retry, op.view.attempts);
  if (now_us > 0 && delay > std::numeric_limits<std::int64_t>::max() - now_us) return std::nullopt;
  const std::int64_t due = now_us + delay;
  if (op.deadline_us && due >= *op.deadline_us) return std::nullopt;
  return due;
}

}  // namespace

Outcome judge(State& state, const Complete& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (op->completed_generation != 0 && op->completed_generation == given.lease_generation) {
    return Word::already_completed;
  }
  if (!owns(*op, given)) return Word::lease_lost;
  if (op->view.effect) {
    if (!is_dispatching(*op) || !given.receipt) return Word::receipt_required;
  } else if (const auto refusal = failed_guard(state, op, given)) {
    return *refusal;
  }
  if (std::string fault = emission_fault(state, op->view.workflow, call.emit); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }

  move(state, op, OpRule::complete, OpStatus::succeeded);
  if (op->view.effect) move_effect(op, EffectRule::complete, EffectStatus::confirmed);
  Op& completed = op.edit();
  completed.completed_generation = given.lease_generation;
  completed.view.result = call.result;
  for (const Artifact& artifact : call.artifacts) {
    completed.view.artifacts.emplace(artifact.name, digest_of(artifact.text));
  }
  if (completed.view.effect) completed.view.effect->receipt = given.receipt;
  record(state, completed);
  const std::string workflow = completed.view.workflow;
  create_ops(state, workflow, call.emit, given.now_us);
  return Word::ok;
}

Outcome judge(State& state, const Fail& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (!owns(*op, given)) return Word::lease_lost;

  const Ending wanted = ending(state, op, call.kind, given.now_us);
  const auto due = wanted == Ending::retry ? next_attempt(*op, given.now_us) : std::nullopt;
  Outcome outcome;
  if (due) {
    move(state, op, OpRule::fail, OpStatus::ready);
    op.edit().view.next_attempt_us = due;
    outcome = {Word::retry_scheduled, RetryScheduled{*due}};
  } else {
    // A dispatched effect that reaches this line is of unknown outcome, whatever was wanted.
    const OpStatus end = end_or_reconcile(state, op, OpRule::fail, OpStatus::failed);
    outcome = end == OpStatus::failed ? Word::failed : Word::reconciling;
  }
  op.edit().view.error = call.error ? *call.error : std::string(word(call.kind));
  record(state, *op);
  return outcome;
}

}  // namespace leaseproof::model
