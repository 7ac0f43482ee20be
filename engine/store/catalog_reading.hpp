// Statements that only read: snapshots, pages, the observed state.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array reading_statements{
    Statement{Sql::count_by_status, "count_by_status",
              "SELECT status, COUNT(*) FROM op WHERE workflow = ?1 GROUP BY status",
              "counts are derived from the ops, never stored"},
    Statement{Sql::changed_workflows, "changed_workflows",
              "SELECT id, last_seq FROM workflow WHERE last_seq > ?1 ORDER BY last_seq LIMIT ?2",
              "the cursor is a seq, so that changes of one microsecond cannot hide each other"},
    Statement{Sql::newest_workflow, "newest_workflow", "SELECT MAX(row) FROM workflow",
              "as many workflows as that, or fewer, are looked at by changed_workflows"},
    Statement{Sql::changed_since, "changed_since",
              "SELECT w.id, w.last_seq FROM event AS e CROSS JOIN workflow AS w ON w.row = "
              "e.workflow WHERE e.seq > ?1 AND w.last_seq = e.seq ORDER BY e.seq LIMIT ?2",
              "as changed_workflows, by the events behind the cursor, where those are fewer"},
    Statement{Sql::first_seq_since, "first_seq_since",
              "SELECT MIN(last_seq) FROM workflow WHERE updated_us >= ?1",
              "a reader may start from a time, and then follows seqs"},
    Statement{Sql::observe_workflows, "observe_workflows",
              "SELECT row, id, cancel_requested FROM workflow", "TRACE 4"},
    Statement{
        Sql::observe_ops, "observe_ops",
        "SELECT o.row, o.id, o.workflow, o.status, o.generation, o.attempts, o.next_attempt_us, "
        "o.error, l.owner, l.generation, l.expires_us, r.data, e.status, e.key, e.receipt FROM op "
        "AS o LEFT JOIN lease AS l ON "
        "l.op = o.row LEFT JOIN result AS r ON r.op = o.row LEFT JOIN effect AS e ON e.op = o.row",
        "TRACE 4"},
    Statement{
        Sql::observe_op, "observe_op",
        "SELECT o.row, o.id, o.workflow, o.status, o.generation, o.attempts, o.next_attempt_us, "
        "o.error, l.owner, l.generation, l.expires_us, r.data, e.status, e.key, e.receipt FROM op "
        "AS o LEFT JOIN lease AS l ON "
        "l.op = o.row LEFT JOIN result AS r ON r.op = o.row LEFT JOIN effect AS e ON e.op = o.row "
        "WHERE o.row = ?1",
        "as observe_ops, for an op that is known to have changed"},
    Statement{Sql::observe_artifacts, "observe_artifacts", "SELECT op, name, hash FROM artifact",
              "TRACE 4"},
    Statement{Sql::observe_checkpoints, "observe_checkpoints",
              "SELECT op, step, payload FROM checkpoint", "TRACE 4"},
    Statement{Sql::observe_queues, "observe_queues", "SELECT site, name, tokens FROM queue",
              "TRACE 4"},
    Statement{Sql::count_events, "count_events",
              "SELECT COUNT(*), COALESCE(MAX(seq), 0) FROM event", "TRACE 4"},
    Statement{
        Sql::undone_is_excused, "undone_is_excused",
        "SELECT NOT EXISTS (SELECT 1 FROM op AS o WHERE o.workflow = ?1 AND o.status NOT IN "
        "('succeeded', 'effect_confirmed') AND (NOT EXISTS (SELECT 1 FROM need AS n WHERE n.need = "
        "o.row) OR EXISTS (SELECT 1 FROM need AS n WHERE n.need = o.row AND n.required = 1)))",
        "a workflow succeeds if what is not done is needed, and only optionally"},
    Statement{
        Sql::events_after, "events_after",
        "SELECT e.seq, e.call, e.at_us, e.generation, COALESCE(w.id, ''), COALESCE(o.id, ''), "
        "e.kind, e.detail FROM event AS e LEFT JOIN workflow AS w ON w.row = e.workflow LEFT JOIN "
        "op AS o ON o.row = e.op WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2",
        "the journal in its true order"},
    Statement{
        Sql::work_of, "work_of",
        "SELECT w.id, o.kind, o.input, o.max_attempts, o.deadline_us, c.payload, "
        "e.payload_hash, o.status, o.generation, o.attempts, o.row FROM op AS o JOIN workflow AS w "
        "ON w.row = o.workflow LEFT JOIN pin AS p "
        "ON p.op = o.row LEFT JOIN context AS c ON c.scope = p.scope AND c.revision = p.revision "
        "LEFT JOIN effect AS e ON e.op = o.row WHERE o.id = ?1",
        "what a worker needs is what the op was made with, not what is newest today"},
    Statement{Sql::checkpoints_of, "checkpoints_of",
              "SELECT step, payload FROM checkpoint WHERE op = ?1 ORDER BY step",
              "a worker goes on behind what an earlier attempt has stored"},
    Statement{Sql::next_expiry, "next_expiry",
              "SELECT (SELECT MIN(expires_us) FROM lease), (SELECT MIN(expires_us) FROM approval "
              "WHERE status = 'pending')",
              "what refresh has to do next that no call has asked for"},
    Statement{
        Sql::queue_due, "queue_due",
        "SELECT EXISTS (SELECT 1 FROM op WHERE status = 'ready' AND next_attempt_us IS NULL AND "
        "(site, queue) = (?1, ?2)), (SELECT MIN(next_attempt_us) FROM op WHERE status = 'ready' "
        "AND next_attempt_us IS NOT NULL AND (site, queue) = (?1, ?2)), (SELECT COUNT(*) FROM "
        "lease AS l CROSS JOIN op AS o ON o.row = l.op WHERE (site, queue) = (?1, ?2))",
        "a hint for who waits: the leasing transaction judges all of it again"},
    Statement{
        Sql::unobserved_of_ops, "unobserved_of_ops",
        "SELECT o.id, o.deadline_us, COALESCE(e.status = 'dispatching', 0), e.unsure, "
        "e.dispatched_us, e.call_before_us FROM op AS o LEFT JOIN effect AS e ON e.op = o.row",
        "a test bed tells states apart in which nothing else differs"},
};

}  // namespace leaseproof::engine::store
