// Checks what becomes of results and artifacts of a version-2 database, and that its own tables
// stay readable as they were.
#include "engine/store/migration_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/store/migration_fixture_test.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

using Lines = std::vector<std::string>;

class MigrationProducts : public testing::Test {
 protected:
  MigrationProducts() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.add(OldWorkflow{});
  }

  void migrate() {
    ASSERT_TRUE(old_.migrate()) << old_.refusal;
    EXPECT_EQ(old_.unsound(), Lines{});
  }

  OldDatabase old_;
};

TEST_F(MigrationProducts, results_exist_exactly_for_succeeded_ops) {
  for (const char* status : {"pending", "ready", "running", "succeeded", "failed", "canceled"}) {
    old_.add(OldOp{status, status});
    // The older system wrote a row for each failure too.
    old_.add_result(status, R"({"b":1,"a":2})", "2026-07-20T17:20:00.5Z");
  }
  old_.add(OldOp{"silent", "succeeded"});
  old_.add_lease("running", "2026-07-20T19:00:00Z");
  old_.add_result("nobody", "1");
  migrate();
  EXPECT_EQ(old_.ask("SELECT o.id, r.data, r.completed_at_us, r.token_hash FROM result AS r JOIN "
                     "op AS o ON o.row = r.op ORDER BY o.id"),
            (Lines{"silent|null|" + us("2026-07-20T17:30:00Z") + "|NULL",
                   "succeeded|{\"a\":2,\"b\":1}|" + us("2026-07-20T17:20:00.5Z") + "|NULL"}));
}

TEST_F(MigrationProducts, a_result_stays_valid_json) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"b":1,"a":[null,true]})", R"({"a":[null,true],"b":1})"},
      {R"({"b":1.50,"a":1e3})", R"({"b":1.50,"a":1e3})"},
      {"12345678901234567890", "12345678901234567890"},
      {"", "null"},
      {"not json", R"("not json")"},
      {R"({"a":1,"a":2})", R"("{\"a\":1,\"a\":2}")"},
      {R"("\ud800")", R"("\"\\ud800\"")"},
      {std::string(300, '['), "\"" + std::string(300, '[') + "\""},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string id = std::to_string(i);
    old_.add(OldOp{id, "succeeded"});
    old_.add_result(id, cases[i].first);
  }
  migrate();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(old_.one("SELECT data FROM result AS r JOIN op AS o ON o.row = r.op WHERE o.id = '" +
                       std::to_string(i) + "'"),
              cases[i].second);
  }
}

TEST_F(MigrationProducts, an_artifact_is_known_by_the_hash_of_its_body) {
  old_.add(OldOp{"a", "succeeded"});
  old_.add(OldArtifact{"1", "a", "blob", "x'00ff00'"});
  old_.add(OldArtifact{"2", "a", "text", "'Größe'"});
  old_.add(OldArtifact{"3", "a", "empty", "x''"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT name, hash, typeof(body), hex(body) FROM artifact ORDER BY name"),
            (Lines{"blob|" + sha256_hex(std::string("\0\xff\0", 3)) + "|blob|00FF00",
                   "empty|" + sha256_hex("") + "|blob|",
                   "text|" + sha256_hex("Größe") + "|text|4772C3B6C39F65"}));
}

TEST_F(MigrationProducts, the_second_and_later_artifact_of_a_name_gets_its_id_appended) {
  old_.add(OldOp{"a", "succeeded"});
  old_.add(OldOp{"b", "succeeded"});
  // By text the one with the fraction came first; by instant it is the last.
  old_.add(OldArtifact{"1", "a", "page", "x'01'", "2026-07-20T17:20:00.5Z"});
  old_.add(OldArtifact{"2", "a", "page", "x'02'", "2026-07-20T17:20:00Z"});
  old_.add(OldArtifact{"4", "a", "page", "x'04'", "2026-07-20T17:20:00.4Z"});
  old_.add(OldArtifact{"3", "a", "page", "x'03'", "2026-07-20T17:20:00.40Z"});
  // The first of its own name keeps it, though it came later than the page that would take it.
  old_.add(OldArtifact{"5", "a", "page1", "x'05'", "2026-07-20T17:25:00Z"});
  old_.add(OldArtifact{"6", "b", "page", "x'06'", "2026-07-20T17:25:00Z"});
  old_.add(OldArtifact{"7", "b", "", "x'07'", "2026-07-20T17:25:00Z"});
  ASSERT_EQ(old_.ask("SELECT id FROM artifacts WHERE name = 'page' AND op_id = 'a' ORDER BY "
                     "created_at"),
            (Lines{"3", "4", "1", "2"}));
  migrate();
  EXPECT_EQ(old_.ask("SELECT o.id, a.name, hex(a.body) FROM artifact AS a JOIN op AS o ON o.row = "
                     "a.op ORDER BY 1, 3"),
            (Lines{"a|page11|01", "a|page|02", "a|page3|03", "a|page4|04", "a|page1|05",
                   "b|page|06", "b|7|07"}));
}

TEST_F(MigrationProducts, artifacts_of_ops_that_are_not_done_stay_behind) {
  for (const char* status : {"ready", "failed", "canceled"}) {
    old_.add(OldOp{status, status});
    old_.add(OldArtifact{status, status, "page"});
  }
  old_.add(OldArtifact{"x", "nobody", "page"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT * FROM artifact"), Lines{});
  EXPECT_EQ(old_.one("SELECT COUNT(*) FROM artifacts"), "4");
}

TEST_F(MigrationProducts, old_tables_and_columns_stay_as_they_were) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  old_.add(OldOp{"b", "succeeded"});
  old_.add_result("b", "1.5");
  old_.add_dependency("a", "b");
  old_.add(OldArtifact{"x", "b", "page"});
  old_.run("INSERT INTO queue_limit_state VALUES ('shop', 'slow', 0.25, '2026-07-20T18:00:01Z')");
  const Lines queries = old_.ask(
      "SELECT 'SELECT ' || group_concat('quote(' || c.name || ')') || ' FROM ' || t.name FROM "
      "sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name <> "
      "'schema_migrations' GROUP BY t.name");
  ASSERT_EQ(queries.size(), 7U);
  std::vector<Lines> before(queries.size());
  std::transform(queries.begin(), queries.end(), before.begin(),
                 [&](const std::string& query) { return old_.ask(query); });
  migrate();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    EXPECT_FALSE(before[i].empty()) << queries[i];
    EXPECT_EQ(old_.ask(queries[i]), before[i]);
  }
  // Its limits are not in the file, so a bucket is made by the next `queue` call, and starts full.
  EXPECT_EQ(old_.ask("SELECT * FROM queue"), Lines{});
}

TEST_F(MigrationProducts, a_database_in_utf_16_hashes_the_same_bytes) {
  OldDatabase wide("PRAGMA encoding = 'UTF-16le';");
  wide.add(OldWorkflow{});
  wide.add(OldOp{"a", "succeeded"});
  wide.add(OldArtifact{"1", "a", "blob", "x'00ff00'"});
  wide.add(OldArtifact{"2", "a", "text", "'Größe'"});
  ASSERT_TRUE(wide.migrate()) << wide.refusal;
  EXPECT_EQ(
      wide.ask("SELECT name, hash FROM artifact ORDER BY name"),
      (Lines{"blob|" + sha256_hex(std::string("\0\xff\0", 3)), "text|" + sha256_hex("Größe")}));
}

}  // namespace
}  // namespace leaseproof::engine::store
