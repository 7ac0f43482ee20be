#include "engine/sqlite/code.hpp"

#include <sqlite3.h>

namespace leaseproof::engine::sqlite {

Fault fault_of(int code) {
  if (code == SQLITE_BUSY_SNAPSHOT) return Fault::busy_snapshot;
  switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return Fault::none;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // lost the race for a lock of the WAL some hundred times
      return Fault::busy;
    case SQLITE_IOERR:
      return Fault::io_error;
    case SQLITE_FULL:
      return Fault::full;
    case SQLITE_CORRUPT:
      return Fault::corrupt;
    case SQLITE_NOTADB:
      return Fault::not_a_database;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Fault::read_only;
    case SQLITE_CANTOPEN:
      return Fault::cannot_open;
    case SQLITE_CONSTRAINT:
      return Fault::constraint;
    default:
      return Fault::other;
  }
}

std::string sentence(Fault fault, std::string_view path) {
  std::string at = "database " + std::string(path);
  switch (fault) {
    case Fault::none:
      return at + " is fine";
    case Fault::busy:
    case Fault::busy_snapshot:
      return at + " is locked by another program; stop it or try again later";
    case Fault::io_error:
      return at + " cannot be read or written; check the disk";
    case Fault::full:
      return at + " sits on a full disk; free some space and try again";
    case Fault::corrupt:
      return at + " is damaged; restore it from a backup";
    case Fault::not_a_database:
      return at + " is no SQLite database; name the right file";
    case Fault::read_only:
      return at + " is read-only; make the file and its folder writable";
    case Fault::cannot_open:
      return at + " cannot be opened; check that its folder exists and may be read";
    case Fault::constraint:
      return at + " refused a row that breaks its schema";
    case Fault::other:
      return at + " answered an unexpected error";
  }
  return at;
}

bool stop_memory_statistics() { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK; }

}  // namespace leaseproof::engine::sqlite
