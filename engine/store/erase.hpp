// Empties a database, for test beds that start each case from nothing.
#pragma once

#include "engine/sqlite/connection.hpp"

namespace leaseproof::engine::store {

// Deletes every row of every table in one transaction; the schema and prepared statements stay. The
// cheapest fresh database that still has real commits.
sqlite::Fault erase_everything(sqlite::Connection& db);

}  // namespace leaseproof::engine::store
