// Every statement of the engine, named, with the reason for its guard (ARCHITECTURE, idea 5).
//
// Promise: no SQL text of the engine stands elsewhere but in the schema; the catalogue is data, so
// that a mutant of it (a conjunct dropped, a bound shifted) needs no rebuild. Parameters are ?1,
// ?2, … in the order in which callers give them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::engine::store {

enum class Sql : std::size_t {
  count_tables,
  is_ours,
  known_version,
  record_version,
  begin_write,
  commit,
  rollback,
  begin_read,
  last_event,
  insert_event,
  stamp_workflow,
  event_at,
  workflow_by_id,
  insert_workflow,
  insert_op,
  insert_need,
  op_row,
  queue_state,
  put_queue,
  queue_running,
  spend_token,
  next_ready_queue,
  oldest_fresh,
  oldest_due_retry,
  take_op,
  insert_lease,
  fail_ready,
  own,
  own_to_complete,
  own_to_fail,
  extend_lease,
  drop_lease,
  checkpoint_payload,
  insert_checkpoint,
  finish_op,
  insert_result,
  insert_artifact,
  fail_running,
  schedule_retry,
  expired_leases,
  drop_expired_lease,
  recover_op,
  anything_marked,
  pending_to_block,
  block_op,
  blocked_to_reopen,
  reopen_op,
  pending_to_ready,
  ready_op,
  unmark,
  op_to_retry,
  retry_op,
  blocked_dependents,
  has_open_op,
  ops_to_cancel,
  drop_lease_of,
  cancel_op,
  ask_to_cancel,
  count_by_status,
  changed_workflows,
  first_seq_since,
  observe_workflows,
  observe_ops,
  observe_op,
  observe_artifacts,
  observe_artifacts_of,
  observe_checkpoints,
  observe_checkpoints_of,
  observe_queues,
  count_leases,
  count_events,
  undone_is_excused,
  events_after,
  erase_event,
  erase_artifact,
  erase_checkpoint,
  erase_result,
  erase_lease,
  erase_need,
  erase_op,
  erase_workflow,
  erase_queue,
};

struct Statement {
  Sql id;
  std::string_view name;
  std::string_view text;
  std::string_view reason;
};

