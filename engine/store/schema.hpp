// The tables of a current database.
//
// Promise: STRICT tables, named constraints, foreign keys; what SEMANTICS 1 calls impossible is
// refused by the schema itself. Comparisons and orders only ever meet integer times (I15).
#pragma once

namespace leaseproof::engine::store {

// The newest layout this engine knows. 2 is the older system's (SEMANTICS 8), 3 adds integer times
// to it, 4 adds the tables of workflows and ops, 5 those of contexts, approvals and effects, 6
// takes indexes away: each is one more page that a call writes, and what they found is found
// without. Leases are as many as ops run at a time, so whoever looks for some of them reads them
// all.
inline constexpr int current_version = 6;

// Makes the tables and indexes of a version out of those of the one before; runs inside a
// transaction of the caller.
extern const char* const schema_v4;
extern const char* const schema_v5;
extern const char* const schema_v6;

// The table that names the versions a database has gone through, as the older system made it.
extern const char* const schema_of_versions;

// What every connection sets before its first statement. `synchronous` follows the options.
extern const char* const connection_pragmas;

// Before a new database's first table. A call changes some five pages by a row each, and each is
// copied and summed into the WAL whole: the default of 4096 makes it slower.
extern const char* const creation_pragmas;

// What a connection sets that only empties databases (erase.hpp): nothing that it does is undone.
extern const char* const erasing_pragmas;

}  // namespace leaseproof::engine::store
