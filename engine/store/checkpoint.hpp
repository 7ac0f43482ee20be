// When the WAL's pages are copied into the database, and by whom.
//
// Promise: two checkpoints of a database never run at once, and nobody writes to the WAL or starts
// it anew during one, in any process: the engine's connection holds the write lock while a second
// one, which is opened for that alone, copies. SQLite 3.7.0 to 3.51.2 have a race between a
// checkpoint and a commit that starts the WAL anew (sqlite.org/wal.html#walresetbug), after which
// committed pages are lost; under the lock there is no such commit. SQLite's own checkpoint, when
// the last connection closes, has the whole file for itself.
#pragma once

#include <cstdint>

#include "engine/sqlite/connection.hpp"
#include "engine/store/database.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine::store {

class Checkpoints {
 public:
  // 8 MB of a new database's pages: each checkpoint syncs three times, and a WAL that is longer is
  // longer new to the disk, where each sync is slower.
  static constexpr std::int64_t default_pages = 4000;

  // 0 or less: never.
  explicit Checkpoints(std::int64_t pages) : pages_(pages), due_at_(pages) {}

  // Whether the WAL has grown enough since the connection's last commit. Costs no statement.
  bool due(const sqlite::Connection& db);

  // Copies what no reader stands in the way of. Between transactions of `db`, which was opened with
  // the options. What cannot be done is left to a later commit; no fault of it stays on
  // the connection. Waits for nobody as long as the WAL is started anew each time; else for
  // readers, at most twice what the busy policy waits after so many failed tries.
  void run(sqlite::Connection& db, const DatabaseOptions& options,
           const sqlite::StatementTexts& texts, Clock& clock);

 private:
  void copy(const sqlite::Connection& writer, const DatabaseOptions& options,
            const sqlite::StatementTexts& texts, Clock& clock);

  std::int64_t pages_;
  std::int64_t due_at_;       // pages in the WAL at which the next one is tried
  std::int64_t seen_ = 0;     // pages in the WAL when it was last looked at
  std::int64_t in_vain_ = 0;  // checkpoints since the WAL was last seen to be started anew
};

}  // namespace leaseproof::engine::store
