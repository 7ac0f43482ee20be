// Checks the way to the current version: the times that become integers, one transaction a version,
// what a crash between two versions leaves. Does not check what becomes of the rows:
// migration_test.cpp does.
#include "engine/store/migration_times.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/catalog.hpp"
#include "engine/store/migration.hpp"
#include "engine/store/migration_fixture_test.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

using Lines = std::vector<std::string>;

class MigrationTimes : public testing::Test {
 protected:
  MigrationTimes() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.add(OldWorkflow{});
  }

  void migrate() {
    ASSERT_TRUE(old_.migrate()) << old_.refusal;
    EXPECT_EQ(old_.unsound(), Lines{});
  }

  std::string of_op(const std::string& column, const std::string& id) {
    return old_.one("SELECT " + column + " FROM op WHERE id = '" + id + "'");
  }

  OldDatabase old_;
};

TEST_F(MigrationTimes, brings_an_empty_old_database_to_the_current_version) {
  migrate();
  EXPECT_EQ(old_.ask("SELECT version, name, applied_at FROM schema_migrations"),
            (Lines{"1|001_engine_core.sql|2026-03-01T10:00:00.123456789Z",
                   "2|002_engine_runtime.sql|2026-03-01T10:00:00.2Z",
                   "3|integer_times|2026-07-20T18:00:01.500000Z",
                   "4|leaseproof_tables|2026-07-20T18:00:01.500000Z",
                   "5|effects|2026-07-20T18:00:01.500000Z",
                   "6|fewer_indexes|2026-07-20T18:00:01.500000Z"}));
  EXPECT_EQ(old_.ask("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 1"
                     " ORDER BY name"),
            (Lines{"approval", "artifact", "checkpoint", "context", "effect", "event", "lease",
                   "need", "op", "pin", "queue", "result", "workflow"}));
}

TEST_F(MigrationTimes, has_the_tables_of_a_new_database) {
  migrate();
  OldDatabase fresh;
  fresh.run(
      "DROP TABLE workflows; DROP TABLE ops; DROP TABLE op_dependencies; DROP TABLE leases;"
      "DROP TABLE queue_limit_state; DROP TABLE results; DROP TABLE artifacts;"
      "DROP TABLE schema_migrations");
  ASSERT_TRUE(fresh.migrate()) << fresh.refusal;
  for (const auto& line : fresh.ask("SELECT name, sql FROM sqlite_master WHERE name <> "
                                    "'schema_migrations' AND sql IS NOT NULL")) {
    const std::string name = line.substr(0, line.find('|'));
    EXPECT_EQ(old_.one("SELECT name || '|' || sql FROM sqlite_master WHERE name = '" + name + "'"),
              line);
  }
}

TEST_F(MigrationTimes, times_of_any_precision_and_offset_become_their_instant) {
  old_.add(OldWorkflow{"v", "shop", "running", "null", "2026-07-20T20:00:01.123456789+02:00",
                       "1969-12-31T23:59:59.9999999Z"});
  OldOp op{"a"};
  op.workflow = "v";
  op.next_attempt_at = "2026-07-21T03:30:00.5+09:30";
  op.created_at = "2026-07-20T18:00:01.1Z";
  op.updated_at = "2026-07-20T18:00:01.12Z";
  old_.add(op);
  old_.run("INSERT INTO queue_limit_state VALUES ('shop', 'slow', 0.5, '2026-07-20T18:00:01z')");
  old_.add(OldArtifact{"x", "a", "page", "x''", "2026-07-20T18:00:01.000001999Z"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT created_at_us, updated_at_us FROM workflows WHERE id = 'v'"),
            Lines{us("2026-07-20T18:00:01.123456Z") + "|-1"});
  EXPECT_EQ(old_.ask("SELECT next_attempt_at_us, created_at_us, updated_at_us FROM ops"),
            Lines{us("2026-07-20T18:00:00.5Z") + "|" + us("2026-07-20T18:00:01.1Z") + "|" +
                  us("2026-07-20T18:00:01.12Z")});
  EXPECT_EQ(old_.one("SELECT last_refill_at_us FROM queue_limit_state"),
            us("2026-07-20T18:00:01Z"));
  EXPECT_EQ(old_.one("SELECT created_at_us FROM artifacts"), us("2026-07-20T18:00:01.000001Z"));
  EXPECT_EQ(old_.ask("SELECT created_us, updated_us FROM workflow WHERE id = 'v'"),
            Lines{us("2026-07-20T18:00:01.123456Z") + "|-1"});
  EXPECT_EQ(of_op("next_attempt_us", "a"), us("2026-07-20T18:00:00.5Z"));
}

// The first seed's probe. Compared as texts, the lease would never expire.
TEST_F(MigrationTimes, a_lease_expires_by_instant_where_text_order_says_the_opposite) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  const auto expired_as_text =
      "SELECT op_id FROM leases WHERE expires_at <= '2026-07-20T18:00:01.5Z'";
  ASSERT_EQ(old_.ask(expired_as_text), Lines{});
  migrate();
  EXPECT_EQ(
      old_.ask("SELECT op_id FROM leases WHERE expires_at_us <= " + us("2026-07-20T18:00:01.5Z")),
      Lines{"a"});
  const auto outcome = old_.refresh();
  EXPECT_EQ(std::get<model::Refreshed>(outcome.detail).recovered, 1);
  EXPECT_EQ(of_op("status", "a"), "ready");
  EXPECT_EQ(old_.ask("SELECT * FROM lease"), Lines{});
}

