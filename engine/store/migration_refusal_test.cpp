// Checks that a version-2 database that cannot be carried over whole is refused in one line that
// names table, row and column, and is left as it was. Refusals that need no migration are
// open_test.cpp's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/store/migration_fixture_test.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

class MigrationRefusal : public testing::Test {
 protected:
  MigrationRefusal() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.fill();
  }

  // The sentence, after a check that the file holds what it held before.
  std::string refusal_after(const std::string& sql) {
    OldDatabase old(old_);
    old.run(sql);
    const std::string before = old.dump();
    const std::string bytes = old.bytes();
    EXPECT_FALSE(old.migrate()) << sql;
    EXPECT_TRUE(old.bytes() == bytes) << sql;
    EXPECT_TRUE(old.dump() == before) << sql << "\n" << old.dump();
    EXPECT_EQ(old.one("PRAGMA integrity_check"), "ok");
    const std::string start = "database " + old.path() + " cannot be migrated: ";
    EXPECT_EQ(old.refusal.substr(0, start.size()), start);
    return old.refusal.substr(std::min(old.refusal.size(), start.size()));
  }

  OldDatabase old_;
};

TEST_F(MigrationRefusal, what_is_spoiled_below_is_sound_before) {
  ASSERT_TRUE(old_.migrate()) << old_.refusal;
  EXPECT_EQ(old_.unsound(), std::vector<std::string>{});
}

struct BadRow {
  const char* sql;
  const char* told;
};

TEST_F(MigrationRefusal, a_time_that_cannot_be_parsed_is_named_by_table_row_and_column) {
  constexpr std::array rows{
      BadRow{"UPDATE workflows SET created_at = 'yesterday'",
             R"(table workflows, row "w", column created_at: "yesterday" is no RFC 3339 time)"},
      BadRow{"UPDATE workflows SET updated_at = '2026-07-20 18:00:01Z'",
             R"(table workflows, row "w", column updated_at: "2026-07-20 18:00:01Z" is no RFC)"},
      BadRow{"UPDATE ops SET next_attempt_at = 'soon' WHERE id = 'b'",
             R"(table ops, row "b", column next_attempt_at: "soon" is no RFC 3339 time)"},
      BadRow{"UPDATE ops SET created_at = NULL WHERE id = 'c'",
             R"(table ops, row "c", column created_at: NULL is no RFC 3339 time)"},
      BadRow{"UPDATE ops SET updated_at = '' WHERE id = 'c'",
             R"(table ops, row "c", column updated_at: "" is no RFC 3339 time)"},
      BadRow{"UPDATE leases SET acquired_at = '2026-02-29T00:00:00Z'",
             R"(table leases, row "a", column acquired_at: "2026-02-29T00:00:00Z" is no RFC)"},
      BadRow{"UPDATE leases SET expires_at = x'00'",
             R"(table leases, row "a", column expires_at: a blob is no RFC 3339 time)"},
      BadRow{"INSERT INTO leases VALUES ('b', 'v', 't', '2026-07-20T18:00:00Z', 'never')",
             R"(table leases, row "b", column expires_at: "never" is no RFC 3339 time)"},
      BadRow{"UPDATE queue_limit_state SET last_refill_at = '2026-07-20T18:00:01.1234567890Z'",
             R"(table queue_limit_state, row "shop" and "slow", column last_refill_at: )"},
      BadRow{"UPDATE results SET completed_at = '1784570401'",
             R"(table results, row "b", column completed_at: "1784570401" is no RFC 3339 time)"},
      BadRow{"UPDATE artifacts SET created_at = '2026-07-20T18:00:01'",
             R"(table artifacts, row "x", column created_at: "2026-07-20T18:00:01" is no RFC)"},
  };
  for (const auto& [sql, told] : rows) {
    const std::string sentence = refusal_after(sql);
    EXPECT_NE(sentence.find(told), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("; mend that row"), std::string::npos) << sentence;
  }
}

