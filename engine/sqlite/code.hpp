// SQLite's result codes, told apart as far as callers have to act differently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;

namespace leaseproof::engine::sqlite {

enum class Fault : std::uint8_t {
  none,
  busy,           // another connection holds the lock: the whole transaction is tried again
  busy_snapshot,  // a read snapshot is too old to write: likewise, from a new BEGIN
  io_error,
  full,
  corrupt,
  not_a_database,
  read_only,
  cannot_open,
  constraint,  // a named CHECK, a key or a foreign key refused the row
  other
};

// From an extended result code; SQLITE_OK, ROW and DONE are no fault.
Fault fault_of(int code);

constexpr bool is_contention(Fault fault) {
  return fault == Fault::busy || fault == Fault::busy_snapshot;
}

// For a host with many connections: SQLite no longer counts the memory that it takes, which costs
// all threads one lock an allocation. Holds for the whole process and works only before its first
// connection (sqlite.org/c3ref/c_config_covering_index_scan.html); false when it came too late.
bool stop_memory_statistics();

// One sentence with the mend, for a person; `path` names the database.
std::string sentence(Fault fault, std::string_view path);

}  // namespace leaseproof::engine::sqlite
