// What the steps of a migration share: prepared statements of the migration catalogue, and the rows
// of legacy tables, read with suspicion.
//
// Promise: a value that cannot be carried over is refused in one sentence that names table, row and
// column. The first refusal sticks, as the first fault does; after either, no statement runs and no
// row is found, so the steps read as if nothing could fail.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "engine/sqlite/connection.hpp"
#include "engine/store/migration_catalog.hpp"

namespace leaseproof::engine::store {

class MigrationRun {
 public:
  explicit MigrationRun(sqlite::Connection& db) : db_(&db) {}
  ~MigrationRun();
  MigrationRun(const MigrationRun&) = delete;
  MigrationRun& operator=(const MigrationRun&) = delete;

  // Texts among `values` must outlive the rows.
  sqlite::Rows query(Legacy id, std::initializer_list<sqlite::Value> values = {});
  // Answers the row id of what it inserted, if it did.
  std::int64_t execute(Legacy id, std::initializer_list<sqlite::Value> values = {});
  void run_script(const char* script);
  // The number in the first column of the first row, 0 where there is none.
  std::int64_t number(Legacy id, std::initializer_list<sqlite::Value> values);

  void refuse(std::string why);
  [[nodiscard]] bool stopped() const {
    return !refusal_.empty() || db_->fault() != sqlite::Fault::none;
  }
  // The refusal as the caller tells it, empty when there is none or a fault came first.
  [[nodiscard]] std::string verdict() const;

 private:
  friend class LegacyRows;
  sqlite3_stmt* prepared(Legacy id, std::initializer_list<sqlite::Value> values);

  sqlite::Connection* db_;
  std::array<sqlite3_stmt*, legacy_statement_count> statements_{};
  std::string refusal_;
};

// The rows of a reading statement over `table`, whose first `keys` columns are the table's key.
class LegacyRows {
 public:
  LegacyRows(MigrationRun& run, Legacy id, std::string_view table, int keys = 1,
             std::initializer_list<sqlite::Value> values = {});

  // False at the end, after a refusal and after a fault. Refuses a key that is no text.
  bool next();

  [[nodiscard]] std::string key(int column = 0) const;
  // UTF-8 text; an absent or empty one is the fallback, and refused without one.
  std::string text(int column, std::optional<std::string_view> fallback = std::nullopt);
  // Canonical JSON where the text is such; other JSON as it was written; any other text as a JSON
  // string. Nothing is null.
  std::string json(int column);
  // Microseconds of an RFC 3339 text.
  std::int64_t time_us(int column);
  std::optional<std::int64_t> maybe_time_us(int column);
  // 0 or 1.
  bool flag(int column);
  // The bytes of a blob or a text; valid until `next`.
  std::string_view bytes(int column);
  // Of columns that this program fills itself.
  [[nodiscard]] std::int64_t integer(int column) const { return rows_.integer(column); }
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const {
    return rows_.maybe_integer(column);
  }

  // "… column <name>: <value> <why>", or without the value.
  void refuse(int column, std::string_view why);
  void refuse_for(int column, std::string_view why);

 private:
  [[nodiscard]] int type(int column) const;
  [[nodiscard]] std::string shown(int column) const;
  [[nodiscard]] std::string place(int column) const;

  MigrationRun* run_;
  sqlite3_stmt* statement_;
  sqlite::Rows rows_;
  std::string_view table_;
  int keys_;
};

}  // namespace leaseproof::engine::store