TEST_F(MigrationRefusal, a_value_of_the_wrong_kind_is_named_by_table_row_and_column) {
  constexpr std::array rows{
      BadRow{"UPDATE workflows SET id = NULL", "table workflows, row NULL, column id: NULL is no"},
      BadRow{"UPDATE ops SET id = NULL WHERE id = 'c'", "table ops, row NULL, column id: NULL is "},
      BadRow{"UPDATE ops SET id = x'61' WHERE id = 'c'", "table ops, row a blob, column id: a blo"},
      BadRow{"UPDATE ops SET id = '' WHERE id = 'c'",
             R"(table ops, row "", column id: the text is empty)"},
      BadRow{"UPDATE ops SET id = CAST(x'ff' AS TEXT) WHERE id = 'c'",
             "table ops, row a text that is no UTF-8, column id: the text is no UTF-8"},
      BadRow{"UPDATE workflows SET id = ''",
             R"(table workflows, row "", column id: the text is empty)"},
      BadRow{"UPDATE ops SET workflow_id = 'v' WHERE id = 'c'",
             R"(table ops, row "c", column workflow_id: "v" is no workflow)"},
      BadRow{"UPDATE ops SET workflow_id = NULL WHERE id = 'c'",
             R"(table ops, row "c", column workflow_id: NULL is no workflow)"},
      BadRow{"UPDATE ops SET status = 'paused' WHERE id = 'c'",
             R"(table ops, row "c", column status: "paused" is no status of an op)"},
      BadRow{"UPDATE ops SET status = NULL WHERE id = 'c'",
             R"(table ops, row "c", column status: NULL is no text)"},
      BadRow{"UPDATE ops SET site = x'00' WHERE id = 'c'",
             R"(table ops, row "c", column site: a blob is no text)"},
      BadRow{"UPDATE ops SET kind = CAST(x'ff' AS TEXT) WHERE id = 'c'",
             R"(table ops, row "c", column kind: the text is no UTF-8)"},
      BadRow{"UPDATE ops SET input_json = x'00' WHERE id = 'c'",
             R"(table ops, row "c", column input_json: a blob is no text)"},
      BadRow{"UPDATE ops SET retry_json = '{\"MaxAttempts\":\"3\"}' WHERE id = 'c'",
             R"(table ops, row "c", column retry_json: MaxAttempts 3 is no number)"},
      BadRow{"UPDATE ops SET retry_json = '{' WHERE id = 'c'",
             R"(table ops, row "c", column retry_json: a key must be a string at byte 1)"},
      BadRow{"UPDATE ops SET retry_state_json = '[]' WHERE id = 'c'",
             R"(table ops, row "c", column retry_state_json: this is no JSON object at byte 0)"},
      BadRow{"UPDATE ops SET retry_state_json = '{\"Attempt\":-1}' WHERE id = 'c'",
             R"(table ops, row "c", column retry_state_json: Attempt -1 is out of range)"},
      BadRow{"UPDATE op_dependencies SET depends_on_op_id = 'z'",
             R"(table op_dependencies, row "c" and "z", column depends_on_op_id: "z" is no op)"},
      BadRow{"UPDATE op_dependencies SET depends_on_op_id = 'c'",
             R"(row "c" and "c", column depends_on_op_id: an op cannot need itself)"},
      BadRow{"UPDATE op_dependencies SET required = 'yes'",
             R"(row "c" and "a", column required: "yes" is neither 0 nor 1)"},
      BadRow{"UPDATE op_dependencies SET required = 2",
             R"(row "c" and "a", column required: 2 is neither 0 nor 1)"},
      BadRow{"UPDATE op_dependencies SET required = NULL",
             R"(row "c" and "a", column required: NULL is neither 0 nor 1)"},
      BadRow{"UPDATE leases SET token = NULL",
             R"(table leases, row "a", column token: NULL is no)"},
      BadRow{"UPDATE leases SET worker_id = x'00'",
             R"(table leases, row "a", column worker_id: a blob is no text)"},
      BadRow{"UPDATE results SET data_json = x'7b7d'",
             R"(table results, row "b", column data_json: a blob is no text)"},
      BadRow{"UPDATE results SET data_json = CAST(x'22ff22' AS TEXT)",
             R"(table results, row "b", column data_json: the text is no UTF-8)"},
      BadRow{"UPDATE artifacts SET body = NULL",
             R"(table artifacts, row "x", column body: NULL is neither a blob nor a text)"},
      BadRow{"UPDATE artifacts SET body = 1.5",
             R"(table artifacts, row "x", column body: 1.5 is neither a blob nor a text)"},
      BadRow{"UPDATE artifacts SET id = ''",
             R"(table artifacts, row "", column id: the text is empty)"},
  };
  for (const auto& [sql, told] : rows) {
    const std::string sentence = refusal_after(sql);
    EXPECT_NE(sentence.find(told), std::string::npos) << sql << "\n" << sentence;
  }
}

