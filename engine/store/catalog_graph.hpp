// Statements that move ops without a lease: refresh, retry, cancel.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array graph_statements{
    Statement{Sql::anything_marked, "anything_marked",
              "SELECT EXISTS (SELECT 1 FROM op WHERE marked = 1)",
              "a refresh after which nothing has changed looks at nothing"},
    Statement{
        Sql::pending_to_block, "pending_to_block",
        "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'pending' AND "
        "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
        "need AS n ON n.need = m.row WHERE m.marked = 1) AND EXISTS (SELECT 1 FROM need AS n JOIN "
        "op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN "
        "('failed', "
        "'blocked', 'canceled')) ORDER BY o.created_us, o.id",
        "a required need that is stopping blocks; only what changed since the last refresh is "
        "looked at"},
    Statement{Sql::block_op, "block_op",
              "UPDATE op SET status = 'blocked', marked = 1 WHERE row = ?1 AND status = 'pending'",
              "blocked is derived and can be undone; canceled is somebody's word"},
    Statement{
        Sql::blocked_to_reopen, "blocked_to_reopen",
        "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'blocked' AND "
        "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
        "need AS n ON n.need = m.row WHERE m.marked = 1) AND NOT EXISTS (SELECT 1 FROM need AS n "
        "JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN "
        "('failed', 'blocked', 'canceled')) ORDER BY o.created_us, o.id",
        "for databases that come from an older version; retry reopens by itself"},
    Statement{Sql::reopen_op, "reopen_op",
              "UPDATE op SET status = 'pending', marked = 1 WHERE row = ?1 AND status = 'blocked'",
              "to pending, not to ready: the needs still have to be done"},
    Statement{
        Sql::pending_to_ready, "pending_to_ready",
        "SELECT o.row, o.id, o.workflow, o.generation FROM op AS o WHERE o.status = 'pending' AND "
        "o.row IN ( SELECT row FROM op WHERE marked = 1 UNION ALL SELECT n.op FROM op AS m JOIN "
        "need AS n ON n.need = m.row WHERE m.marked = 1) AND NOT EXISTS (SELECT 1 FROM need AS n "
        "JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status NOT IN "
        "('succeeded', 'effect_confirmed')) AND NOT EXISTS (SELECT 1 FROM need AS n JOIN op AS d "
        "ON "
        "d.row = n.need WHERE n.op = o.row AND n.required = 0 AND d.status NOT IN ('succeeded', "
        "'effect_confirmed', 'failed', 'blocked', 'canceled')) ORDER BY o.created_us, o.id",
        "required needs must be done, optional ones only settled"},
    Statement{Sql::ready_op, "ready_op",
              "UPDATE op SET status = 'ready', next_attempt_us = NULL WHERE row = ?1 AND status = "
              "'pending'",
              "due now"},
    Statement{Sql::unmark, "unmark", "UPDATE op SET marked = 0 WHERE marked = 1",
              "what refresh has seen it need not see again"},
    Statement{
        Sql::op_to_retry, "op_to_retry",
        "SELECT o.row, o.workflow, o.generation, o.status, o.deadline_us, w.cancel_requested FROM "
        "op AS o JOIN workflow AS w ON w.row = o.workflow WHERE o.id = ?1",
        "guards of retry"},
    Statement{Sql::retry_op, "retry_op",
              "UPDATE op SET status = 'ready', next_attempt_us = NULL, attempts = 0, error = NULL, "
              "deadline_us = ?2, marked = 1 WHERE row = ?1 AND status = 'failed'",
              "a fresh budget; the generation goes on counting, so that old tokens stay old"},
    Statement{
        Sql::blocked_dependents, "blocked_dependents",
        "SELECT o.row, o.id, o.workflow, o.generation, o.created_us FROM need AS f JOIN op AS o ON "
        "o.row = f.op WHERE f.need = ?1 AND o.status = 'blocked' AND NOT EXISTS (SELECT 1 FROM "
        "need "
        "AS n JOIN op AS d ON d.row = n.need WHERE n.op = o.row AND n.required = 1 AND d.status IN "
        "('failed', 'blocked', 'canceled'))",
        "a dependent reopens once no required need is stopping"},
    Statement{
        Sql::has_open_op, "has_open_op",
        "SELECT EXISTS (SELECT 1 FROM op WHERE workflow = ?1 AND status IN ('pending', 'ready', "
        "'running', 'waiting_approval', 'reconciling', 'blocked'))",
        "a finished workflow's history is not rewritten"},
    Statement{
        Sql::ops_to_cancel, "ops_to_cancel",
        "SELECT row, id, generation, status FROM op WHERE workflow = ?1 AND status IN ('pending', "
        "'ready', 'running', 'waiting_approval', 'blocked') ORDER BY created_us, id",
        "everything that has not ended, blocked ops too"},
    Statement{Sql::drop_lease_of, "drop_lease_of", "DELETE FROM lease WHERE op = ?1",
              "the canceled op's worker owns nothing any more"},
    Statement{Sql::cancel_op, "cancel_op",
              "UPDATE op SET status = CASE WHEN EXISTS (SELECT 1 FROM effect WHERE op = ?1 AND "
              "status = 'dispatching') THEN 'reconciling' ELSE 'canceled' END, generation = "
              "generation + 1, next_attempt_us = NULL, marked = 1 WHERE row = ?1 AND status IN "
              "('pending', 'ready', 'running', 'waiting_approval', 'blocked') RETURNING status",
              "the next generation, so that no old proof fits; canceling does not undo a write"},
    Statement{Sql::ask_to_cancel, "ask_to_cancel",
              "UPDATE workflow SET cancel_requested = 1 WHERE row = ?1 AND cancel_requested = 0",
              "asked once, kept for ever"},
};

}  // namespace leaseproof::engine::store
