// A VFS before another one, through which a commit reaches the WAL in one write.
//
// Promise: SQLite writes each changed page by two writes, one of its header and one of itself, and
// each costs more than its bytes. What a commit appends is kept here until the frame that makes it
// a commit is complete, and is then written as a whole: before SQLite syncs it and before it shows
// it to anybody, and its error is the error of that write. Nothing is kept past the end of a
// `Commit`, and outside of one every write goes through as it is. So a process that dies has
// written all of a commit or a beginning of it, as before. A WAL whose end is synced grows by more
// than what was written. All other files are the other VFS's own.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace leaseproof::engine::sqlite {

class JoinedWrites {
 public:
  // Before the VFS of that name; empty: SQLite's default. Null where there is none. Has to outlive
  // the connections that are opened with it.
  static std::unique_ptr<JoinedWrites> before(const std::string& vfs);
  ~JoinedWrites();
  JoinedWrites(const JoinedWrites&) = delete;
  JoinedWrites& operator=(const JoinedWrites&) = delete;

  [[nodiscard]] const char* name() const { return name_.c_str(); }
  [[nodiscard]] const char* name_behind() const { return behind_->zName; }

  // As long as a COMMIT runs.
  class Commit {
   public:
    explicit Commit(JoinedWrites& writes);
    ~Commit();
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;

   private:
    JoinedWrites* writes_;
  };

 private:
  struct Methods;
  explicit JoinedWrites(sqlite3_vfs* behind);
  int write(sqlite3_file* wal, const void* from, int amount, sqlite3_int64 offset);
  // Of what is kept, if it is of that file.
  int write_kept(const sqlite3_file* wal);
  void grow(sqlite3_file* wal);

  sqlite3_vfs* const behind_;
  const std::string name_;
  sqlite3_vfs vfs_{};
  bool joins_ = false;
  bool at_last_frame_ = false;
  sqlite3_file* of_ = nullptr;
  sqlite3_int64 from_ = 0;
  sqlite3_int64 end_ = -1;  // of what was written last
  std::vector<char> kept_;
};

}  // namespace leaseproof::engine::sqlite