// Whatever stands in a column: the database is sound afterwards, or one row is named.
TEST_F(MigrationRefusal, no_value_in_any_column_is_more_than_a_sentence) {
  const auto columns = old_.ask(
      "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE "
      "t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'schema_migrations'");
  ASSERT_GT(columns.size(), 50U);
  std::size_t refused = 0;
  std::size_t migrated = 0;
  for (const auto& line : columns) {
    const std::string table = line.substr(0, line.find('|'));
    const std::string column = line.substr(table.size() + 1);
    for (const char* value : {"NULL", "''", "-9223372036854775808", "x'00ff'",
                              "CAST(x'ff41' AS TEXT)", "'{\"Attempt\":1e9}'"}) {
      OldDatabase old(old_);
      std::string spoil = "UPDATE OR IGNORE " + table;
      spoil.append(" SET ").append(column).append(" = ").append(value);
      old.run(spoil);
      if (old.migrate()) {
        ++migrated;
        EXPECT_EQ(old.unsound(), std::vector<std::string>{}) << line << " " << value;
      } else {
        ++refused;
        EXPECT_NE(old.refusal.find("cannot be migrated: table "), std::string::npos)
            << line << " " << value << "\n"
            << old.refusal;
        EXPECT_EQ(old.one("SELECT MAX(version) FROM schema_migrations"), "2") << line;
      }
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(migrated, 100U);
}

TEST_F(MigrationRefusal, a_long_value_is_shown_in_part) {
  const std::string sentence =
      refusal_after("UPDATE leases SET expires_at = '" + std::string(79, 'x') + "ö and more'");
  EXPECT_NE(sentence.find('"' + std::string(79, 'x') + "\"… is no RFC"), std::string::npos)
      << sentence;
}

TEST_F(MigrationRefusal, a_cycle_names_a_row_that_is_part_of_it) {
  const std::string sentence = refusal_after(
      "INSERT INTO op_dependencies VALUES ('w', 'a', 'c', 0);"
      "INSERT INTO ops SELECT 'd', workflow_id, parent_id, site, kind, queue_key, dedup_key, "
      "input_json, retry_json, metadata_json, status, retry_state_json, next_attempt_at, "
      "'2026-07-20T01:00:00Z', updated_at FROM ops WHERE id = 'c';"
      "INSERT INTO op_dependencies VALUES ('w', 'd', 'c', 1)");
  EXPECT_EQ(sentence.rfind(R"(table op_dependencies, row "c" and "a", column depends_on_op_id: )"
                           "the two ops are part of a cycle",
                           0),
            0U)
      << sentence;
}

TEST_F(MigrationRefusal, a_layout_that_is_no_version_2_is_told_by_what_it_lacks) {
  EXPECT_EQ(refusal_after("ALTER TABLE ops DROP COLUMN retry_json"),
            "table ops has no column retry_json, so this is no version 2; restore the database "
            "from a backup");
  EXPECT_EQ(refusal_after("DROP TABLE artifacts"),
            "table artifacts has no column id, so this is no version 2; restore the database from "
            "a backup");
}

// Whatever the schema creates, somebody may have it already.
TEST_F(MigrationRefusal, a_name_that_is_taken_is_told_and_what_has_it_is_left_alone) {
  OldDatabase fresh;
  fresh.clock.now = old_.clock.now;
  ASSERT_TRUE(fresh.migrate()) << fresh.refusal;
  const auto names = fresh.ask(
      "SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name IN (SELECT name FROM "
      "pragma_table_list WHERE strict = 1)");
  ASSERT_GE(names.size(), 18U);
  for (const auto& name : names) {
    const std::string sentence = refusal_after("CREATE TABLE " + name + " (theirs TEXT)");
    EXPECT_EQ(sentence.rfind("it has a table " + name + " of another program", 0), 0U) << sentence;
  }
}

TEST_F(MigrationRefusal, a_mended_database_is_migrated_as_if_it_had_never_been_refused) {
  old_.run("UPDATE ops SET status = 'paused' WHERE id = 'c'");
  EXPECT_FALSE(old_.migrate());
  EXPECT_EQ(old_.one("SELECT MAX(version) FROM schema_migrations"), "2");
  const std::string told = old_.refusal;
  EXPECT_FALSE(old_.migrate());
  EXPECT_EQ(old_.refusal, told);
  old_.run("UPDATE ops SET status = 'pending' WHERE id = 'c'");
  ASSERT_TRUE(old_.migrate()) << old_.refusal;
  EXPECT_EQ(old_.unsound(), std::vector<std::string>{});
}

TEST_F(MigrationRefusal, a_newer_version_is_judged_by_the_largest_number) {
  old_.run("INSERT INTO schema_migrations VALUES (9, 'later', '2030-01-01T00:00:00Z')");
  const std::string before = old_.dump();
  EXPECT_FALSE(old_.migrate());
  EXPECT_NE(old_.refusal.find("has version 9, newer than the 6"), std::string::npos);
  EXPECT_EQ(old_.dump(), before);
}

}  // namespace
}  // namespace leaseproof::engine::store
