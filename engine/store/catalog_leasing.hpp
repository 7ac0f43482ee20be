// Statements by which queues admit and leases are given.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array leasing_statements{
    Statement{Sql::queue_state, "queue_state",
              "SELECT max_in_flight, rate_per_s, burst, tokens, last_refill_us FROM queue WHERE "
              "site = ?1 "
              "AND name = ?2",
              "no row means no limits"},
    Statement{
        Sql::put_queue, "put_queue",
        "INSERT INTO queue (site, name, max_in_flight, rate_per_s, burst, tokens, last_refill_us) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (site, name) DO UPDATE SET max_in_flight "
        "= "
        "?3, rate_per_s = ?4, burst = ?5, tokens = ?6, last_refill_us = ?7",
        "limits and bucket change together"},
    Statement{
        Sql::queue_running, "queue_running",
        "SELECT COUNT(*) FROM lease AS l CROSS JOIN op AS o ON o.row = l.op WHERE site = ?1 AND "
        "queue = ?2",
        "room is counted from the running ops, each of which has its lease, so that no release can "
        "be lost or counted twice"},
    Statement{Sql::spend_token, "spend_token",
              "UPDATE queue SET tokens = ?3, last_refill_us = ?4 WHERE site = ?1 AND name = ?2",
              "a refill is stored with the token that it pays for"},
    Statement{
        Sql::next_ready_queue, "next_ready_queue",
        "SELECT site, queue FROM op WHERE status = 'ready' AND site = ?1 AND queue > ?2 UNION ALL "
        "SELECT site, queue FROM op WHERE status = 'ready' AND site > ?1 ORDER BY site, queue "
        "LIMIT 1",
        "walks the queues that have ready ops, one index step each; (site, queue) > (?1, ?2) would "
        "say the same, but SQLite begins it at the first op of that queue and steps over all"},
    Statement{
        Sql::oldest_fresh, "oldest_fresh",
        "SELECT row, id, workflow, generation, attempts, max_attempts, deadline_us, created_us "
        "FROM "
        "op WHERE status = 'ready' AND next_attempt_us IS NULL AND site = ?1 AND queue = ?2 ORDER "
        "BY created_us, id LIMIT 1",
        "the oldest op that is due at once"},
    Statement{Sql::first_retry, "first_retry",
              "SELECT MIN(next_attempt_us) FROM op WHERE status = 'ready' AND next_attempt_us IS "
              "NOT NULL AND site = ?1 AND queue = ?2",
              "until then nobody needs to look for ops that are due again, which are sorted first"},
    Statement{
        Sql::oldest_due_retry, "oldest_due_retry",
        "SELECT row, id, workflow, generation, attempts, max_attempts, deadline_us, created_us "
        "FROM "
        "op WHERE status = 'ready' AND next_attempt_us <= ?3 AND site = ?1 AND queue = ?2 ORDER BY "
        "created_us, id LIMIT 1",
        "due means that the scheduled time has come; times are compared as integers"},
    Statement{
        Sql::take_op, "take_op",
        "UPDATE op SET status = 'running', generation = generation + 1, attempts = attempts + 1, "
        "next_attempt_us = NULL WHERE row = ?1 AND status = 'ready'",
        "an attempt counts when it is leased, so that a crash costs one like any other failure"},
    Statement{Sql::insert_lease, "insert_lease",
              "INSERT INTO lease (op, token_hash, owner, generation, acquired_us, expires_us) "
              "VALUES (?1, "
              "?2, ?3, ?4, ?5, ?6)",
              "one lease row exactly while the op is running; only the token's hash is kept"},
    Statement{
        Sql::fail_ready, "fail_ready",
        "UPDATE op SET status = CASE WHEN EXISTS (SELECT 1 FROM effect WHERE op = ?1 AND status = "
        "'dispatching') THEN 'reconciling' ELSE 'failed' END, error = ?2, next_attempt_us = NULL, "
        "marked = 1 WHERE row = ?1 AND status = 'ready' RETURNING status",
        "a candidate past deadline or budget ends where it is found"},
};

}  // namespace leaseproof::engine::store
