// The old database that the tests of its migration stand on; checks nothing itself.
#include "engine/store/migration_fixture_test.hpp"

#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/store/catalog.hpp"
#include "engine/store/refresh.hpp"
#include "engine/store/write.hpp"
#include "engine/values/check.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

const char* const version_2 = R"sql(
CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO schema_migrations VALUES (1, '001_engine_core.sql', '2026-03-01T10:00:00.123456789Z'),
  (2, '002_engine_runtime.sql', '2026-03-01T10:00:00.2Z');
CREATE TABLE workflows (
  id TEXT PRIMARY KEY, site TEXT, name TEXT, status TEXT, input_json TEXT, metadata_json TEXT,
  created_at TEXT, updated_at TEXT);
CREATE TABLE ops (
  id TEXT PRIMARY KEY, workflow_id TEXT REFERENCES workflows (id) ON DELETE CASCADE,
  parent_id TEXT, site TEXT, kind TEXT, queue_key TEXT, dedup_key TEXT, input_json TEXT,
  retry_json TEXT, metadata_json TEXT, status TEXT, retry_state_json TEXT, next_attempt_at TEXT,
  created_at TEXT, updated_at TEXT);
CREATE INDEX idx_ops_status_queue ON ops (status, queue_key);
CREATE TABLE op_dependencies (
  workflow_id TEXT, op_id TEXT, depends_on_op_id TEXT, required INTEGER,
  PRIMARY KEY (op_id, depends_on_op_id));
CREATE TABLE leases (
  op_id TEXT PRIMARY KEY, worker_id TEXT, token TEXT, acquired_at TEXT, expires_at TEXT);
CREATE INDEX idx_leases_expires_at ON leases (expires_at);
CREATE TABLE queue_limit_state (
  site TEXT, queue_key TEXT, tokens REAL, last_refill_at TEXT, PRIMARY KEY (site, queue_key));
CREATE TABLE results (
  op_id TEXT PRIMARY KEY, workflow_id TEXT, data_json TEXT, records_json TEXT, emitted_json TEXT,
  emitted_ids_json TEXT, error_json TEXT, completed_at TEXT);
CREATE TABLE artifacts (
  id TEXT PRIMARY KEY, workflow_id TEXT, op_id TEXT, name TEXT, kind TEXT, content_type TEXT,
  metadata_json TEXT, body BLOB, created_at TEXT);
)sql";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out.push_back(c);
    out.push_back(c);
  }
  return out + "'";
}

class ZeroIds final : public IdSource {
 public:
  std::array<std::uint8_t, 32> bytes() override { return {}; }
};

using Row = std::vector<std::string>;

// Opens the file when it is not open yet.
std::vector<Row> rows_of(sqlite3*& db, const std::string& path, const std::string& sql) {
  std::vector<Row> rows;
  const auto collect = [](void* into, int count, char** values, char**) {
    Row& row = static_cast<std::vector<Row>*>(into)->emplace_back();
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "NULL" : values[i]);
    return 0;
  };
  if (db == nullptr) {
    LP_CHECK(sqlite3_open(path.c_str(), &db) == SQLITE_OK, "the test's own file opens");
    sqlite3_exec(db, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  }
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), collect, &rows, &message);
  // A claim about a table that a broken migration did not make is to fail, not to end the program.
  if (message != nullptr) rows = {{std::string("refused: ") + message}};
  sqlite3_free(message);
  return rows;
}

std::string joined(const Row& row) {
  std::string line;
  for (const auto& value : row) line += (&value == row.data() ? "" : "|") + value;
  return line;
}

}  // namespace

std::string us(const std::string& time_text) {
  return std::to_string(us_of_rfc3339(time_text).value());
}

std::string dump_of(sqlite3* db) {
  const auto rows = [&](const std::string& sql) { return rows_of(db, {}, sql); };
  std::string out;
  for (const Row& table : rows("SELECT name, sql, type FROM sqlite_master ORDER BY name")) {
    out += table[0] + "|" + table[1] + "\n";
    if (table[2] != "table") continue;
    std::string columns;
    for (const Row& column : rows("SELECT name FROM pragma_table_info(" + quoted(table[0]) + ")")) {
      columns += (columns.empty() ? "quote(" : ", quote(") + column[0] + ")";
    }
    for (const Row& row : rows("SELECT " + columns + " FROM " + table[0])) {
      out += joined(row) + "\n";
    }
  }
  return out;
}

OldDatabase::OldDatabase(const std::string& before) {
  make_folder();
  run(before + version_2);
}

OldDatabase::OldDatabase(const OldDatabase& other) : clock(other.clock) {
  make_folder();
  std::filesystem::copy_file(other.path_, path_);
}

void OldDatabase::make_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "leaseproof-migration-XXXXXX";
  LP_CHECK(mkdtemp(pattern.data()) != nullptr, "the folder for temporary files is writable");
  folder_ = pattern;
  path_ = folder_ + "/old.db";
}

OldDatabase::~OldDatabase() {
  close();
  std::filesystem::remove_all(folder_);
}

void OldDatabase::close() {
  sqlite3_close(db_);
  db_ = nullptr;
}

void OldDatabase::fill() {
  add(OldWorkflow{});
  add(OldOp{"a", "running"});
  add(OldOp{"b", "succeeded"});
  add(OldOp{"c", "pending"});
  add_dependency("c", "a");
  add_lease("a", "2026-07-20T18:00:01Z");
  add_result("b", "{}");
  add(OldArtifact{"x", "b", "page"});
  run("INSERT INTO queue_limit_state VALUES ('shop', 'slow', 1.5, '2026-07-20T18:00:00Z')");
}

