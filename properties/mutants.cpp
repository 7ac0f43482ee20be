#include "properties/mutants.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "engine/values/check.hpp"
#include "properties/mutants_effects.hpp"

namespace leaseproof::properties {

using engine::store::Sql;

namespace {

constexpr std::string_view proof =
    "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND l.expires_us > "
    "?3";
constexpr std::string_view stopping =
    "AND n.required = 1 AND d.status IN ('failed', 'blocked', "
    "'canceled')";

std::vector<Mutant> table() {
  return {
      {"completion_without_ownership",
       "a worker that was replaced overwrites the result of its successor",
       "first seed, 2; complete: own",
       {{Sql::own_to_complete, proof, "o.status = 'running' AND ?3 = ?3"}}},
      {"heartbeat_from_old_expiry",
       "after a crash the op stays locked for as long as its worker had beaten in advance",
       "first seed, 2; resonatehq/resonate pull 280; heartbeat: from now",
       {{Sql::extend_lease, "?3 + ?4", "expires_us + ?4"}}},
      {"dependents_canceled_not_blocked",
       "a repaired op never lets its finalizer run",
       "first seed, 3; refresh (3)",
       {{Sql::block_op, "'blocked'", "'canceled'"}}},
      {"text_ordered_times",
       "a lease that has expired is not recovered, because its time sorts later as text",
       "first seed, 1; I15",
       {{Sql::expired_leases, "l.expires_us <= ?1",
         "CAST(l.expires_us AS TEXT) <= CAST(?1 AS TEXT)"}}},
      {"commit_at_expiry_accepted",
       "a result is accepted in the very microsecond in which another may take over",
       "tensorzero/durable pull 68; complete: own",
       {{Sql::own_to_complete, "l.expires_us > ?3", "l.expires_us >= ?3"}}},
      {"heartbeat_revives_expired_lease",
       "a worker that slept brings its lease back to life",
       "melodic-software/claude-code-plugins pull 224; heartbeat: own",
       {{Sql::own, "l.expires_us > ?3", "?3 = ?3"},
        {Sql::extend_lease, " AND expires_us > ?3", ""}}},
      {"checkpoint_by_any_token",
       "the abandoned attempt of a worker writes into the new attempt's steps",
       "aegra/aegra pull 547; checkpoint: own",
       {{Sql::own, "l.token_hash = ?2", "?2 = ?2"}}},
      {"failure_by_any_token",
       "a stale failure ends the attempt that took over",
       "oban-bg/oban issue 532; fail: own",
       {{Sql::own_to_fail, "l.token_hash = ?2", "?2 = ?2"},
        {Sql::drop_lease, "token_hash = ?2", "?2 = ?2"}}},
      {"failure_after_expiry",
       "a report that comes too late still ends the op",
       "fail: own",
       {{Sql::own_to_fail, "l.expires_us > ?3", "?3 = ?3"}}},
      {"takeover_keeps_generation",
       "nothing tells the new lease's events from the old one's",
       "lease: generation + 1",
       {{Sql::take_op, "generation = generation + 1, ", ""}}},
      {"crash_costs_no_attempt",
       "an op that kills its worker goes round for ever",
       "vectorize-io/hindsight issue 2675; lease: attempts + 1",
       {{Sql::take_op, "attempts = attempts + 1, ", ""}}},
      {"last_attempt_is_not_recovered",
       "a worker that dies on the last attempt leaves op and queue locked",
       "graphile/worker issue 254; refresh (1)",
       {{Sql::expired_leases, "AND o.status = 'running'",
         "AND o.status = 'running' AND o.attempts < o.max_attempts"}}},
      {"optional_need_blocks",
       "a workflow fails because of a step that it could do without",
       "refresh (3): required",
       {{Sql::pending_to_block, stopping, "AND d.status IN ('failed', 'blocked', 'canceled')"}}},
      {"running_need_counts_as_done",
       "a finalizer runs on input that is not there yet",
       "refresh (5): required needs done; I5",
       {{Sql::pending_to_ready, "n.required = 1 AND d.status NOT IN ('succeeded', ",
         "n.required = 1 AND d.status NOT IN ('running', 'succeeded', "}}},
      {"optional_need_not_waited_for",
       "a finalizer runs before its optional input had its chance",
       "refresh (5): optional needs settled",
       {{Sql::pending_to_ready,
         "n.required = 0 AND d.status NOT IN ('succeeded', 'effect_confirmed', 'failed', "
         "'blocked', 'canceled')",
         "n.required = 2"}}},
      {"done_op_is_not_noticed",
       "dependents of a completed op wait for ever",
       "refresh (5); I3",
       {{Sql::finish_op, "marked = EXISTS (SELECT 1 FROM need WHERE need = ?1)", "marked = 0"}}},
      {"blocking_stops_at_one_level",
       "ops two levels below a failure wait for ever",
       "taskforcesh/bullmq issue 2464; refresh (3)",
       {{Sql::block_op, "marked = 1", "marked = 0"}}},
      {"retry_reopens_nothing",
       "the operator repairs an op and everything below it stays blocked until somebody notices",
       "apache/airflow issue 15697; retry: descendants",
       {{Sql::blocked_dependents, "f.need = ?1", "f.need = ?1 AND 0"}}},
      {"retry_keeps_attempts",
       "an operator's retry fails at once, because the budget is still used up",
       "hibiken/asynq issue 1015; retry: attempts = 0",
       {{Sql::retry_op, "attempts = 0, ", ""}}},
      {"retry_in_canceled_workflow",
       "canceled work comes back to life",
       "retry: workflow_canceled",
       {{Sql::op_to_retry, "w.cancel_requested", "0"}}},
      {"cancel_leaves_blocked",
       "a canceled workflow never ends",
       "first seed, 3; cancel",
       {{Sql::ops_to_cancel, ", 'blocked')", ")"}}},
      {"cancel_leaves_running_lease",
       "the worker of a canceled op can still commit",
       "dbos-inc/dbos-transact-py pull 703; cancel: lease deleted",
       {{Sql::drop_lease_of, "op = ?1", "op = ?1 AND 0"}}},
      {"cancel_rewrites_history",
       "a finished workflow is turned into a canceled one",
       "cancel: already_settled",
       {{Sql::has_open_op,
         "SELECT EXISTS (SELECT 1 FROM op WHERE workflow = ?1 AND status IN "
         "('pending', 'ready', 'running', 'waiting_approval', 'reconciling', "
         "'blocked'))",
         "SELECT 1 WHERE ?1 = ?1"}}},
      {"queue_cap_off_by_one",
       "a queue for one at a time lets two in",
       "rails/solid_queue pull 761; queue room; I7",
       {{Sql::queue_running, "COUNT(*)", "COUNT(*) - 1"}}},
      {"queue_cap_counts_all_sites",
       "one site's work takes the room of another's queue of the same name",
       "queue room: (site, queue)",
       {{Sql::queue_running, "site = ?1 AND queue = ?2", "?1 = ?1 AND queue = ?2"}}},
      {"token_is_not_spent",
       "a paid service is called past its rate",
       "queue room: one token",
       {{Sql::spend_token, "tokens = ?3, ", ""}}},
      {"backoff_is_ignored",
       "a failing service is called again at once, without the delay",
       "lease: due",
       {{Sql::oldest_fresh, " AND next_attempt_us IS NULL", ""}}},
      {"due_one_microsecond_late",
       "an op that is due now is passed over",
       "lease: due means <= now",
       {{Sql::oldest_due_retry, "next_attempt_us <= ?3", "next_attempt_us < ?3"}}},
      {"newest_first",
       "old work starves behind new work",
       "lease: oldest",
       {{Sql::oldest_fresh, "ORDER BY created_us, id", "ORDER BY created_us DESC, id DESC"}}},
      {"lost_reply_is_lease_lost",
       "a worker that asks again after a lost reply believes its work was thrown away",
       "complete: already_completed",
       {{Sql::own_to_complete, "r.token_hash = ?2", "0"}}},
      {"checkpoint_is_overwritten",
       "a resumed run reads another step's result than the one it acted on",
       "checkpoint: checkpoint_conflict",
       {{Sql::checkpoint_payload, "step = ?2", "step = ?2 AND 0"},
        {Sql::insert_checkpoint, "INSERT INTO", "INSERT OR REPLACE INTO"}}},
      {"failure_keeps_the_lease",
       "a failed op still looks owned",
       "fail: lease deleted; I4",
       {{Sql::drop_lease, "op = ?1", "op = ?1 AND 0"}}},
      {"same_microsecond_is_not_told",
       "a dashboard misses the second of two changes in one microsecond",
       "first seed, 6; I14",
       {{Sql::stamp_workflow, "row = ?1", "row = ?1 AND updated_us < ?3"}}},
      {"recovery_forgets_the_error",
       "the reason of the last failure is gone after a crash",
       "refresh (1): recovery leaves error",
       {{Sql::recover_op, "next_attempt_us = NULL", "next_attempt_us = NULL, error = NULL"}}},
      {"event_without_its_time",
       "the journal cannot be replayed",
       "I11",
       {{Sql::insert_event, "?5, ?6", "0, ?6"}}},
      {"lease_ignores_the_deadline",
       "work is begun that nobody can use any more",
       "lease: deadline past",
       {{Sql::oldest_fresh, "max_attempts, deadline_us", "max_attempts, NULL"},
        {Sql::oldest_due_retry, "max_attempts, deadline_us", "max_attempts, NULL"}}},
      {"recovery_ignores_the_deadline",
       "an op goes on being tried after its deadline, as long as its workers crash",
       "refresh (1): deadline past",
       {{Sql::expired_leases, "o.max_attempts, o.deadline_us", "o.max_attempts, NULL"}}},
      {"recovery_ignores_the_budget",
       "an op that kills every worker is called ready once more than it may be tried",
       "refresh (1): attempts used up",
       {{Sql::expired_leases, "o.attempts, o.max_attempts", "0, o.max_attempts"}}},
      {"checkpoint_after_the_deadline",
       "a run that is too late goes on as if it were not",
       "checkpoint: deadline",
       {{Sql::own, "o.deadline_us", "NULL"}}},
      {"completion_after_the_deadline",
       "a result that came too late is taken for one in time",
       "complete: deadline",
       {{Sql::own_to_complete, "o.deadline_us", "NULL"}}},
      {"retry_scheduled_past_the_deadline",
       "an op that can never run again is kept waiting, and its dependents with it",
       "fail: now + delay < deadline",
       {{Sql::own_to_fail, "o.deadline_us", "NULL"}}},
      {"failure_ignores_the_budget",
       "a paid call that always fails is made for ever",
       "fail: attempts left",
       {{Sql::own_to_fail, "o.attempts, o.max_attempts", "o.attempts, o.attempts + 1"}}},
      {"retry_of_what_did_not_fail",
       "an operator is told that a running op was put back, and it was not",
       "retry: not_failed",
       {{Sql::op_to_retry, "o.status", "'failed'"}}},
      {"retry_ignores_the_deadline",
       "an operator's retry is accepted and fails at once",
       "retry: deadline_passed",
       {{Sql::op_to_retry, "o.deadline_us", "NULL"}}},
      {"retry_keeps_the_error",
       "a ready op still shows the failure that was repaired",
       "retry: error cleared",
       {{Sql::retry_op, "error = NULL, ", ""}}},
      {"cancel_keeps_the_generation",
       "the events of a canceled run cannot be told from those of the run before",
       "cancel: generation + 1",
       {{Sql::cancel_op, "generation = generation + 1, ", ""}}},
      {"another_identity_attaches",
       "a run over other sources is taken for the one that was asked for",
       "ensure: identity_conflict, digest",
       {{Sql::same_identity, "digest IS ?3", "?3 = ?3"}}},
      {"another_package_attaches",
       "two programs with equal inputs share one run",
       "ensure: identity_conflict, package",
       {{Sql::same_identity, "package = ?2", "?2 = ?2"}}},
      {"required_need_is_stored_as_optional",
       "a finalizer runs although its input failed",
       "start: required and optional needs",
       {{Sql::insert_need, "SELECT ?1, row, ?3", "SELECT ?1, row, 0 * ?3"}}},
      {"refill_is_counted_twice",
       "a paid service is called at more than its rate",
       "queue room: last_refill",
       {{Sql::spend_token, "last_refill_us = ?4", "last_refill_us = last_refill_us + 0 * ?4"}}},
      {"settings_fill_the_bucket",
       "whoever repeats a queue's settings gets a burst for nothing",
       "queue: min(tokens, new burst)",
       {{Sql::put_queue, "tokens = ?6", "tokens = ?5 * 1000000 + 0 * ?6"}}},
      {"artifacts_are_not_kept",
       "an op is done and what it made is gone",
       "complete: artifacts",
       {{Sql::insert_artifact, "VALUES (?1, ?2, ?3, ?4)", "SELECT ?1, ?2, ?3, ?4 WHERE 0"}}},
      {"run_without_identity",
       "a run can no longer be attached to after a restart",
       "agentjido/jizoku pull 381; ensure: attached",
       {{Sql::insert_workflow, "VALUES (?1, ?2, ?3, ", "VALUES (?1, ?2, substr(?3, 1, 0), "}}},
  };
}

const std::vector<Mutant>& rows() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> joined = table();
    std::vector<Mutant> more = effect_mutants();
    for (Mutant& mutant : more) joined.push_back(std::move(mutant));
    return joined;
  }();
  return all;
}

}  // namespace

std::span<const Mutant> mutants() { return rows(); }

const Mutant& canary() { return rows().front(); }

const Mutant* find_mutant(std::string_view name) {
  const auto& all = rows();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Mutant& row) { return row.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::shared_ptr<const engine::sqlite::StatementTexts> mutated(const Mutant& mutant) {
  auto texts = std::make_shared<engine::sqlite::StatementTexts>(engine::store::catalog_texts());
  for (const Edit& edit : mutant.edits) {
    std::string& text = (*texts)[static_cast<std::size_t>(edit.statement)];
    const auto at = text.find(edit.find);
    LP_CHECK(at != std::string::npos && text.find(edit.find, at + 1) == std::string::npos,
             "a mutant's edit finds its text exactly once");
    text.replace(at, edit.find.size(), edit.replace);
  }
  return texts;
}

}  // namespace leaseproof::properties
