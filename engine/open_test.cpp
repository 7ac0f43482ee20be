// Checks that a file which is no database of ours is refused with one clear line and left as it
// was. Migration has a test of its own.
#include <sqlite3.h>

#include <fstream>
#include <iterator>

#include "engine/fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;

class Opening : public EngineTest {
 protected:
  std::string refused() {
    auto opened = Engine::open(options());
    EXPECT_FALSE(opened.has_value());
    return opened.has_value() ? "" : opened.error().sentence;
  }
  void script(const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open(path().c_str(), &db));
    ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, sql, nullptr, nullptr, nullptr));
    sqlite3_close(db);
  }
  void back_to_version_5() {
    script(
        "DROP INDEX op_ready;"
        "CREATE INDEX workflow_by_last_seq ON workflow (last_seq);"
        "CREATE INDEX op_ready ON op (site, queue) WHERE status = 'ready';"
        "CREATE INDEX op_fresh ON op (site, queue, created_us, id) WHERE status = 'ready' AND "
        "next_attempt_us IS NULL;"
        "CREATE INDEX op_retry ON op (site, queue, next_attempt_us) WHERE status = 'ready' AND "
        "next_attempt_us IS NOT NULL;"
        "CREATE INDEX op_running ON op (site, queue) WHERE status = 'running';"
        "CREATE INDEX lease_by_expiry ON lease (expires_us);"
        "DELETE FROM schema_migrations WHERE version = 6;");
  }
  // The schema, without what only says where it lies in the file.
  std::vector<std::string> schema() {
    std::vector<std::string> lines;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(engine().connection().handle(),
                       "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master "
                       "ORDER BY type, name",
                       -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      lines.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    }
    sqlite3_finalize(statement);
    return lines;
  }
  std::string bytes() {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(Opening, refuses_a_file_that_is_no_database) {
  std::ofstream(path()) << std::string(5000, 'x');
  const auto before = bytes();
  EXPECT_EQ("database " + path() + " is no SQLite database; name the right file", refused());
  EXPECT_EQ(before, bytes());
}

TEST_F(Opening, refuses_the_database_of_another_program_and_leaves_it_alone) {
  script("CREATE TABLE orders (id INTEGER)");
  const auto before = bytes();
  EXPECT_NE(std::string::npos, refused().find("belongs to another program"));
  EXPECT_EQ(before, bytes());
}

TEST_F(Opening, refuses_another_programs_schema_migrations) {
  script("CREATE TABLE schema_migrations (version TEXT); CREATE TABLE users (id INTEGER)");
  EXPECT_NE(std::string::npos, refused().find("belongs to another program"));
}

TEST_F(Opening, gives_a_new_database_pages_that_are_small_and_leaves_those_of_another) {
  const auto page_size = [&] {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(engine().connection().handle(), "PRAGMA page_size", -1, &statement, nullptr);
    sqlite3_step(statement);
    const int bytes = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return bytes;
  };
  EXPECT_EQ(2048, page_size());
  engine_.reset();
  sqlite3* other = nullptr;
  ASSERT_EQ(SQLITE_OK, sqlite3_open(path().c_str(), &other));
  const char* larger = "PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM";
  ASSERT_EQ(SQLITE_OK, sqlite3_exec(other, larger, nullptr, nullptr, nullptr));
  sqlite3_close(other);
  EXPECT_EQ(8192, page_size());
}

TEST_F(Opening, refuses_a_newer_version) {
  engine();
  engine_.reset();
  script("INSERT INTO schema_migrations VALUES (99, 'later', '2030-01-01T00:00:00Z')");
  EXPECT_NE(std::string::npos, refused().find("has version 99, newer than the"));
}

TEST_F(Opening, refuses_what_the_older_system_made_of_its_version_2) {
  for (const char* version : {"3", "4", "9"}) {
    script(
        "DROP TABLE IF EXISTS schema_migrations;"
        "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at TEXT);"
        "INSERT INTO schema_migrations VALUES (3, 'queue limits', '2030-01-01T00:00:00Z');"
        "CREATE TABLE IF NOT EXISTS workflows (id TEXT); CREATE TABLE IF NOT EXISTS ops (id TEXT);"
        "CREATE TABLE IF NOT EXISTS leases (op_id TEXT);");
    script((std::string("INSERT OR IGNORE INTO schema_migrations VALUES (") + version +
            ", 'later', '2030-01-01T00:00:00Z')")
               .c_str());
    EXPECT_NE(std::string::npos, refused().find("of the older system; only its version 2"));
  }
}

// A database of version 4, as the program before effects left it.
TEST_F(Opening, brings_version_4_to_the_tables_of_effects) {
  engine();
  engine_.reset();
  back_to_version_5();
  const char* back =
      "DROP INDEX op_for_a_person; DROP TABLE approval; DROP TABLE effect; DROP TABLE pin; DROP "
      "TABLE context;"
      "DELETE FROM schema_migrations WHERE version = 5;";
  script(back);
  script("CREATE TABLE context (theirs TEXT)");
  EXPECT_NE(std::string::npos, refused().find("it has a table context of another program"));
  script("DROP TABLE context");
  model::ContextPut put;
  put.scope = "memory";
  put.ttl_us = 1;
  EXPECT_EQ(Word::ok, engine().put_context(put).word);
}

TEST_F(Opening, brings_version_5_to_the_schema_of_a_new_database_and_goes_on_with_its_leases) {
  const auto as_new = schema();
  start("w", {op("retried"), op("running"), op("waiting")});
  engine().refresh();
  const std::string failed = lease("A");
  model::Fail late;
  late.by.op = "retried";
  ASSERT_EQ(Word::retry_scheduled, engine().fail(failed, late).word);
  const std::string held = lease("A");
  engine_.reset();
  back_to_version_5();
  EXPECT_EQ(as_new, schema());
  EXPECT_EQ(Word::ok, complete(held, "running").word);
  clock_.time_us += 10'000'000;
  EXPECT_NE("", lease("A"));
  EXPECT_NE("", lease("A"));
  EXPECT_EQ("", lease("A"));
}

TEST_F(Opening, refuses_a_version_that_is_too_old_to_migrate) {
  script(
      "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at TEXT);"
      "INSERT INTO schema_migrations VALUES (1, 'first', '2026-01-01T00:00:00Z');"
      "CREATE TABLE workflows (id TEXT); CREATE TABLE ops (id TEXT); CREATE TABLE leases (op_id "
      "TEXT)");
  EXPECT_NE(std::string::npos, refused().find("has version 1; bring it to version 2"));
}

TEST_F(Opening, refuses_a_read_only_database) {
  engine();
  engine_.reset();
  auto read_only = options();
  read_only.path = "file:" + path() + "?mode=ro";
  const auto opened = Engine::open(read_only);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(std::string::npos, opened.error().sentence.find("read-only"))
      << opened.error().sentence;
}

TEST_F(Opening, gives_up_on_a_database_that_is_locked_for_ever) {
  engine();
  engine_.reset();
  sqlite3* rival = nullptr;
  ASSERT_EQ(SQLITE_OK, sqlite3_open(path().c_str(), &rival));
  ASSERT_EQ(SQLITE_OK,
            sqlite3_exec(rival,
                         "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE "
                         "held (x)",
                         nullptr, nullptr, nullptr));
  EXPECT_NE(std::string::npos, refused().find("locked by another program"));
  sqlite3_close(rival);
}

TEST_F(Opening, names_the_folder_that_does_not_exist) {
  auto nowhere = options();
  nowhere.path = (folder_ / "none" / "engine.sqlite").string();
  const auto opened = Engine::open(nowhere);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(std::string::npos, opened.error().sentence.find("cannot be opened"));
}

TEST_F(Opening, tells_a_damaged_database_from_a_foreign_one) {
  start("w", {op("a")});
  engine().connection().run_script("PRAGMA wal_checkpoint(TRUNCATE)");
  engine_.reset();
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file << std::string(4000, '\xff');
  }
  EXPECT_NE(std::string::npos, refused().find("is damaged"));
}

TEST_F(Opening, asks_for_wal_foreign_keys_and_full_synchronous) {
  const auto pragma = [&](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(engine().connection().handle(), sql, -1, &statement, nullptr);
    sqlite3_step(statement);
    std::string text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
  };
  EXPECT_EQ("wal", pragma("PRAGMA journal_mode"));
  EXPECT_EQ("1", pragma("PRAGMA foreign_keys"));
  EXPECT_EQ("2", pragma("PRAGMA synchronous"));
}

}  // namespace
}  // namespace leaseproof::engine
