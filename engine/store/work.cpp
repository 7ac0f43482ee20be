#include "engine/store/work.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "engine/store/creation.hpp"
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
  if (ended_by_deadline(write, *owned, token_hash)) return Word::deadline_exceeded;
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
    if (rows.integer(7) == 1) return Word::already_completed;
    owned = owned_of(rows);
  }
  if (!owned.owned) return Word::lease_lost;
  if (ended_by_deadline(write, owned, token_hash)) return Word::deadline_exceeded;
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
  write.journal().op(owned.row, owned.workflow, owned.generation, "op_succeeded", "running",
                     "succeeded");
  if (!finish.emit.empty()) create_ops(write, finish.emit, owned.workflow);
  if (finish.also && !write.faulted()) {
    auto refused = write_users_rows(write, finish.also);
    if (!refused.empty()) return Outcome::invalid(std::move(refused));
  }
  return Word::ok;
}

Outcome fail(Write& write, std::string_view op, std::string_view token_hash, model::FailKind kind,
             std::string_view error) {
  Owned owned;
  model::RetryPolicy policy;
  {
    auto rows = write.query(Sql::own_to_fail, op, token_hash, write.now_us());
    if (!rows.next()) return Word::not_found;
    owned = owned_of(rows);
    if (!owned.owned) return Word::lease_lost;
    policy = retry_policy(rows, 7);
  }
  write.execute(Sql::drop_lease, owned.row, token_hash);
  std::optional<std::int64_t> next_us;
  if (kind != model::FailKind::permanent && owned.attempts < owned.max_attempts) {
    next_us = sum_us(write.now_us(), delay_us(policy, op, owned.attempts));
    if (next_us && owned.deadline_us && *next_us >= *owned.deadline_us) next_us.reset();
  }
  if (next_us) {
    write.execute(Sql::schedule_retry, owned.row, error, *next_us);
    write.journal().op(owned.row, owned.workflow, owned.generation, "op_retry_scheduled", "running",
                       "ready");
    return {Word::retry_scheduled, model::RetryScheduled{*next_us}};
  }
  write.execute(Sql::fail_running, owned.row, error);
  write.journal().op(owned.row, owned.workflow, owned.generation, "op_failed", "running", "failed");
  return Word::failed;
}

}  // namespace leaseproof::engine::store
