// Workflows, ops, leases and needs of the older system in the tables of version 4 (SEMANTICS 8).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/store/migration_run.hpp"

namespace leaseproof::engine::store {

// Ops that could not keep their status, as the `changed` list of their workflow's event: by the
// workflow's row, JSON objects with commas between.
using ChangedOps = std::map<std::int64_t, std::string>;

void carry_workflows(MigrationRun& run);
// An op keeps its status unless an invariant forbids it:
// - running without a lease row: nobody can prove to own it, so it is due again, `ready` (I4); the
//   attempt that was lost stays counted, as after any crash;
// - ready, or running without a lease, with a required need that is not done: `pending` (I5), and
//   refresh makes it ready or blocked. A worker that holds a lease goes on.
ChangedOps carry_ops(MigrationRun& run);
// After the ops. Leases of ops that are not running stay behind.
void carry_leases(MigrationRun& run);
// After the ops. A need that does not exist and a cycle are refused: the older system ignored the
// one and waited for ever on the other, and neither can be guessed right.
void carry_needs(MigrationRun& run);

}  // namespace leaseproof::engine::store
