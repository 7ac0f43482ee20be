// Opens a database file: creates it, recognizes it, migrates it, or says why not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "engine/sqlite/connection.hpp"
#include "engine/values/busy_policy.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine::store {

enum class Synchronous : std::uint8_t { full, normal, off };

struct DatabaseOptions {
  std::string path;
  std::string vfs;
  Synchronous synchronous = Synchronous::full;
  bool read_only = false;  // no creation, no migration, no write
  bool create = true;
  BusyPolicy busy;
};

struct OpenError {
  sqlite::Fault fault = sqlite::Fault::other;
  std::string sentence;  // names the file and the mend
};

// Inside a write transaction: its commit writes a page although nothing has changed, and so takes
// the place in the WAL of what a failed COMMIT left there, and makes durable what stands before it.
void write_over(sqlite::Connection& db);

// A connection whose database has the current schema. `texts` must outlive it. A version-2 database
// is migrated (SEMANTICS 8), a newer one and a foreign one are refused, and nothing is left
// half-written. WAL, foreign keys on.
tl::expected<std::unique_ptr<sqlite::Connection>, OpenError> open_database(
    const DatabaseOptions& options, const sqlite::StatementTexts& texts, Clock& clock);

// What a commit or a checkpoint of the connection waits for.
void set_synchronous(sqlite::Connection& db, Synchronous synchronous);

}  // namespace leaseproof::engine::store
