// Statements of a lease's owner, and of recovery when it is gone.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array work_statements{
    Statement{Sql::own, "own",
              "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
              "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
              "l.expires_us > ?3, e.status, COALESCE(c.revoked = 1 OR c.expires_us <= ?3, 0) FROM "
              "op AS o LEFT JOIN lease AS l ON l.op = o.row LEFT JOIN effect AS e ON e.op = o.row "
              "LEFT JOIN pin AS p ON p.op = o.row LEFT JOIN context AS c ON c.scope = p.scope AND "
              "c.revision = p.revision WHERE o.id = ?1",
              "only the newest lease's token proves ownership, and only before its expiry"},
    Statement{
        Sql::own_to_complete, "own_to_complete",
        "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
        "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
        "l.expires_us > ?3, e.status, COALESCE(c.revoked = 1 OR c.expires_us <= ?3, 0), "
        "r.token_hash = ?2 FROM op AS o LEFT JOIN lease AS l ON l.op = o.row "
        "LEFT JOIN result AS r ON r.op = o.row LEFT JOIN effect AS e ON e.op = o.row LEFT JOIN pin "
        "AS p ON p.op = o.row LEFT JOIN context AS c ON c.scope = p.scope AND c.revision = "
        "p.revision WHERE o.id = ?1",
        "as own; and the token that completed this op is recognized, so that a lost reply can be "
        "asked again"},
    Statement{Sql::own_to_fail, "own_to_fail",
              "SELECT o.row, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
              "l.token_hash = ?2 AND l.generation = o.generation AND o.status = 'running' AND "
              "l.expires_us > ?3, e.status, COALESCE(c.revoked = 1 OR c.expires_us <= ?3, 0), "
              "o.retry_policy, o.retry_delays_us, o.retry_base_us, "
              "o.retry_multiplier, "
              "o.retry_cap_us FROM op AS o LEFT JOIN lease AS l ON l.op = o.row LEFT JOIN effect "
              "AS e ON e.op = o.row LEFT JOIN pin AS p ON p.op = o.row LEFT JOIN context AS c ON "
              "c.scope = p.scope AND c.revision = p.revision WHERE o.id = ?1",
              "as own; and the policy that says when the next attempt is due"},
    Statement{
        Sql::extend_lease, "extend_lease",
        "UPDATE lease SET expires_us = ?3 + ?4 WHERE op = ?1 AND token_hash = ?2 AND expires_us > "
        "?3",
        "the new expiry counts from now, never from the old expiry"},
    Statement{Sql::drop_lease, "drop_lease", "DELETE FROM lease WHERE op = ?1 AND token_hash = ?2",
              "ends exactly the lease that was proved"},
    Statement{Sql::checkpoint_payload, "checkpoint_payload",
              "SELECT payload FROM checkpoint WHERE op = ?1 AND step = ?2",
              "the same step again may only repeat itself"},
    Statement{Sql::insert_checkpoint, "insert_checkpoint",
              "INSERT INTO checkpoint (op, step, payload) VALUES (?1, ?2, ?3)",
              "(op, step) is unique"},
    Statement{Sql::finish_op, "finish_op",
              "UPDATE op SET status = 'succeeded', error = NULL, next_attempt_us = NULL, marked = "
              "EXISTS (SELECT 1 FROM need WHERE need = ?1) WHERE row = ?1 AND status = 'running'",
              "status, result and artifacts are written together or not at all; an op that nobody "
              "needs is of interest to no refresh"},
    Statement{Sql::insert_result, "insert_result",
              "INSERT INTO result (op, data, completed_at_us, token_hash) VALUES (?1, ?2, ?3, ?4)",
              "one result per op"},
    Statement{Sql::insert_artifact, "insert_artifact",
              "INSERT INTO artifact (op, name, hash, body) VALUES (?1, ?2, ?3, ?4)",
              "(op, name) is unique"},
    Statement{
        Sql::fail_running, "fail_running",
        "UPDATE op SET status = CASE WHEN EXISTS (SELECT 1 FROM effect WHERE op = ?1 AND status = "
        "'dispatching') THEN 'reconciling' ELSE 'failed' END, error = ?2, next_attempt_us = NULL, "
        "marked = 1 WHERE row = ?1 AND status = 'running' RETURNING status",
        "an end that dependents will see; what may have been written is not called failed"},
    Statement{Sql::schedule_retry, "schedule_retry",
              "UPDATE op SET status = 'ready', error = ?2, next_attempt_us = ?3 WHERE row = ?1 AND "
              "status = "
              "'running'",
              "the only way to a due time in the future"},
    Statement{
        Sql::expired_leases, "expired_leases",
        "SELECT o.row, o.id, o.workflow, o.generation, o.attempts, o.max_attempts, o.deadline_us, "
        "COALESCE(e.status = 'dispatching', 0), COALESCE(e.contract = 'idempotent' AND e.approval "
        "= 0 AND (e.retention_us = 0 OR ?1 + ?2 < e.dispatched_us + e.retention_us), 0) "
        "FROM lease AS l CROSS JOIN op AS o ON o.row = l.op LEFT JOIN effect AS e ON e.op = o.row "
        "WHERE l.expires_us <= ?1 AND o.status "
        "= 'running' ORDER BY o.created_us, o.id",
        "at its expiry a lease is over; CROSS JOIN so that SQLite starts from the leases"},
    Statement{Sql::drop_expired_lease, "drop_expired_lease",
              "DELETE FROM lease WHERE op = ?1 AND expires_us <= ?2",
              "judged again where it is deleted"},
    Statement{Sql::recover_op, "recover_op",
              "UPDATE op SET status = 'ready', next_attempt_us = NULL WHERE row = ?1 AND status = "
              "'running'",
              "a takeover may happen at once; the attempt that died stays counted"},
};

}  // namespace leaseproof::engine::store
