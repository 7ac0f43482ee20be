// Checks what only an embedding program sees: observers, the caller's own rows, tokens, readers
// that start from a time, ids that the engine makes. The rules themselves are checked against the
// model by properties/; nothing of that is repeated here.
#include "engine/engine.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine {
namespace {

using model::OpStatus;
using model::Word;

std::int64_t count(Engine& engine, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(SQLITE_OK,
            sqlite3_prepare_v2(engine.connection().handle(), sql, -1, &statement, nullptr));
  EXPECT_EQ(SQLITE_ROW, sqlite3_step(statement));
  const std::int64_t number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return number;
}

class AnEngine : public EngineTest {
 protected:
  // One workflow with one op that is leased; answers the token.
  std::string leased_op() {
    start("w", {op("a")});
    engine().refresh();
    return lease("A");
  }
};

TEST_F(AnEngine, writes_the_callers_own_rows_in_the_completing_transaction) {
  const auto token = leased_op();
  engine().connection().run_script("CREATE TABLE page (text TEXT)");
  const auto outcome = complete(token, "a", [](sqlite3* db) -> std::string {
    return sqlite3_exec(db, "INSERT INTO page VALUES ('one')", nullptr, nullptr, nullptr) == 0
               ? ""
               : "no page";
  });
  EXPECT_EQ(Word::ok, outcome.word);
  EXPECT_EQ(1, count(engine(), "SELECT COUNT(*) FROM page"));
}

TEST_F(AnEngine, keeps_nothing_of_a_completion_whose_own_rows_are_refused) {
  const auto token = leased_op();
  engine().connection().run_script("CREATE TABLE page (text TEXT)");
  const auto outcome = complete(token, "a", [](sqlite3* db) -> std::string {
    sqlite3_exec(db, "INSERT INTO page VALUES ('one')", nullptr, nullptr, nullptr);
    return "the page is blank";
  });
  EXPECT_EQ(Word::invalid, outcome.word);
  EXPECT_EQ("the page is blank", outcome.why);
  EXPECT_EQ(0, count(engine(), "SELECT COUNT(*) FROM page"));
  EXPECT_EQ(OpStatus::running, observe().ops.at("a").status);
  EXPECT_EQ(Word::ok, complete(token, "a").word);
}

TEST_F(AnEngine, turns_what_the_writer_of_own_rows_throws_into_a_refusal) {
  const auto token = leased_op();
  const auto outcome =
      complete(token, "a", [](sqlite3*) -> std::string { throw std::runtime_error("no ink"); });
  EXPECT_EQ(Word::invalid, outcome.word);
  EXPECT_NE(std::string::npos, outcome.why.find("no ink"));
  EXPECT_EQ(OpStatus::running, observe().ops.at("a").status);
}

TEST_F(AnEngine, commits_nothing_of_a_completion_whose_writer_ends_the_transaction) {
  const auto token = leased_op();
  for (const char* end : {"COMMIT", "ROLLBACK", "ROLLBACK; BEGIN IMMEDIATE"}) {
    const auto outcome = complete(token, "a", [&](sqlite3* db) -> std::string {
      sqlite3_exec(db, end, nullptr, nullptr, nullptr);
      return "";
    });
    EXPECT_EQ(Word::invalid, outcome.word) << end;
    EXPECT_EQ("the writer of the caller's own rows ended the transaction", outcome.why) << end;
    EXPECT_EQ(OpStatus::running, observe().ops.at("a").status) << end;
  }
  EXPECT_EQ(Word::ok, complete(token, "a").word);
}

TEST_F(AnEngine, does_not_ask_for_own_rows_when_the_lease_is_lost) {
  const auto token = leased_op();
  clock_.time_us = model::default_lease_us;
  bool asked = false;
  const auto outcome = complete(token, "a", [&](sqlite3*) -> std::string {
    asked = true;
    return "";
  });
  EXPECT_EQ(Word::lease_lost, outcome.word);
  EXPECT_FALSE(asked);
}

TEST_F(AnEngine, tells_observers_after_the_commit_and_in_commit_order) {
  std::vector<std::string> told;
  engine().add_observer([&](const Notice& notice) {
    EXPECT_FALSE(engine().connection().in_transaction());
    told.push_back(std::string(notice.verb) + ":" + std::to_string(notice.call));
  });
  const auto token = leased_op();
  complete(token, "a");
  EXPECT_EQ((std::vector<std::string>{"start:1", "refresh:3", "lease:4", "complete:5"}), told);
}

TEST_F(AnEngine, says_nothing_to_observers_when_nothing_has_changed) {
  leased_op();
  int told = 0;
  engine().add_observer([&](const Notice&) { ++told; });
  engine().refresh();
  EXPECT_EQ(Word::not_found, engine().cancel({"nobody"}).word);
  EXPECT_EQ(0, told);
}

TEST_F(AnEngine, counts_what_observers_throw_and_goes_on) {
  int told = 0;
  engine().add_observer([](const Notice&) { throw std::runtime_error("deaf"); });
  engine().add_observer([&](const Notice&) { ++told; });
  EXPECT_EQ(Word::created, start("w", {op("a")}).word);
  EXPECT_EQ(1, engine().observer_failures());
  EXPECT_EQ(1, told);
}

TEST_F(AnEngine, lets_an_observer_call_it_and_still_tells_one_at_a_time) {
  int depth = 0;
  int deepest = 0;
  std::vector<std::string> told;
  engine().add_observer([&](const Notice& notice) {
    deepest = std::max(deepest, ++depth);
    told.emplace_back(notice.verb);
    if (notice.verb == "start") engine().refresh();
    --depth;
  });
  start("w", {op("a")});
  EXPECT_EQ(1, deepest);
  EXPECT_EQ((std::vector<std::string>{"start", "refresh"}), told);
}

TEST_F(AnEngine, keeps_no_token_in_its_file) {
  const auto token = leased_op();
  engine().heartbeat(token, {{"A", "a", 0}, 1000});
  complete(token, "a");
  sqlite3_stmt* dump = nullptr;
  ASSERT_EQ(SQLITE_OK, sqlite3_prepare_v2(engine().connection().handle(),
                                          "SELECT COUNT(*) FROM event WHERE instr(detail, ?1) > 0 "
                                          "UNION ALL SELECT COUNT(*) FROM result WHERE token_hash "
                                          "= ?1",
                                          -1, &dump, nullptr));
  sqlite3_bind_text(dump, 1, token.c_str(), -1, SQLITE_TRANSIENT);
  while (sqlite3_step(dump) == SQLITE_ROW) EXPECT_EQ(0, sqlite3_column_int64(dump, 0));
  sqlite3_finalize(dump);
}

TEST_F(AnEngine, makes_a_version_4_uuid_for_a_workflow_without_an_id) {
  model::Start action;
  const auto outcome = engine().start(action);
  ASSERT_EQ(Word::created, outcome.word);
  const auto id = std::get<model::Identified>(outcome.detail).workflow;
  ASSERT_EQ(36U, id.size());
  EXPECT_EQ('4', id[14]);
  EXPECT_NE(std::string::npos, std::string("89ab").find(id[19]));
}

TEST_F(AnEngine, derives_the_id_of_a_run_from_package_and_identity) {
  model::Ensure action;
  action.package = "ocr";
  action.identity = R"({ "input" : "digest-1" })";
  const auto outcome = engine().ensure(action);
  EXPECT_EQ("ocr-990c8d863d9c01836db2352f94eae509db759e0dd7b1cc0b105eab0fd4befd7f",
            std::get<model::Identified>(outcome.detail).workflow);
  action.identity = R"({"input":"digest-1"})";
  EXPECT_EQ(Word::attached, engine().ensure(action).word);
}

TEST_F(AnEngine, lets_a_reader_start_from_a_time_and_then_follow_seqs) {
  clock_.time_us = 100;
  start("early", {op("a")});
  clock_.time_us = 200;
  start("late", {op("b")});
  const auto cursor = engine().cursor_at(150);
  const auto page = engine().snapshots_since(cursor, 10);
  EXPECT_EQ((std::vector<std::string>{"late"}),
            std::get<model::Page>(page.outcome.detail).workflows);
  EXPECT_TRUE(std::get<model::Page>(engine().snapshots_since(page.cursor, 10).outcome.detail)
                  .workflows.empty());
  // A clock that stepped back hides nothing from a reader that follows seqs.
  clock_.time_us = 50;
  engine().refresh();
  EXPECT_EQ(2U, std::get<model::Page>(engine().snapshots_since(page.cursor, 10).outcome.detail)
                    .workflows.size());
  EXPECT_EQ(engine().cursor_at(1'000'000), page.cursor + 2);
}

// Behind a late cursor there are fewer events than workflows, behind an early one more.
TEST_F(AnEngine, pages_through_the_same_changes_by_events_and_by_workflows) {
  constexpr std::int64_t workflows = 6;
  for (std::int64_t i = 0; i < workflows; ++i) {
    start("w" + std::to_string(i), {op("a" + std::to_string(i)), op("b" + std::to_string(i))});
  }
  engine().refresh();
  std::vector<std::string> tokens;
  for (int i = 0; i < 4; ++i) tokens.push_back(lease("A"));
  for (const std::size_t done : {0U, 3U, 1U}) {
    EXPECT_EQ(Word::ok, complete(tokens[done], "a" + std::to_string(done)).word);
  }
  start("last", {op("c")});
  using Changes = std::vector<std::pair<std::string, std::int64_t>>;
  auto& db = engine().connection();
  const auto all = [&](store::Sql id, std::int64_t cursor) {
    Changes changes;
    auto rows = db.query(store::index(id), cursor, std::int64_t{100});
    while (rows.next()) changes.emplace_back(rows.string(0), rows.integer(1));
    return changes;
  };
  const std::int64_t newest = observe().last_seq;
  for (std::int64_t cursor = 0; cursor <= newest + 1; ++cursor) {
    const Changes expected = all(store::Sql::changed_workflows, cursor);
    EXPECT_EQ(expected, all(store::Sql::changed_since, cursor)) << cursor;
    Changes paged;
    for (auto at = cursor;;) {
      const auto page = engine().snapshots_since(at, 1);
      const auto& found = std::get<model::Page>(page.outcome.detail);
      if (found.workflows.empty()) break;
      at = page.cursor;
      paged.emplace_back(found.workflows.front(), at);
    }
    EXPECT_EQ(expected, paged) << cursor;
  }
  EXPECT_EQ(workflows + 1, static_cast<std::int64_t>(all(store::Sql::changed_since, 0).size()));
}

TEST_F(AnEngine, reads_whichever_are_fewer_events_behind_the_cursor_or_workflows) {
  start("first", {op("a"), op("b"), op("c")});
  start("last", {op("d")});
  const std::int64_t newest = observe().last_seq;
  const auto found_without = [&](store::Sql id, std::int64_t cursor) {
    auto texts = store::catalog_texts();
    texts[store::index(id)] = "SELECT id, last_seq FROM workflow WHERE 0 * ?1 AND ?2";
    auto poor = options();
    poor.statements = std::make_shared<const sqlite::StatementTexts>(std::move(texts));
    const auto reader = Engine::open(poor);
    const auto page = (*reader)->snapshots_since(cursor, 10);
    return std::get<model::Page>(page.outcome.detail).workflows.size();
  };
  EXPECT_EQ(1U, found_without(store::Sql::changed_workflows, newest - 1));
  EXPECT_EQ(0U, found_without(store::Sql::changed_since, newest - 1));
  EXPECT_EQ(2U, found_without(store::Sql::changed_since, 0));
  EXPECT_EQ(0U, found_without(store::Sql::changed_workflows, 0));
}

TEST_F(AnEngine, refuses_payloads_that_are_no_json_with_integers) {
  const auto token = leased_op();
  for (const char* payload : {"", "{", "1.5", "1e3", R"({"a":1,"a":2})", R"("\ud800")", "nul"}) {
    model::Checkpoint action{{"A", "a", 0}, "step", payload};
    EXPECT_EQ(Word::invalid, engine().checkpoint(token, action).word) << payload;
  }
  EXPECT_TRUE(observe().ops.at("a").checkpoints.empty());
}

TEST_F(AnEngine, judges_shape_before_existence_and_existence_before_ownership) {
  EXPECT_EQ(Word::invalid, engine().heartbeat("no token", {{"A", "ghost", 0}, 0}).word);
  EXPECT_EQ(Word::not_found, engine().heartbeat("no token", {{"A", "ghost", 0}, 1}).word);
  leased_op();
  EXPECT_EQ(Word::lease_lost, engine().heartbeat("no token", {{"A", "a", 0}, 1}).word);
}

TEST_F(AnEngine, keeps_op_and_lease_over_a_restart) {
  const auto token = leased_op();
  reopen();
  EXPECT_EQ(1, observe().ops.at("a").lease->generation);
  EXPECT_EQ(Word::ok, complete(token, "a").word);
}

}  // namespace
}  // namespace leaseproof::engine
