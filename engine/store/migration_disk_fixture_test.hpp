// An old database on a simulated disk, and what a connection finds on such a disk, for the tests of
// migrations that storage disturbs; checks nothing itself.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/store/catalog.hpp"
#include "engine/store/database.hpp"
#include "engine/store/migration_fixture_test.hpp"
#include "engine/values/time_text.hpp"
#include "faults/disk.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::engine::store {

inline constexpr const char* old_path = "/old/old.db";

// Times of every precision and offset, and all that a migration has to decide on.
inline void fill_with_mixed_precision(OldDatabase& old) {
  old.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
  old.fill();
  const char* const times[] = {"2026-07-20T18:00:00Z",           "2026-07-20T18:00:00.1Z",
                               "2026-07-20T18:00:00.123Z",       "2026-07-20T20:00:00.123456+02:00",
                               "2026-07-20T18:00:00.123456789Z", "2026-07-20T12:30:00.5-05:30"};
  int number = 0;
  for (const char* time : times) {
    const std::string id = "t" + std::to_string(++number);
    OldOp op{id, "ready"};
    op.next_attempt_at = time;
    op.created_at = time;
    op.state = R"({"Attempt":1,"LastError":"again"})";
    old.add(op);
    OldArtifact artifact{"of " + id, "b", "page"};
    artifact.created_at = time;
    old.add(artifact);
  }
  OldWorkflow canceled;
  canceled.id = "canceled";
  canceled.status = "canceled";
  old.add(canceled);
}

// Connections that are opened meanwhile keep next to nothing in their cache, so that a transaction
// writes to the database long before its commit.
class SmallCache {
 public:
  SmallCache() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(set)); }
  ~SmallCache() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(set)); }
  SmallCache(const SmallCache&) = delete;
  SmallCache& operator=(const SmallCache&) = delete;

 private:
  static int set(sqlite3* db, char** /*message*/, const void* /*unused*/) {
    return sqlite3_exec(db, "PRAGMA cache_size = 2", nullptr, nullptr, nullptr);
  }
};

inline faults::Disk disk_with(const OldDatabase& old) {
  const std::string bytes = old.bytes();
  faults::Disk disk;
  const auto file = disk.create(old_path);
  disk.write(file, 0, std::as_bytes(std::span(bytes)));
  disk.sync(file);
  disk.sync_directory();
  return disk;
}

inline std::string bytes_on(const faults::Disk& disk) {
  const auto file = disk.find(old_path);
  if (!file) return "no file";
  std::string bytes(disk.size(*file), '\0');
  disk.read(*file, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// What a plain connection finds, which also plays back what a crash left in a journal.
struct FoundOnDisk {
  std::string version;
  std::string integrity;
  std::string dump;
  std::string old_columns;  // of all the older system's tables but that of the versions
};

inline std::string first_of(sqlite3* db, const std::string& sql) {
  std::string all;
  const auto add = [](void* into, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) {
      *static_cast<std::string*>(into) += std::string(values[i] == nullptr ? "NULL" : values[i]);
      *static_cast<std::string*>(into) += i + 1 == count ? '\n' : '|';
    }
    return 0;
  };
  const int code = sqlite3_exec(db, sql.c_str(), add, &all, nullptr);
  return code == SQLITE_OK ? all : "refused: " + std::string(sqlite3_errmsg(db));
}

inline FoundOnDisk look_at(const faults::Vfs& vfs) {
  sqlite3* db = nullptr;
  sqlite3_open_v2(old_path, &db, SQLITE_OPEN_READWRITE, vfs.name().c_str());
  FoundOnDisk found;
  found.version = first_of(db, "SELECT MAX(version) FROM schema_migrations");
  found.integrity = first_of(db, "PRAGMA integrity_check");
  found.dump = dump_of(db);
  found.old_columns = first_of(
      db,
      "SELECT id, site, name, status, input_json, metadata_json, created_at, updated_at FROM "
      "workflows ORDER BY id;"
      "SELECT id, workflow_id, parent_id, site, kind, queue_key, dedup_key, input_json, "
      "retry_json, metadata_json, status, retry_state_json, next_attempt_at, created_at, "
      "updated_at FROM ops ORDER BY id;"
      "SELECT workflow_id, op_id, depends_on_op_id, required FROM op_dependencies ORDER BY 2, 3;"
      "SELECT op_id, worker_id, token, acquired_at, expires_at FROM leases ORDER BY 1;"
      "SELECT site, queue_key, tokens, last_refill_at FROM queue_limit_state ORDER BY 1, 2;"
      "SELECT op_id, workflow_id, data_json, records_json, emitted_json, emitted_ids_json, "
      "error_json, completed_at FROM results ORDER BY 1;"
      "SELECT id, workflow_id, op_id, name, kind, content_type, metadata_json, quote(body), "
      "created_at FROM artifacts ORDER BY 1");
  sqlite3_close(db);
  return found;
}

// The sentence of a refusal, or nothing: the database is at the current version.
inline std::string migrate_on(const faults::Vfs& vfs, StillClock& clock) {
  static const sqlite::StatementTexts texts = catalog_texts();
  DatabaseOptions options;
  options.path = old_path;
  options.vfs = vfs.name();
  options.busy = {3, 0, 0};
  const auto db = open_database(options, texts, clock);
  return db ? std::string() : db.error().sentence;
}

}  // namespace leaseproof::engine::store