// The other way round: as a text this lease is over half a second before it is.
TEST_F(MigrationTimes, a_lease_lives_by_instant_where_text_order_says_the_opposite) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T17:00:02-01:00");
  ASSERT_EQ(old_.ask("SELECT op_id FROM leases WHERE expires_at <= '2026-07-20T18:00:01.5Z'"),
            Lines{"a"});
  migrate();
  old_.refresh();
  EXPECT_EQ(of_op("status", "a"), "running");
}

TEST_F(MigrationTimes, ops_stand_in_the_order_of_instants_where_text_order_says_the_opposite) {
  OldOp early{"b"};
  early.created_at = "2026-07-20T17:00:01Z";
  OldOp late{"a"};
  late.created_at = "2026-07-20T17:00:01.5Z";
  old_.add(late);
  old_.add(early);
  ASSERT_EQ(old_.ask("SELECT id FROM ops ORDER BY created_at"), (Lines{"a", "b"}));
  migrate();
  EXPECT_EQ(old_.ask("SELECT id FROM op ORDER BY created_us, id"), (Lines{"b", "a"}));
  EXPECT_EQ(old_.ask("SELECT id FROM op ORDER BY row"), (Lines{"b", "a"}));
}

TEST_F(MigrationTimes, opening_again_changes_nothing) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  migrate();
  const std::string once = old_.dump();
  old_.clock.now += 1'000'000;
  migrate();
  EXPECT_EQ(old_.dump(), once);
}

// The step to version 3 alone, as a program leaves it that dies between the two.
void only_the_first_step(const OldDatabase& old) {
  sqlite::Fault fault = sqlite::Fault::none;
  const auto texts = catalog_texts();
  auto db = sqlite::Connection::open({old.path(), "", false, false}, texts, fault);
  ASSERT_NE(db, nullptr);
  db->run_script("BEGIN IMMEDIATE");
  ASSERT_EQ(migrate_to_3(*db, 0), "");
  db->run_script("INSERT INTO schema_migrations VALUES (3, 'integer_times', 'then'); COMMIT");
  ASSERT_EQ(db->fault(), sqlite::Fault::none);
}

TEST_F(MigrationTimes, goes_on_after_a_crash_between_the_versions) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  only_the_first_step(old_);
  EXPECT_EQ(old_.one("SELECT expires_at_us FROM leases"), us("2026-07-20T18:00:01Z"));
  EXPECT_EQ(old_.one("SELECT COUNT(*) FROM sqlite_master WHERE name = 'op'"), "0");
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:01Z"));
}

TEST_F(MigrationTimes, what_an_older_program_wrote_between_the_versions_counts) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  only_the_first_step(old_);
  old_.run("UPDATE leases SET expires_at = '2026-07-20T18:00:31Z'");
  old_.add(OldWorkflow{"v"});
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:31Z"));
  EXPECT_EQ(old_.one("SELECT created_us FROM workflow WHERE id = 'v'"), us("2026-07-20T17:00:00Z"));
}

TEST_F(MigrationTimes, what_an_older_program_spoiled_between_the_versions_is_refused) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  only_the_first_step(old_);
  old_.run("UPDATE leases SET expires_at = 'never'");
  const std::string before = old_.dump();
  EXPECT_FALSE(old_.migrate());
  EXPECT_NE(old_.refusal.find(R"(table leases, row "a", column expires_at: "never")"),
            std::string::npos)
      << old_.refusal;
  EXPECT_EQ(old_.dump(), before);
}

TEST_F(MigrationTimes, integer_columns_added_by_hand_are_filled) {
  old_.run("ALTER TABLE leases ADD COLUMN expires_at_us INTEGER");
  old_.add(OldOp{"a", "running"});
  old_.run(
      "INSERT INTO leases (op_id, worker_id, token, acquired_at, expires_at) VALUES ('a', "
      "'w', 't', '2026-07-20T18:00:00Z', '2026-07-20T18:00:01Z')");
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:01Z"));
}

}  // namespace
}  // namespace leaseproof::engine::store
