// What ops of the older system left: results and artifacts, in the tables of version 4 (SEMANTICS
// 8).
#pragma once

#include "engine/store/migration_run.hpp"

namespace leaseproof::engine::store {

// One result for each succeeded op and for no other (I12): the older system wrote a row for a
// failure too, which stays in its table. A succeeded op without a row has the result null.
void carry_results(MigrationRun& run);
// The artifacts of succeeded ops. The first of a name, by created time and id, keeps it; each later
// one is called by the name with its id behind it, again until that is free.
void carry_artifacts(MigrationRun& run);

}  // namespace leaseproof::engine::store
