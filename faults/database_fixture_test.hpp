// Plain SQLite for tests of a VFS: a connection that answers result codes and rows as text.
#pragma once

#include <sqlite3.h>

#include <string>

namespace leaseproof::faults {

inline constexpr const char* database_path = "/data/test.db";

class Database {
 public:
  // An empty `vfs` is SQLite's default. `code()` tells whether it could be opened.
  Database(const std::string& path, const std::string& vfs) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE;
    code_ = sqlite3_open_v2(path.c_str(), &db_, flags, vfs.empty() ? nullptr : vfs.c_str());
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements up to the first that fails; the extended result code.
  int run(const std::string& sql) { return code_ = sqlite3_exec(db_, sql.c_str(), 0, 0, 0); }
  // All values of all rows, a space after each; what came before a fault, if there is one.
  std::string read(const std::string& sql) {
    std::string rows;
    const auto add = [](void* into, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i) {
        *static_cast<std::string*>(into) += values[i] == nullptr ? "NULL" : values[i];
        *static_cast<std::string*>(into) += ' ';
      }
      return 0;
    };
    code_ = sqlite3_exec(db_, sql.c_str(), add, &rows, nullptr);
    return rows;
  }
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
  int code_ = SQLITE_OK;
};

}  // namespace leaseproof::faults
