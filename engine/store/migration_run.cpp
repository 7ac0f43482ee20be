#include "engine/store/migration_run.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <utility>

#include "engine/values/canonical_json.hpp"
#include "engine/values/legacy_json.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

std::string quoted_start(std::string_view text) {
  constexpr std::size_t longest_shown = 80;
  if (!is_valid_utf8(text)) return "a text that is no UTF-8";
  std::size_t end = text.size();
  if (end > longest_shown) {
    end = longest_shown;
    while (!is_valid_utf8(text.substr(0, end))) --end;
  }
  std::string out;
  append_json_string(out, text.substr(0, end));
  if (end < text.size()) out += "…";
  return out;
}

}  // namespace

MigrationRun::~MigrationRun() {
  for (auto* statement : statements_) sqlite3_finalize(statement);
}

sqlite3_stmt* MigrationRun::prepared(Legacy id, std::initializer_list<sqlite::Value> values) {
  if (stopped()) return nullptr;
  sqlite3_stmt*& statement = statements_[static_cast<std::size_t>(id)];
  int code = SQLITE_OK;
  if (statement == nullptr) {
    const std::string_view text = legacy_catalog[static_cast<std::size_t>(id)].text;
    code = sqlite3_prepare_v3(db_->handle(), text.data(), static_cast<int>(text.size()),
                              SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  }
  int index = 0;
  for (const auto& value : values) {
    if (code == SQLITE_OK) code = value.bind(statement, ++index);
  }
  if (code == SQLITE_OK) return statement;
  db_->inject(sqlite::fault_of(code));
  return nullptr;
}

sqlite::Rows MigrationRun::query(Legacy id, std::initializer_list<sqlite::Value> values) {
  return {*db_, prepared(id, values)};
}

std::int64_t MigrationRun::execute(Legacy id, std::initializer_list<sqlite::Value> values) {
  auto rows = query(id, values);
  while (rows.next()) {
  }
  return sqlite3_last_insert_rowid(db_->handle());
}

void MigrationRun::run_script(const char* script) {
  if (!stopped()) db_->run_script(script);
}

std::int64_t MigrationRun::number(Legacy id, std::initializer_list<sqlite::Value> values) {
  auto rows = query(id, values);
  return rows.next() ? rows.integer(0) : 0;
}

void MigrationRun::refuse(std::string why) {
  if (!stopped()) refusal_ = std::move(why);
}

std::string MigrationRun::verdict() const {
  if (refusal_.empty() || db_->fault() != sqlite::Fault::none) return {};
  return "cannot be migrated: " + refusal_;
}

LegacyRows::LegacyRows(MigrationRun& run, Legacy id, std::string_view table, int keys,
                       std::initializer_list<sqlite::Value> values)
    : run_(&run),
      statement_(run.prepared(id, values)),
      rows_(*run.db_, statement_),
      table_(table),
      keys_(keys) {}

bool LegacyRows::next() {
  if (run_->stopped() || !rows_.next()) return false;
  for (int column = 0; column < keys_; ++column) {
    if (type(column) != SQLITE_TEXT) {
      refuse(column, "is no text");
    } else if (!is_valid_utf8(rows_.text(column))) {
      refuse_for(column, "the text is no UTF-8");
    }
  }
  return !run_->stopped();
}

std::string LegacyRows::key(int column) const { return rows_.string(column); }

std::string LegacyRows::text(int column, std::optional<std::string_view> fallback) {
  // Asked before the text: reading a blob as text would make it one.
  const int kind = type(column);
  const bool absent = kind == SQLITE_NULL || (kind == SQLITE_TEXT && rows_.text(column).empty());
  if (absent && fallback) return std::string(*fallback);
  if (kind != SQLITE_TEXT) {
    refuse(column, "is no text");
  } else if (absent) {
    refuse_for(column, "the text is empty");
  } else if (!is_valid_utf8(rows_.text(column))) {
    refuse_for(column, "the text is no UTF-8");
  }
  return rows_.string(column);
}

std::string LegacyRows::json(int column) {
  std::string written = text(column, "null");
  if (auto canonical = canonical_json(written)) return std::move(*canonical);
  if (is_json(written)) return written;
  std::string wrapped;
  append_json_string(wrapped, written);
  return wrapped;
}

std::int64_t LegacyRows::time_us(int column) {
  std::optional<std::int64_t> time_us;
  if (type(column) == SQLITE_TEXT) time_us = us_of_rfc3339(rows_.text(column));
  if (!time_us) refuse(column, "is no RFC 3339 time");
  return time_us.value_or(0);
}

std::optional<std::int64_t> LegacyRows::maybe_time_us(int column) {
  // The older system took an empty text for an absent time.
  if (type(column) == SQLITE_NULL) return std::nullopt;
  if (type(column) == SQLITE_TEXT && rows_.text(column).empty()) return std::nullopt;
  return time_us(column);
}

bool LegacyRows::flag(int column) {
  const bool good =
      type(column) == SQLITE_INTEGER && (rows_.integer(column) == 0 || rows_.integer(column) == 1);
  if (!good) refuse(column, "is neither 0 nor 1");
  return rows_.integer(column) == 1;
}

std::string_view LegacyRows::bytes(int column) {
  if (type(column) == SQLITE_TEXT) return rows_.text(column);
  if (type(column) != SQLITE_BLOB) {
    refuse(column, "is neither a blob nor a text");
    return {};
  }
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void LegacyRows::refuse(int column, std::string_view why) {
  refuse_for(column, shown(column) + " " + std::string(why));
}

void LegacyRows::refuse_for(int column, std::string_view why) {
  run_->refuse(place(column) + ": " + std::string(why) +
               "; mend that row and open the database again");
}

int LegacyRows::type(int column) const { return sqlite3_column_type(statement_, column); }

std::string LegacyRows::shown(int column) const {
  switch (type(column)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_BLOB:
      return "a blob";
    case SQLITE_TEXT:
      return quoted_start(rows_.text(column));
    default:
      return rows_.string(column);
  }
}

std::string LegacyRows::place(int column) const {
  std::string row = shown(0);
  for (int i = 1; i < keys_; ++i) row += " and " + shown(i);
  const char* name = sqlite3_column_name(statement_, column);
  return "table " + std::string(table_) + ", row " + row + ", column " +
         (name == nullptr ? "" : name);
}

}  // namespace leaseproof::engine::store
