// Checks that the statements of `lease`, `refresh` and the worker calls cost what they touch:
// SQLite's own plan for each names an index or a rowid, and never scans a table that grows. Prints
// the plans.
#include <sqlite3.h>

#include <set>
#include <string>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {
namespace {

class Plan : public EngineTest {
 protected:
  std::vector<std::string> of(const Statement& statement) {
    const std::string sql = "EXPLAIN QUERY PLAN " + std::string(statement.text);
    sqlite3_stmt* explain = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(engine().connection().handle(), sql.c_str(), -1,
                                            &explain, nullptr))
        << statement.name;
    std::vector<std::string> lines;
    while (sqlite3_step(explain) == SQLITE_ROW) {
      lines.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(explain, 3)));
    }
    sqlite3_finalize(explain);
    return lines;
  }
};

// Statements that read everything on purpose, or read something that stays small.
const std::set<std::string_view> whole_table{"count_tables",
                                             "is_ours",
                                             "known_version",
                                             "steps_of_others",
                                             "taken_name",
                                             "observe_workflows",
                                             "observe_ops",
                                             "observe_artifacts",
                                             "observe_checkpoints",
                                             "observe_queues",
                                             "count_events",
                                             "first_seq_since",
                                             "observe_approvals",
                                             "approvals_to_review",
                                             "unobserved_of_ops",
                                             "changed_workflows",
                                             "erase_approval",
                                             "erase_effect",
                                             "erase_pin",
                                             "erase_context",
                                             "erase_event",
                                             "erase_artifact",
                                             "erase_checkpoint",
                                             "erase_result",
                                             "erase_lease",
                                             "erase_need",
                                             "erase_op",
                                             "erase_workflow",
                                             "erase_queue"};

TEST_F(Plan, of_every_statement_on_the_path_of_a_call_avoids_a_scan) {
  // A new parent row looks at its children only while a foreign key is violated, which no
  // transaction of ours leaves open; SQLite plans that look as a scan.
  const auto for_foreign_key = [](const Statement& statement, const std::string& line) {
    return statement.text.rfind("INSERT", 0) == 0 && line == "SCAN event";
  };
  for (const auto& statement : catalog) {
    if (whole_table.count(statement.name) > 0) continue;
    for (const auto& line : of(statement)) {
      const bool scan = line.rfind("SCAN", 0) == 0 &&
                        line.find("INDEX op_marked") == std::string::npos &&
                        line.find("CONSTANT ROW") == std::string::npos && line != "SCAN l" &&
                        line != "SCAN lease";
      EXPECT_FALSE(scan && !for_foreign_key(statement, line)) << statement.name << ": " << line;
    }
  }
}

TEST_F(Plan, of_lease_walks_the_ready_ops_of_a_queue_in_order) {
  const auto line = [&](Sql id) { return of(catalog[index(id)]).front(); };
  EXPECT_EQ("SEARCH op USING INDEX op_ready (site=? AND queue=? AND next_attempt_us=?)",
            line(Sql::oldest_fresh));
  EXPECT_EQ("SEARCH op USING INDEX op_ready (site=? AND queue=? AND next_attempt_us<?)",
            line(Sql::oldest_due_retry));
}

TEST_F(Plan, of_the_next_queue_steps_over_no_op_of_the_last_one) {
  const std::vector<std::string> lines{"MERGE (UNION ALL)", "LEFT",
                                       "SEARCH op USING INDEX op_ready (site=? AND queue>?)",
                                       "RIGHT", "SEARCH op USING INDEX op_ready (site>?)"};
  EXPECT_EQ(lines, of(catalog[index(Sql::next_ready_queue)]));
}

// SQLite makes one for what it has to sort, and for each list of more than two words in a CHECK.
TEST_F(Plan, of_a_change_to_an_op_makes_no_table_of_its_own) {
  for (const auto id : {Sql::insert_op, Sql::ready_op, Sql::take_op, Sql::insert_lease,
                        Sql::extend_lease, Sql::insert_result, Sql::drop_lease, Sql::finish_op,
                        Sql::schedule_retry, Sql::recover_op, Sql::insert_effect}) {
    const Statement& statement = catalog[index(id)];
    const std::string sql = "EXPLAIN " + std::string(statement.text);
    sqlite3_stmt* explain = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_prepare_v2(engine().connection().handle(), sql.c_str(), -1,
                                            &explain, nullptr))
        << statement.name;
    const bool returns = statement.text.find("RETURNING") != std::string_view::npos;
    int tables = 0;
    while (sqlite3_step(explain) == SQLITE_ROW) {
      const std::string_view step(reinterpret_cast<const char*>(sqlite3_column_text(explain, 1)));
      if (step == "OpenEphemeral") ++tables;
    }
    sqlite3_finalize(explain);
    // What a statement returns is kept in one until it has ended.
    EXPECT_EQ(tables, returns ? 1 : 0) << statement.name;
  }
}

TEST_F(Plan, of_refresh_starts_from_what_has_changed) {
  EXPECT_EQ("SCAN l", of(catalog[index(Sql::expired_leases)]).front());
  for (const auto id : {Sql::pending_to_block, Sql::blocked_to_reopen, Sql::pending_to_ready}) {
    const auto lines = of(catalog[index(id)]);
    EXPECT_EQ("SEARCH o USING INTEGER PRIMARY KEY (rowid=?)", lines.front());
    bool marks = false;
    for (const auto& text : lines) {
      marks = marks || text.find("INDEX op_marked") != std::string::npos;
      std::printf("%s: %s\n", std::string(catalog[index(id)].name).c_str(), text.c_str());
    }
    EXPECT_TRUE(marks);
  }
}

}  // namespace
}  // namespace leaseproof::engine::store
