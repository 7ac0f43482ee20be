// Statements that make workflows and ops.
//
// Promise: data only. Parameters are ?1, ?2, … in the order in which callers give them.
#pragma once

#include <array>

#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

inline constexpr std::array creation_statements{
    Statement{Sql::workflow_by_id, "workflow_by_id",
              "SELECT row, cancel_requested FROM workflow WHERE id = ?1",
              "looked up inside the transaction, so that racing creators agree"},
    Statement{Sql::same_identity, "same_identity",
              "SELECT package = ?2 AND digest IS ?3 FROM workflow WHERE id = ?1",
              "an id alone never attaches: what is run has to be the same"},
    Statement{Sql::insert_workflow, "insert_workflow",
              "INSERT INTO workflow (id, package, digest, input, cancel_requested, created_us, "
              "updated_us, last_seq) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, 0) RETURNING row",
              "one digest per workflow id"},
    Statement{
        Sql::insert_op, "insert_op",
        "INSERT INTO op (id, workflow, kind, site, queue, input, max_attempts, deadline_us, "
        "retry_policy, retry_delays_us, retry_base_us, retry_multiplier, retry_cap_us, status, "
        "generation, attempts, created_us, marked) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
        "?10, "
        "?11, ?12, ?13, 'pending', 0, 0, ?14, 1) RETURNING row",
        "every new op is pending; refresh makes it ready"},
    Statement{Sql::insert_need, "insert_need",
              "INSERT INTO need (op, need, required) SELECT ?1, row, ?3 FROM op WHERE id = ?2",
              "a need points at an op that exists"},
    Statement{Sql::op_row, "op_row", "SELECT row, workflow FROM op WHERE id = ?1",
              "op ids are unique in the whole database"},
};

}  // namespace leaseproof::engine::store