void OldDatabase::add(const OldWorkflow& w) {
  run("INSERT INTO workflows (id, site, name, status, input_json, metadata_json, created_at, "
      "updated_at) VALUES (" +
      quoted(w.id) + "," + quoted(w.site) + ",'a name'," + quoted(w.status) + "," +
      quoted(w.input) + ",'{\"m\":\"1\"}'," + quoted(w.created_at) + "," + quoted(w.updated_at) +
      ")");
}

void OldDatabase::add(const OldOp& op) {
  run("INSERT INTO ops VALUES (" + quoted(op.id) + "," + quoted(op.workflow) + ",'a parent'," +
      quoted(op.site) + "," + quoted(op.kind) + "," + quoted(op.queue) + ",'a dedup key'," +
      quoted(op.input) + "," + quoted(op.retry) + ",'{}'," + quoted(op.status) + "," +
      quoted(op.state) + "," + (op.next_attempt_at ? quoted(*op.next_attempt_at) : "NULL") + "," +
      quoted(op.created_at) + "," + quoted(op.updated_at) + ")");
}

void OldDatabase::add(const OldArtifact& a) {
  run("INSERT INTO artifacts VALUES (" + quoted(a.id) + ",'w'," + quoted(a.op) + "," +
      quoted(a.name) + ",'page','text/html','{}'," + a.body_literal + "," + quoted(a.created_at) +
      ")");
}

void OldDatabase::add_lease(const std::string& op, const std::string& expires_at,
                            const std::string& token, const std::string& worker) {
  run("INSERT INTO leases VALUES (" + quoted(op) + "," + quoted(worker) + "," + quoted(token) +
      ",'2026-07-20T18:00:00Z'," + quoted(expires_at) + ")");
}

void OldDatabase::add_result(const std::string& op, const std::string& data,
                             const std::string& completed_at) {
  run("INSERT INTO results VALUES (" + quoted(op) + ",'w'," + quoted(data) +
      ",'[]','[]','[]',NULL," + quoted(completed_at) + ")");
}

void OldDatabase::add_dependency(const std::string& op, const std::string& need, int required) {
  run("INSERT INTO op_dependencies VALUES ('w'," + quoted(op) + "," + quoted(need) + "," +
      std::to_string(required) + ")");
}

void OldDatabase::run(const std::string& sql) {
  LP_CHECK(rows_of(db_, path_, sql).empty(), "what prepares a test is good SQL without rows");
}

std::vector<std::string> OldDatabase::ask(const std::string& sql) {
  std::vector<std::string> lines;
  for (const Row& row : rows_of(db_, path_, sql)) lines.push_back(joined(row));
  return lines;
}

std::string OldDatabase::one(const std::string& sql) {
  const auto rows = rows_of(db_, path_, sql);
  return rows.empty() ? "no row" : rows.front().front();
}

std::string OldDatabase::dump() {
  one("SELECT 1");  // opens the file when it is not open yet
  return dump_of(db_);
}

std::string OldDatabase::bytes() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool OldDatabase::migrate() {
  close();
  const auto texts = catalog_texts();
  DatabaseOptions options;
  options.path = path_;
  options.synchronous = Synchronous::off;
  const auto db = open_database(options, texts, clock);
  refusal = db ? std::string() : db.error().sentence;
  return db.has_value();
}

std::vector<std::string> OldDatabase::unsound() {
  return ask(
      "SELECT 'integrity', integrity_check FROM pragma_integrity_check WHERE integrity_check <> "
      "'ok' UNION ALL SELECT 'foreign key', \"table\" FROM pragma_foreign_key_check UNION ALL "
      "SELECT 'lease without a running op', op FROM lease WHERE op NOT IN (SELECT row FROM op "
      "WHERE status = 'running') UNION ALL SELECT 'running without a lease', id FROM op WHERE "
      "status = 'running' AND row NOT IN (SELECT op FROM lease) UNION ALL SELECT 'lease of another "
      "generation', o.id FROM op AS o JOIN lease AS l ON l.op = o.row WHERE l.generation <> "
      "o.generation UNION ALL SELECT 'result of an op not done', op FROM result WHERE op NOT IN "
      "(SELECT row FROM op WHERE status = 'succeeded') UNION ALL SELECT 'done without a result', "
      "id FROM op WHERE status = 'succeeded' AND row NOT IN (SELECT op FROM result) UNION ALL "
      "SELECT 'unmarked', id FROM op WHERE marked = 0 UNION ALL SELECT 'generation is not "
      "attempts', id FROM op WHERE generation <> attempts");
}

model::Outcome OldDatabase::refresh() {
  close();
  const auto texts = catalog_texts();
  DatabaseOptions options;
  options.path = path_;
  options.synchronous = Synchronous::off;
  auto db = open_database(options, texts, clock);
  LP_CHECK(db.has_value(), "a migrated database opens");
  Journal journal;
  ZeroIds ids;
  (*db)->execute(index(Sql::begin_write));
  KnownQueues known_queues;
  Write write(**db, journal, known_queues, ids, faults::Call::refresh, clock.now);
  model::Outcome outcome = store::refresh(write);
  journal.write(**db, clock.now, "{}");
  journal.stamp(**db);
  (*db)->execute(index(Sql::commit));
  LP_CHECK((*db)->fault() == sqlite::Fault::none, "a refresh of a migrated database commits");
  return outcome;
}

}  // namespace leaseproof::engine::store
