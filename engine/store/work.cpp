#include "engine/store/work.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "engine/store/creation.hpp"
#include "engine/store/effects.hpp"
#include "engine/store/ownership.hpp"
#include "engine/store/retry_columns.hpp"
#include "engine/values/delay.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Outcome;
using model::Word;

// Runs the user's writer. It must leave the transaction open: a COMMIT of its own would make half a
// completion durable, and so it rolls back, and the completion is refused.
std::string write_users_rows(Write& write, const std::function<std::string(sqlite3*)>& also) {
  std::string refused;
  const sqlite::HeldTransaction held(write.db());
  try {
    refused = also(write.db().handle());
  } catch (const faults::Crash&) {
    throw;
  } catch (const std::exception& thrown) {
    refused = std::string("the writer of the caller's own rows threw: ") + thrown.what();
  } catch (...) {
    refused = "the writer of the caller's own rows threw";
  }
  if (held.ended()) {
    refused = "the writer of the caller's own rows ended the transaction";
  }
  return refused;
}

}  // namespace

Outcome checkpoint(Write& write, std::string_view op, std::string_view token_hash,
                   std::string_view step, std::string_view payload) {
  const auto owned = own(write, op, token_hash);
  if (!owned) return Word::not_found;
  if (!owned->owned) return Word::lease_lost;
  if (const auto failed = failed_guard(write, *owned, token_hash)) return *failed;
  {
    auto rows = write.query(Sql::checkpoint_payload, owned->row, step);
    if (rows.next()) return rows.text(0) == payload ? Word::ok : Word::checkpoint_conflict;
  }
  write.execute(Sql::insert_checkpoint, owned->row, step, payload);
  write.journal().op(owned->row, owned->workflow, owned->generation, "op_checkpointed", "running",
                     "running");
  return Word::ok;
}

Outcome complete(Write& write, std::string_view op, std::string_view token_hash,
                 const Finish& finish) {
  Owned owned;
  {
    auto rows = write.query(Sql::own_to_complete, op, token_hash, write.now_us());
    if (!rows.next()) return Word::not_found;
    if (rows.integer(9) == 1) return Word::already_completed;
    owned = owned_of(rows);
  }
  if (!owned.owned) return Word::lease_lost;
  if (owned.has_effect) {
    // The write exists, whatever has become of the permission to make it.
    if (!owned.dispatching || !finish.receipt) return Word::receipt_required;
  } else if (const auto failed = failed_guard(write, owned, token_hash)) {
    return *failed;
  }
  if (!finish.emit.empty()) {
    if (auto why = check_emitted(write, finish.emit, owned.workflow)) {
      return Outcome::invalid(std::move(*why));
    }
  }
  write.execute(Sql::insert_result, owned.row, finish.result, finish.completed_at_us, token_hash);
  for (const auto& artifact : finish.artifacts) {
    write.execute(Sql::insert_artifact, owned.row, artifact.name, sha256_hex(artifact.text),
                  artifact.text);
  }
  write.execute(Sql::drop_lease, owned.row, token_hash);
  write.execute(Sql::finish_op, owned.row);
  if (owned.has_effect) write.execute(Sql::confirm_effect, owned.row, finish.receipt);
  write.journal().op(owned.row, owned.workflow, owned.generation, "op_succeeded", "running",
                     "succeeded");
  if (!finish.emit.empty()) create_ops(write, finish.emit, owned.workflow);
  if (finish.also && !write.faulted()) {
    auto refused = write_users_rows(write, finish.also);
    write.known_queues().forget();
    write.journal().forget();
    if (!refused.empty()) return Outcome::invalid(std::move(refused));
  }
  return Word::ok;
}

namespace {

// What a report of failure means for the op and its effect.
enum class Report : std::uint8_t { retry, end, reconcile };

// SEMANTICS 3, fail: a refusal says nothing about an earlier request that nobody heard of.
Report report_of(Write& write, const Owned& owned, model::FailKind kind) {
  const bool permanent = kind == model::FailKind::permanent;
  if (!owned.dispatching) return permanent ? Report::end : Report::retry;
  const auto effect = effect_of(write, owned.row);
  if (kind != model::FailKind::unknown && !effect.unsure) {
    write.execute(Sql::refuse_effect, owned.row);
    return permanent ? Report::end : Report::retry;
  }
  write.execute(Sql::mark_unsure, owned.row);
  if (permanent || !effect.resendable_at(write.now_us(), write.clock_slack_us())) {
    return Report::reconcile;
  }
  return Report::retry;
}

}  // namespace

Outcome fail(Write& write, std::string_view op, std::string_view token_hash, model::FailKind kind,
             std::string_view error) {
  Owned owned;
  model::RetryPolicy policy;
  {
    auto rows = write.query(Sql::own_to_fail, op, token_hash, write.now_us());
    if (!rows.next()) return Word::not_found;
    owned = owned_of(rows);
    if (!owned.owned) return Word::lease_lost;
    policy = retry_policy(rows, 9);
  }
  const Report report = report_of(write, owned, kind);
  std::optional<std::int64_t> next_us;
  if (report == Report::retry && owned.attempts < owned.max_attempts) {
    next_us = sum_us(write.now_us(), delay_us(policy, op, owned.attempts));
    if (next_us && owned.deadline_us && *next_us >= *owned.deadline_us) next_us.reset();
  }
  if (next_us) {
    write.execute(Sql::drop_lease, owned.row, token_hash);
    write.execute(Sql::schedule_retry, owned.row, error, *next_us);
    write.journal().op(owned.row, owned.workflow, owned.generation, "op_retry_scheduled", "running",
                       "ready");
    return {Word::retry_scheduled, model::RetryScheduled{*next_us}};
  }
  const auto ended = end_owned(write, owned, token_hash, error);
  return ended == model::OpStatus::reconciling ? Word::reconciling : Word::failed;
}

}  // namespace leaseproof::engine::store
