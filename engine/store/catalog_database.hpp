// Statements for the database as a whole and for every transaction.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array database_statements{
    Statement{Sql::count_tables, "count_tables", "SELECT COUNT(*) FROM sqlite_master",
              "an empty file may become ours"},
    Statement{Sql::know_wal, "know_wal", "PRAGMA schema_version",
              "a checkpoint needs the WAL, which a connection opens with its first read"},
    Statement{Sql::is_ours, "is_ours",
              "SELECT (SELECT COUNT(*) FROM pragma_table_info('schema_migrations') WHERE name IN "
              "('version', 'name', 'applied_at')) = 3 AND ((SELECT COUNT(*) FROM sqlite_master "
              "WHERE type = "
              "'table' AND name IN ('workflows', 'ops', 'leases')) = 3 OR (SELECT COUNT(*) FROM "
              "sqlite_master WHERE type = 'table' AND name IN ('workflow', 'op', 'lease')) = 3)",
              "other programs have a schema_migrations too; theirs is left alone"},
    Statement{Sql::known_version, "known_version",
              "SELECT COALESCE(MAX(CAST(version AS INTEGER)), 0) FROM schema_migrations",
              "newer is judged by the largest version"},
    Statement{Sql::steps_of_others, "steps_of_others",
              "SELECT COUNT(*) FROM schema_migrations WHERE (CAST(version AS INTEGER) = 3 AND name "
              "<> 'integer_times') OR (CAST(version AS INTEGER) = 4 AND name <> "
              "'leaseproof_tables') OR (CAST(version AS INTEGER) = 5 AND name <> 'effects') OR "
              "(CAST(version AS INTEGER) = 6 AND name <> 'fewer_indexes')",
              "the older system went on after version 2 and counted on by itself"},
    Statement{
        Sql::taken_name, "taken_name",
        "SELECT type, name FROM sqlite_master WHERE lower(name) IN ('context', 'pin', "
        "'effect', 'approval', 'approval_live', 'approval_pending', 'op_for_a_person') LIMIT 1",
        "a user may keep tables of their own in the file; theirs are not touched"},
    Statement{Sql::record_version, "record_version",
              "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?1, ?2, ?3)",
              "in the transaction that brings the version"},
    Statement{Sql::begin_write, "begin_write", "BEGIN IMMEDIATE",
              "the write lock is held before anything is read or the clock is asked"},
    Statement{Sql::commit, "commit", "COMMIT", "a call is one transaction"},
    Statement{Sql::rollback, "rollback", "ROLLBACK", "a refused or failed call leaves nothing"},
    Statement{Sql::begin_read, "begin_read", "BEGIN DEFERRED",
              "a reader sees one snapshot from its first row to its last"},
    Statement{Sql::last_event, "last_event", "SELECT COALESCE(MAX(seq), 0) FROM event",
              "seqs go on without a gap"},
    Statement{
        Sql::insert_event, "insert_event",
        "INSERT INTO event (seq, call, workflow, op, at_us, generation, kind, detail) VALUES (?1, "
        "?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        "written in the transaction that it describes"},
    Statement{Sql::stamp_workflow, "stamp_workflow",
              "UPDATE workflow SET last_seq = ?2, updated_us = ?3 WHERE row = ?1",
              "readers page by the seq of a workflow's last event, never by a time"},
    Statement{Sql::event_at, "event_at", "SELECT detail, at_us FROM event WHERE seq = ?1",
              "after a COMMIT of unknown end, the first event of the call tells whether it stands"},
    Statement{
        Sql::write_over, "write_over",
        "INSERT INTO schema_migrations (version, name, applied_at) VALUES (0, '', '')",
        "a row for a moment: its commit takes the place of what a failed one left in the WAL; "
        "setting a value to itself would write no page"},
    Statement{Sql::written_over, "written_over", "DELETE FROM schema_migrations WHERE version = 0",
              "in the same transaction"},
    Statement{Sql::check_integrity, "check_integrity", "PRAGMA integrity_check(1)",
              "a test bed asks after each loss of power; one complaint is enough"},
    Statement{Sql::erase_event, "erase_event", "DELETE FROM event",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_approval, "erase_approval", "DELETE FROM approval",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_effect, "erase_effect", "DELETE FROM effect",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_pin, "erase_pin", "DELETE FROM pin",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_context, "erase_context", "DELETE FROM context",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_artifact, "erase_artifact", "DELETE FROM artifact",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_checkpoint, "erase_checkpoint", "DELETE FROM checkpoint",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_result, "erase_result", "DELETE FROM result",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_lease, "erase_lease", "DELETE FROM lease",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_need, "erase_need", "DELETE FROM need",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_op, "erase_op", "DELETE FROM op",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_workflow, "erase_workflow", "DELETE FROM workflow",
              "a test bed starts each case from nothing; dependents first"},
    Statement{Sql::erase_queue, "erase_queue", "DELETE FROM queue",
              "a test bed starts each case from nothing; dependents first"},
};

}  // namespace leaseproof::engine::store
