// A database that the command line names.
//
// Promise: what cannot be opened is one line that names the file and the mend, with the exit code
// of its kind; a file of another program is left as it was.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace leaseproof::scenarios::cli {

// Throws InputWrong where there is no such file.
void check_exists(const std::string& path);
// Throws InputWrong or EnvironmentFailed, as the fault is the caller's or the machine's.
[[noreturn]] void refuse(const engine::store::OpenError& error);
// Opens for writing, which brings an older layout up to date. `create` makes the file where there
// is none.
std::unique_ptr<engine::Engine> open_engine(const std::string& path, bool create = false);

// A connection that writes nothing, in one read transaction from its first read on, so that all
// reads tell of one moment. Also what a killed process has left can be looked at.
class ReadOnlyDatabase {
 public:
  // Throws as `check_exists` and `refuse` do.
  explicit ReadOnlyDatabase(const std::string& path);
  engine::sqlite::Connection& connection() { return *db_; }
  // After the reads: throws what `refuse` throws where one of them had a fault.
  void check_fault() const;

 private:
  std::string path_;
  engine::sqlite::StatementTexts texts_;
  std::unique_ptr<engine::sqlite::Connection> db_;
};

}  // namespace leaseproof::scenarios::cli
