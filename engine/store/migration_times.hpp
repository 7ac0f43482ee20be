// The integer times of version 3, beside the texts that the older system wrote.
#pragma once

#include "engine/store/migration_run.hpp"

namespace leaseproof::engine::store {

// Adds the columns that are missing.
void add_integer_times(MigrationRun& run);
// Fills them from the texts, row by row. May run again: an older program that still writes to the
// file changes the texts alone.
void fill_integer_times(MigrationRun& run);

}  // namespace leaseproof::engine::store
