// From the older system's layout to the current one (SEMANTICS 8).
//
// Promise: additive, one transaction per version, resumable after a crash at any point; a time that
// cannot be parsed is named by table, row and column and leaves the file as it was.
#pragma once

#include <cstdint>
#include <string>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::engine::store {

// The steps that lead to version 3 and to version 4. Each runs inside a write transaction of the
// caller, which also records the version. An empty text means done; a sentence refuses, and the
// caller rolls back. Faults stick to `db`.
std::string migrate_to_3(sqlite::Connection& db, std::int64_t now_us);
std::string migrate_to_4(sqlite::Connection& db, std::int64_t now_us);

}  // namespace leaseproof::engine::store
