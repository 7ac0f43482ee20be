// Statements of contexts, approvals and effects (SEMANTICS 5 and 6).
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array effects_statements{
    Statement{Sql::newest_context, "newest_context",
              "SELECT revision FROM context WHERE scope = ?1 ORDER BY revision DESC LIMIT 1",
              "an op pins the revision that is the newest when it is made"},
    Statement{Sql::put_context, "put_context",
              "INSERT INTO context (scope, revision, payload, put_us, expires_us, revoked) VALUES "
              "(?1, ?2, ?3, ?4, ?5, 0)",
              "older revisions stay as they were until they expire"},
    Statement{Sql::revoke_context, "revoke_context",
              "UPDATE context SET revoked = 1 WHERE scope = ?1 AND revoked = 0",
              "a revocation takes every revision that there is"},
    Statement{Sql::insert_pin, "insert_pin",
              "INSERT INTO pin (op, scope, revision) VALUES (?1, ?2, ?3)",
              "what an op was made under does not change with the scope"},
    Statement{Sql::insert_effect, "insert_effect",
              "INSERT INTO effect (op, contract, approval, retention_us, target, scope, requester, "
              "status, unsure) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'none', 0)",
              "nothing has been sent yet"},
    Statement{Sql::effect_of, "effect_of",
              "SELECT e.contract, e.approval, e.retention_us, e.target, e.scope, e.requester, "
              "e.status, e.unsure, e.payload_hash, e.dispatched_us, e.call_before_us, "
              "l.expires_us, o.id, o.kind, o.input, w.id, p.revision, c.expires_us FROM effect AS "
              "e JOIN op AS o ON o.row = e.op JOIN workflow AS w ON w.row = o.workflow LEFT JOIN "
              "lease AS l ON l.op = e.op LEFT JOIN pin AS p ON p.op = e.op LEFT JOIN context AS c "
              "ON c.scope = p.scope AND c.revision = p.revision WHERE e.op = ?1",
              "the envelope is made of current state, inside the transaction that judges it"},
    Statement{Sql::newest_approval, "newest_approval",
              "SELECT request_no, status, hash, expires_us FROM approval WHERE op = ?1 ORDER BY "
              "request_no DESC LIMIT 1",
              "only the newest request can be decided or spent"},
    Statement{Sql::approval_covers, "approval_covers",
              "SELECT hash = ?2, expires_us > ?3 FROM approval WHERE op = ?1 AND status = "
              "'approved'",
              "an approval covers the action that was reviewed, and no other, for a time"},
    Statement{Sql::insert_approval, "insert_approval",
              "INSERT INTO approval (op, request_no, status, envelope, hash, payload, requester, "
              "requested_us, expires_us) VALUES (?1, ?2, 'pending', ?3, ?4, ?5, ?6, ?7, ?8)",
              "the whole payload is kept for the reviewer, the hash for the proof"},
    Statement{Sql::wait_for_approval, "wait_for_approval",
              "UPDATE op SET status = 'waiting_approval', next_attempt_us = NULL WHERE row = ?1 "
              "AND status = 'running'",
              "waiting takes no attempt and holds no lease"},
    Statement{Sql::expired_requests, "expired_requests",
              "SELECT o.row, o.id, o.workflow, o.generation FROM approval AS a CROSS JOIN op AS o "
              "ON o.row = a.op WHERE a.status = 'pending' AND a.expires_us <= ?1 ORDER BY "
              "o.created_us, o.id",
              "at its expiry a request is over; CROSS JOIN so that SQLite starts from the index"},
    Statement{Sql::end_request, "end_request",
              "UPDATE approval SET status = ?2 WHERE op = ?1 AND status = ?3",
              "an approval leaves a status once"},
    Statement{Sql::fail_waiting, "fail_waiting",
              "UPDATE op SET status = 'failed', error = ?2, next_attempt_us = NULL, marked = 1 "
              "WHERE row = ?1 AND status = 'waiting_approval'",
              "a request that nobody granted ends its op"},
    Statement{Sql::op_to_decide, "op_to_decide",
              "SELECT o.row, o.workflow, o.generation, e.scope, e.requester FROM op AS o JOIN "
              "effect AS e ON e.op = o.row WHERE o.id = ?1",
              "who may decide is judged by what the op itself says"},
    Statement{Sql::decide_request, "decide_request",
              "UPDATE approval SET status = ?2, decided_by = ?3, decided_us = ?4 WHERE op = ?1 AND "
              "status = 'pending' AND expires_us > ?4",
              "decided once, and in time"},
    Statement{Sql::ready_approved, "ready_approved",
              "UPDATE op SET status = 'ready', next_attempt_us = NULL WHERE row = ?1 AND status = "
              "'waiting_approval'",
              "due now"},
    Statement{Sql::cancel_live_approval, "cancel_live_approval",
              "UPDATE approval SET status = 'canceled' WHERE op = ?1 AND (status = 'pending' OR "
              "(status = 'approved' AND expires_us > ?2))",
              "nobody can grant or use what was canceled"},
    Statement{Sql::begin_dispatch, "begin_dispatch",
              "UPDATE effect SET status = 'dispatching', unsure = 0, key = ?2, payload_hash = ?3, "
              "dispatched_us = ?4, call_before_us = ?5 WHERE op = ?1 AND status IN ('none', "
              "'refused')",
              "durable before the first byte is sent: from here on a write may exist"},
    Statement{
        Sql::dispatch_again, "dispatch_again",
        "UPDATE effect SET unsure = 1, call_before_us = MAX(call_before_us, ?2) WHERE op = ?1 "
        "AND status = 'dispatching'",
        "the first request may have arrived; its permit may outlast the new one"},
    Statement{Sql::mark_unsure, "mark_unsure",
              "UPDATE effect SET unsure = 1 WHERE op = ?1 AND status = 'dispatching'",
              "a dispatch that ended without an answer"},
    Statement{Sql::refuse_effect, "refuse_effect",
              "UPDATE effect SET status = 'refused' WHERE op = ?1 AND status = 'dispatching'",
              "the service said no, or an operator showed that nothing was written"},
    Statement{Sql::confirm_effect, "confirm_effect",
              "UPDATE effect SET status = 'confirmed', receipt = ?2 WHERE op = ?1 AND status = "
              "'dispatching'",
              "the receipt is kept with what it proves"},
    Statement{Sql::confirm_found, "confirm_found",
              "UPDATE effect SET status = 'confirmed', receipt = ?2 WHERE op = ?1 AND status = "
              "'dispatching' AND contract <> 'opaque' AND ?2 IS NOT NULL",
              "not found is no proof: the request may still be on its way"},
    Statement{Sql::reconcile_running, "reconcile_running",
              "UPDATE op SET status = 'reconciling', next_attempt_us = NULL WHERE row = ?1 AND "
              "status = 'running'",
              "what may have been written is neither ready nor failed"},
    Statement{Sql::op_to_reconcile, "op_to_reconcile",
              "SELECT o.row, o.workflow, o.generation, o.status, e.contract, e.call_before_us, "
              "w.cancel_requested FROM op AS o JOIN workflow AS w ON w.row = o.workflow LEFT JOIN "
              "effect AS e ON e.op = o.row WHERE o.id = ?1",
              "guards of reconcile and close"},
    Statement{Sql::confirm_op, "confirm_op",
              "UPDATE op SET status = 'effect_confirmed', error = NULL, marked = 1 WHERE row = ?1 "
              "AND status = 'reconciling'",
              "a write that exists is a fact, whatever became of its op"},
    Statement{Sql::close_without_effect, "close_without_effect",
              "UPDATE op SET status = CASE WHEN ?2 = 1 THEN 'canceled' ELSE 'failed' END, error = "
              "CASE WHEN ?2 = 1 THEN error ELSE 'closed_no_effect' END, marked = 1 WHERE row = ?1 "
              "AND status = 'reconciling'",
              "never back to ready: only an operator's retry sends again"},
    Statement{Sql::observe_approvals, "observe_approvals",
              "SELECT op, request_no, status, hash FROM approval ORDER BY op, request_no",
              "TRACE 4: the newest request of each op is the last of its rows"},
    Statement{Sql::approvals_to_review, "approvals_to_review",
              "SELECT o.id, a.request_no, a.status, a.hash, a.envelope, a.payload, a.requester, "
              "a.expires_us, a.decided_by, a.decided_us FROM approval AS a JOIN op AS o ON o.row = "
              "a.op ORDER BY o.created_us, o.id, a.request_no",
              "a reviewer sees the whole payload, not its hash alone"},
    Statement{Sql::unknown_effects, "unknown_effects",
              "SELECT o.id, e.key, e.contract FROM op AS o JOIN effect AS e ON e.op = o.row WHERE "
              "o.status IN ('waiting_approval', 'reconciling') AND o.status = 'reconciling' ORDER "
              "BY o.created_us, o.id",
              "what the service can be asked about; the list of statuses is that of the index"},
    Statement{Sql::count_for_a_person, "count_for_a_person",
              "SELECT status, COUNT(*) FROM op WHERE status IN ('waiting_approval', "
              "'reconciling') GROUP BY status",
              "an alert hangs on it"},
};

}  // namespace leaseproof::engine::store
