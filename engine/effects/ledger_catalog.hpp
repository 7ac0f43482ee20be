// The statements of the service double's own database.
//
// Promise: data only. Nothing here knows the engine's tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leaseproof::engine::effects {

enum class LedgerSql : std::size_t {
  begin,
  commit,
  rollback,
  newest_write,
  add_write,
  count_writes,
  all_writes,
  add_late,
  oldest_late,
  drop_late,
  set_mode,
  next_mode,
  drop_mode,
  count_tables,
  count_own_tables,
};

constexpr std::size_t index(LedgerSql id) { return static_cast<std::size_t>(id); }

// Nobody checkpoints it but the last connection that closes it: a double does not live for long.
inline constexpr const char* ledger_pragmas =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;";

// One transaction, so that no file holds a part of it. A key may have several writes: that is what
// the double is there to show.
inline constexpr std::int64_t ledger_tables = 3;
inline constexpr const char* ledger_schema = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS written (
  row INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  receipt TEXT NOT NULL UNIQUE,
  at_us INTEGER NOT NULL,
  contract TEXT NOT NULL,
  retention_us INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS written_by_key ON written (key, row);
CREATE TABLE IF NOT EXISTS late (
  row INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  contract TEXT NOT NULL,
  retention_us INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS told (
  row INTEGER PRIMARY KEY,
  mode TEXT NOT NULL
) STRICT;
COMMIT;
)sql";

inline constexpr std::array<std::string_view, 15> ledger_texts{
    "BEGIN IMMEDIATE",
    "COMMIT",
    "ROLLBACK",
    "SELECT payload, receipt, at_us, contract, retention_us FROM written WHERE key = ?1 ORDER BY "
    "row DESC LIMIT 1",
    "INSERT INTO written (key, payload, receipt, at_us, contract, retention_us) VALUES (?1, ?2, "
    "?3, ?4, ?5, ?6)",
    "SELECT COUNT(*) FROM written WHERE key = ?1",
    "SELECT key, payload, receipt, at_us FROM written ORDER BY row",
    "INSERT INTO late (key, payload, contract, retention_us) VALUES (?1, ?2, ?3, ?4)",
    "SELECT row, payload, contract, retention_us FROM late WHERE key = ?1 ORDER BY row LIMIT 1",
    "DELETE FROM late WHERE row = ?1",
    "INSERT INTO told (mode) VALUES (?1)",
    "SELECT row, mode FROM told ORDER BY row LIMIT 1",
    "DELETE FROM told WHERE row = ?1",
    "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'",
    "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('written', 'late', "
    "'told')",
};

}  // namespace leaseproof::engine::effects