inline constexpr std::array<Statement, 82> catalog{{
    {Sql::count_tables, "count_tables", "SELECT COUNT(*) FROM sqlite_master",
     "an empty file may become ours"},
    {Sql::is_ours, "is_ours",
     "SELECT (SELECT COUNT(*) FROM pragma_table_info('schema_migrations') WHERE name IN "
     "('version', 'name', 'applied_at')) = 3 AND ((SELECT COUNT(*) FROM sqlite_master WHERE type = "
     "'table' AND name IN ('workflows', 'ops', 'leases')) = 3 OR (SELECT COUNT(*) FROM "
     "sqlite_master WHERE type = 'table' AND name IN ('workflow', 'op', 'lease')) = 3)",
     "other programs have a schema_migrations too; theirs is left alone"},
    {Sql::known_version, "known_version",
     "SELECT COALESCE(MAX(CAST(version AS INTEGER)), 0) FROM schema_migrations",
     "newer is judged by the largest version"},
    {Sql::record_version, "record_version",
     "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?1, ?2, ?3)",
     "in the transaction that brings the version"},
    {Sql::begin_write, "begin_write", "BEGIN IMMEDIATE",
     "the write lock is held before anything is read or the clock is asked"},
    {Sql::commit, "commit", "COMMIT", "a call is one transaction"},
    {Sql::rollback, "rollback", "ROLLBACK", "a refused or failed call leaves nothing"},
    {Sql::begin_read, "begin_read", "BEGIN DEFERRED",
     "a reader sees one snapshot from its first row to its last"},
    {Sql::last_event, "last_event", "SELECT COALESCE(MAX(seq), 0) FROM event",
     "seqs go on without a gap"},
    {Sql::insert_event, "insert_event",
     "INSERT INTO event (seq, call, workflow, op, at_us, generation, kind, detail) VALUES (?1, "
     "?2, ?3, ?4, ?5, ?6, ?7, ?8)",
     "written in the transaction that it describes"},
    {Sql::stamp_workflow, "stamp_workflow",
     "UPDATE workflow SET last_seq = ?2, updated_us = ?3 WHERE row = ?1",
     "readers page by the seq of a workflow's last event, never by a time"},
    {Sql::event_at, "event_at", "SELECT detail, at_us FROM event WHERE seq = ?1",
     "after a COMMIT of unknown end, the first event of the call tells whether it stands"},
    {Sql::workflow_by_id, "workflow_by_id",
     "SELECT row, package, digest, cancel_requested FROM workflow WHERE id = ?1",
     "identity is judged inside the creating transaction, so that racing creators agree"},
    {Sql::insert_workflow, "insert_workflow",
     "INSERT INTO workflow (id, package, digest, input, cancel_requested, created_us, "
     "updated_us, last_seq) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, 0) RETURNING row",
     "one digest per workflow id"},
    {Sql::insert_op, "insert_op",
     "INSERT INTO op (id, workflow, kind, site, queue, input, max_attempts, deadline_us, "
     "retry_policy, retry_delays_us, retry_base_us, retry_multiplier, retry_cap_us, status, "
     "generation, attempts, created_us, marked) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
     "?11, ?12, ?13, 'pending', 0, 0, ?14, 1) RETURNING row",
     "every new op is pending; refresh makes it ready"},
    {Sql::insert_need, "insert_need",
     "INSERT INTO need (op, need, required) SELECT ?1, row, ?3 FROM op WHERE id = ?2",
     "a need points at an op that exists"},
    {Sql::op_row, "op_row", "SELECT row, workflow FROM op WHERE id = ?1",
     "op ids are unique in the whole database"},
    {Sql::queue_state, "queue_state",
     "SELECT max_in_flight, rate_per_s, burst, tokens, last_refill_us FROM queue WHERE site = ?1 "
     "AND name = ?2",
     "no row means no limits"},
    {Sql::put_queue, "put_queue",
     "INSERT INTO queue (site, name, max_in_flight, rate_per_s, burst, tokens, last_refill_us) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (site, name) DO UPDATE SET max_in_flight = "
     "?3, rate_per_s = ?4, burst = ?5, tokens = ?6, last_refill_us = ?7",
     "limits and bucket change together"},
    {Sql::queue_running, "queue_running",
     "SELECT COUNT(*) FROM op WHERE status = 'running' AND site = ?1 AND queue = ?2",
     "room is counted from the running ops, so that no release can be lost or counted twice"},
    {Sql::spend_token, "spend_token",
     "UPDATE queue SET tokens = ?3, last_refill_us = ?4 WHERE site = ?1 AND name = ?2",
     "a refill is stored with the token that it pays for"},
    {Sql::next_ready_queue, "next_ready_queue",
     "SELECT site, queue FROM op WHERE status = 'ready' AND (site, queue) > (?1, ?2) ORDER BY "
     "site, queue LIMIT 1",
     "walks the queues that have ready ops, one index step each"},
    {Sql::oldest_fresh, "oldest_fresh",
     "SELECT row, id, workflow, generation, attempts, max_attempts, deadline_us, created_us FROM "
     "op WHERE status = 'ready' AND next_attempt_us IS NULL AND site = ?1 AND queue = ?2 ORDER "
     "BY created_us, id LIMIT 1",
     "the oldest op that is due at once"},
    {Sql::oldest_due_retry, "oldest_due_retry",
     "SELECT row, id, workflow, generation, attempts, max_attempts, deadline_us, created_us FROM "
     "op WHERE status = 'ready' AND next_attempt_us <= ?3 AND site = ?1 AND queue = ?2 ORDER BY "
     "created_us, id LIMIT 1",
     "due means that the scheduled time has come; times are compared as integers"},
    {Sql::take_op, "take_op",
     "UPDATE op SET status = 'running', generation = generation + 1, attempts = attempts + 1, "
     "next_attempt_us = NULL WHERE row = ?1 AND status = 'ready'",
     "an attempt counts when it is leased, so that a crash costs one like any other failure"},
    {Sql::insert_lease, "insert_lease",
     "INSERT INTO lease (op, token_hash, owner, generation, acquired_us, expires_us) VALUES (?1, "
     "?2, ?3, ?4, ?5, ?6)",
     "one lease row exactly while the op is running; only the token's hash is kept"},
    {Sql::fail_ready, "fail_ready",
     "UPDATE op SET status = 'failed', error = ?2, next_attempt_us = NULL, marked = 1 WHERE row = "
     "?1 AND status = 'ready'",
     "a candidate past deadline or budget ends where it is found"},
    {Sql::own, "own",
     "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
     "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
     "l.expires_us > ?3 FROM op AS o LEFT JOIN lease AS l ON l.op = o.row WHERE o.id = ?1",
     "only the newest lease's token proves ownership, and only before its expiry"},
    {Sql::own_to_complete, "own_to_complete",
     "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
     "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
     "l.expires_us > ?3, r.token_hash = ?2 FROM op AS o LEFT JOIN lease AS l ON l.op = o.row "
     "LEFT JOIN result AS r ON r.op = o.row WHERE o.id = ?1",
     "as own; and the token that completed this op is recognized, so that a lost reply can be "
     "asked again"},
    {Sql::own_to_fail, "own_to_fail",
     "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
     "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
     "l.expires_us > ?3, o.retry_policy, o.retry_delays_us, o.retry_base_us, o.retry_multiplier, "
     "o.retry_cap_us FROM op AS o LEFT JOIN lease AS l ON l.op = o.row WHERE o.id = ?1",
     "as own; and the policy that says when the next attempt is due"},
    {Sql::extend_lease, "extend_lease",
     "UPDATE lease SET expires_us = ?3 + ?4 WHERE op = ?1 AND token_hash = ?2 AND expires_us > "
     "?3",
     "the new expiry counts from now, never from the old expiry"},
    {Sql::drop_lease, "drop_lease", "DELETE FROM lease WHERE op = ?1 AND token_hash = ?2",
     "ends exactly the lease that was proved"},
    {Sql::checkpoint_payload, "checkpoint_payload",
     "SELECT payload FROM checkpoint WHERE op = ?1 AND step = ?2",
     "the same step again may only repeat itself"},
    {Sql::insert_checkpoint, "insert_checkpoint",
     "INSERT INTO checkpoint (op, step, payload) VALUES (?1, ?2, ?3)", "(op, step) is unique"},
    {Sql::finish_op, "finish_op",
     "UPDATE op SET status = 'succeeded', error = NULL, next_attempt_us = NULL, marked = 1 WHERE "
     "row = ?1 AND status = 'running'",
     "status, result and artifacts are written together or not at all"},
    {Sql::insert_result, "insert_result",
     "INSERT INTO result (op, data, completed_at_us, token_hash) VALUES (?1, ?2, ?3, ?4)",
     "one result per op"},
    {Sql::insert_artifact, "insert_artifact",
     "INSERT INTO artifact (op, name, hash, body) VALUES (?1, ?2, ?3, ?4)", "(op, name) is unique"},
    {Sql::fail_running, "fail_running",
     "UPDATE op SET status = 'failed', error = ?2, next_attempt_us = NULL, marked = 1 WHERE row = "
     "?1 AND status = 'running'",
     "an end that dependents will see"},
    {Sql::schedule_retry, "schedule_retry",
     "UPDATE op SET status = 'ready', error = ?2, next_attempt_us = ?3 WHERE row = ?1 AND status = "
     "'running'",
     "the only way to a due time in the future"},
    {Sql::expired_leases, "expired_leases",
     "SELECT o.row, o.id, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us "
     "FROM lease AS l CROSS JOIN op AS o ON o.row = l.op WHERE l.expires_us <= ?1 AND o.status = "
     "'running' ORDER BY o.created_us, o.id",
     "at its expiry a lease is over; CROSS JOIN so that SQLite starts from the expiry index"},
    {Sql::drop_expired_lease, "drop_expired_lease",
     "DELETE FROM lease WHERE op = ?1 AND expires_us <= ?2", "judged again where it is deleted"},
    {Sql::recover_op, "recover_op",
     "UPDATE op SET status = 'ready', next_attempt_us = NULL WHERE row = ?1 AND status = 'running'",
     "a takeover may happen at once; the attempt that died stays counted"},
    {Sql::anything_marked, "anything_marked", "SELECT EXISTS (SELECT 1 FROM op WHERE marked = 1)",
     "a refresh after which nothing has changed looks at nothing"},
    {Sql::pending_to_block, "pending_to_block",
     "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'pending' AND "
     "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
     "need AS n ON n.need = m.row WHERE m.marked = 1) AND EXISTS (SELECT 1 FROM need AS n JOIN "
     "op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN ('failed', "
     "'blocked', 'canceled')) ORDER BY o.created_us, o.id",
     "a required need that is stopping blocks; only what changed since the last refresh is "
     "looked at"},
    {Sql::block_op, "block_op",
     "UPDATE op SET status = 'blocked', marked = 1 WHERE row = ?1 AND status = 'pending'",
     "blocked is derived and can be undone; canceled is somebody's word"},
    {Sql::blocked_to_reopen, "blocked_to_reopen",
     "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'blocked' AND "
     "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
     "need AS n ON n.need = m.row WHERE m.marked = 1) AND NOT EXISTS (SELECT 1 FROM need AS n "
     "JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN "
     "('failed', 'blocked', 'canceled')) ORDER BY o.created_us, o.id",
     "for databases that come from an older version; retry reopens by itself"},
    {Sql::reopen_op, "reopen_op",
     "UPDATE op SET status = 'pending', marked = 1 WHERE row = ?1 AND status = 'blocked'",
     "to pending, not to ready: the needs still have to be done"},
    {Sql::pending_to_ready, "pending_to_ready",
     "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'pending' AND "
     "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
     "need AS n ON n.need = m.row WHERE m.marked = 1) AND NOT EXISTS (SELECT 1 FROM need AS n "
     "JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status NOT IN "
     "('succeeded', 'effect_confirmed')) AND NOT EXISTS (SELECT 1 FROM need AS n JOIN op AS d ON "
     "d.row = n.need WHERE n.op = o.row AND n.required = 0 AND d.status NOT IN ('succeeded', "
     "'effect_confirmed', 'failed', 'blocked', 'canceled')) ORDER BY o.created_us, o.id",
     "required needs must be done, optional ones only settled"},
    {Sql::ready_op, "ready_op",
     "UPDATE op SET status = 'ready', next_attempt_us = NULL WHERE row = ?1 AND status = 'pending'",
     "due now"},
    {Sql::unmark, "unmark", "UPDATE op SET marked = 0 WHERE marked = 1",
     "what refresh has seen it need not see again"},
    {Sql::op_to_retry, "op_to_retry",
     "SELECT o.row, o.workflow, o.generation, o.status, o.deadline_us, w.cancel_requested FROM "
     "op AS o JOIN workflow AS w ON w.row = o.workflow WHERE o.id = ?1",
     "guards of retry"},
    {Sql::retry_op, "retry_op",
     "UPDATE op SET status = 'ready', next_attempt_us = NULL, attempts = 0, error = NULL, "
     "deadline_us = ?2, marked = 1 WHERE row = ?1 AND status = 'failed'",
     "a fresh budget; the generation goes on counting, so that old tokens stay old"},
    {Sql::blocked_dependents, "blocked_dependents",
     "SELECT o.row, o.id, o.workflow, o.generation, o.created_us FROM need AS f JOIN op AS o ON "
     "o.row = f.op WHERE f.need = ?1 AND o.status = 'blocked' AND NOT EXISTS (SELECT 1 FROM need "
     "AS n JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN "
     "('failed', 'blocked', 'canceled'))",
     "a dependent reopens once no required need is stopping"},
    {Sql::has_open_op, "has_open_op",
     "SELECT EXISTS (SELECT 1 FROM op WHERE workflow = ?1 AND status IN ('pending', 'ready', "
     "'running', 'waiting_approval', 'reconciling', 'blocked'))",
     "a finished workflow's history is not rewritten"},
    {Sql::ops_to_cancel, "ops_to_cancel",
     "SELECT row, id, generation, status FROM op WHERE workflow = ?1 AND status IN ('pending', "
     "'ready', 'running', 'waiting_approval', 'blocked') ORDER BY created_us, id",
     "everything that has not ended, blocked ops too"},
    {Sql::drop_lease_of, "drop_lease_of", "DELETE FROM lease WHERE op = ?1",
     "the canceled op's worker owns nothing any more"},
    {Sql::cancel_op, "cancel_op",
     "UPDATE op SET status = 'canceled', generation = generation + 1, next_attempt_us = NULL, "
     "marked = 1 WHERE row = ?1 AND status IN ('pending', 'ready', 'running', 'waiting_approval', "
     "'blocked')",
     "the next generation, so that no old proof fits"},
    {Sql::ask_to_cancel, "ask_to_cancel",
     "UPDATE workflow SET cancel_requested = 1 WHERE row = ?1 AND cancel_requested = 0",
     "asked once, kept for ever"},
    {Sql::count_by_status, "count_by_status",
     "SELECT status, COUNT(*) FROM op WHERE workflow = ?1 GROUP BY status",
     "counts are derived from the ops, never stored"},
    {Sql::changed_workflows, "changed_workflows",
     "SELECT id, last_seq FROM workflow WHERE last_seq > ?1 ORDER BY last_seq LIMIT ?2",
     "the cursor is a seq, so that changes of one microsecond cannot hide each other"},
    {Sql::first_seq_since, "first_seq_since",
     "SELECT MIN(last_seq) FROM workflow WHERE updated_us >= ?1",
     "a reader may start from a time, and then follows seqs"},
    {Sql::observe_workflows, "observe_workflows", "SELECT row, id, cancel_requested FROM workflow",
     "TRACE 4"},
    {Sql::observe_ops, "observe_ops",
     "SELECT o.row, o.id, o.workflow, o.status, o.generation, o.attempts, o.next_attempt_us, "
     "o.error, l.owner, l.generation, l.expires_us, r.data FROM op AS o LEFT JOIN lease AS l ON "
     "l.op = o.row LEFT JOIN result AS r ON r.op = o.row",
     "TRACE 4"},
    {Sql::observe_op, "observe_op",
     "SELECT o.row, o.id, o.workflow, o.status, o.generation, o.attempts, o.next_attempt_us, "
     "o.error, l.owner, l.generation, l.expires_us, r.data FROM op AS o LEFT JOIN lease AS l ON "
     "l.op = o.row LEFT JOIN result AS r ON r.op = o.row WHERE o.row = ?1",
     "as observe_ops, for an op that is known to have changed"},
    {Sql::observe_artifacts, "observe_artifacts", "SELECT op, name, hash FROM artifact", "TRACE 4"},
    {Sql::observe_artifacts_of, "observe_artifacts_of",
     "SELECT op, name, hash FROM artifact WHERE op = ?1", "as observe_artifacts, for one op"},
    {Sql::observe_checkpoints, "observe_checkpoints", "SELECT op, step, payload FROM checkpoint",
     "TRACE 4"},
    {Sql::observe_checkpoints_of, "observe_checkpoints_of",
     "SELECT op, step, payload FROM checkpoint WHERE op = ?1",
     "as observe_checkpoints, for one op"},
    {Sql::observe_queues, "observe_queues", "SELECT site, name, tokens FROM queue", "TRACE 4"},
    {Sql::count_leases, "count_leases", "SELECT COUNT(*) FROM lease",
     "a lease without its op would show in no row of observe_ops"},
    {Sql::count_events, "count_events", "SELECT COUNT(*), COALESCE(MAX(seq), 0) FROM event",
     "TRACE 4"},
    {Sql::undone_is_excused, "undone_is_excused",
     "SELECT NOT EXISTS (SELECT 1 FROM op AS o WHERE o.workflow = ?1 AND o.status NOT IN "
     "('succeeded', 'effect_confirmed') AND (NOT EXISTS (SELECT 1 FROM need AS n WHERE n.need = "
     "o.row) OR EXISTS (SELECT 1 FROM need AS n WHERE n.need = o.row AND n.required = 1)))",
     "a workflow succeeds if what is not done is needed, and only optionally"},
    {Sql::events_after, "events_after",
     "SELECT e.seq, e.call, e.at_us, e.generation, COALESCE(w.id, ''), COALESCE(o.id, ''), "
     "e.kind, e.detail FROM event AS e LEFT JOIN workflow AS w ON w.row = e.workflow LEFT JOIN "
     "op AS o ON o.row = e.op WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2",
     "the journal in its true order"},
    {Sql::erase_event, "erase_event", "DELETE FROM event",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_artifact, "erase_artifact", "DELETE FROM artifact",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_checkpoint, "erase_checkpoint", "DELETE FROM checkpoint",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_result, "erase_result", "DELETE FROM result",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_lease, "erase_lease", "DELETE FROM lease",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_need, "erase_need", "DELETE FROM need",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_op, "erase_op", "DELETE FROM op",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_workflow, "erase_workflow", "DELETE FROM workflow",
     "a test bed starts each case from nothing; dependents first"},
    {Sql::erase_queue, "erase_queue", "DELETE FROM queue",
     "a test bed starts each case from nothing; dependents first"},
}};

constexpr bool catalog_is_in_order() {
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    if (static_cast<std::size_t>(catalog[i].id) != i) return false;
  }
  return true;
}
static_assert(catalog_is_in_order());

// The texts by index, as a connection takes them.
std::vector<std::string> catalog_texts();

}  // namespace leaseproof::engine::store
