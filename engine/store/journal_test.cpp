// Checks what the journal collects in one call and keeps from call to call: an op that is changed
// twice has one event, at the place of its last change, and its workflow the seq of that; for few
// ops and for many, which are found by an index. Does not check the texts of events: the engine's
// tests do.
#include "engine/store/journal.hpp"

#include <sqlite3.h>

#include <string>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {
namespace {

class AJournal : public EngineTest {
 protected:
  static constexpr std::int64_t ops = 20;

  // Ops 1 … 20 of workflow 1, by row, and one more of workflow 2.
  void bring_ops() {
    std::vector<model::OpSpec> many;
    for (std::int64_t i = 1; i <= ops; ++i) many.push_back(op(std::to_string(100 + i)));
    ASSERT_EQ(start("many", std::move(many)).word, model::Word::created);
    ASSERT_EQ(start("one", {op("one")}).word, model::Word::created);
  }

  // Of the last call: each event's op, from and to, in the order of seqs; then the workflows with
  // the event that each has last, counted from the call's first.
  std::vector<std::string> written(Journal& journal) {
    sqlite::Connection& db = engine().connection();
    db.execute(index(Sql::begin_write));
    const std::int64_t call = journal.write(db, 1, "{}");
    journal.stamp(db);
    db.execute(index(Sql::commit));
    EXPECT_GT(call, 0);
    const std::string since = std::to_string(call);
    std::vector<std::string> lines = rows(
        "SELECT op || ' ' || (detail ->> 'from') || ' ' || (detail ->> 'to') FROM event "
        "WHERE seq >= " +
        since + " ORDER BY seq");
    for (const std::string& line :
         rows("SELECT 'workflow ' || row || ' ' || (last_seq - " + since +
              ") FROM workflow WHERE last_seq >= " + since + " ORDER BY row")) {
      lines.push_back(line);
    }
    return lines;
  }

  std::vector<std::string> rows(const std::string& query) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(engine().connection().handle(), query.c_str(), -1,
                                            &statement, nullptr));
    std::vector<std::string> found;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      found.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    }
    sqlite3_finalize(statement);
    return found;
  }
};

TEST_F(AJournal, tells_an_op_that_changed_twice_once_and_last) {
  bring_ops();
  Journal journal;
  journal.op(1, 1, 0, "op_blocked", "pending", "blocked");
  journal.op(2, 1, 0, "op_blocked", "pending", "blocked");
  journal.op(1, 1, 0, "op_readied", "blocked", "ready");
  EXPECT_EQ(written(journal),
            (std::vector<std::string>{"2 pending blocked", "1 pending ready", "workflow 1 1"}));
}

TEST_F(AJournal, does_so_among_many_ops_too) {
  bring_ops();
  Journal journal;
  for (std::int64_t op = 1; op <= ops; ++op) journal.op(op, 1, 0, "a", "pending", "blocked");
  journal.op(ops + 1, 2, 0, "a", "pending", "blocked");
  for (const std::int64_t op : {1, 15, 20, 15}) journal.op(op, 1, 0, "b", "blocked", "ready");
  std::vector<std::string> expected;
  for (std::int64_t op = 2; op < ops; ++op) {
    if (op != 15) expected.push_back(std::to_string(op) + " pending blocked");
  }
  expected.insert(expected.end(), {"21 pending blocked", "1 pending ready", "20 pending ready",
                                   "15 pending ready", "workflow 1 20", "workflow 2 17"});
  EXPECT_EQ(written(journal), expected);
}

TEST_F(AJournal, forgets_what_an_earlier_call_collected) {
  bring_ops();
  Journal journal;
  for (std::int64_t op = 1; op <= ops; ++op) journal.op(op, 1, 0, "a", "pending", "blocked");
  journal.clear();
  for (const std::int64_t op : {1, 2, 3, 4, 5, 6, 7, 8, 15}) {
    journal.op(op, 1, 0, "b", "ready", "running");
  }
  for (const std::int64_t op : {15, 3}) journal.op(op, 1, 0, "b", "running", "ready");
  std::vector<std::string> expected;
  for (const int op : {1, 2, 4, 5, 6, 7, 8})
    expected.push_back(std::to_string(op) + " ready running");
  expected.insert(expected.end(), {"15 ready ready", "3 ready ready", "workflow 1 8"});
  EXPECT_EQ(written(journal), expected);
}

TEST_F(AJournal, goes_on_until_it_is_told_that_the_database_may_be_another) {
  bring_ops();
  sqlite::Connection& db = engine().connection();
  Journal journal;
  std::int64_t now_us = 0;
  const auto write = [&](std::int64_t op_row, std::int64_t workflow) {
    journal.clear();
    journal.op(op_row, workflow, 0, "a", "ready", "running");
    return journal.write(db, ++now_us, "{}");
  };
  db.execute(index(Sql::begin_write));
  journal.begin();
  const std::int64_t first = write(1, 1);
  EXPECT_EQ(write(ops + 1, 2), first + 1);
  EXPECT_EQ(write(2, 1), first + 2);
  EXPECT_EQ(write(3, 1), first + 3);
  db.execute(index(Sql::rollback));
  db.execute(index(Sql::begin_write));
  journal.begin();
  journal.forget();
  EXPECT_EQ(write(ops + 1, 2), first);
  EXPECT_EQ(write(5, 1), first + 1);
  EXPECT_EQ(write(6, 1), first + 2);
  journal.stamp(db);
  db.execute(index(Sql::commit));
  EXPECT_EQ(rows("SELECT row || ' ' || (last_seq - " + std::to_string(first) +
                 ") || ' ' || updated_us FROM workflow ORDER BY row"),
            (std::vector<std::string>{"1 2 7", "2 0 5"}));
  // Nothing of a transaction is stamped by the next.
  db.execute(index(Sql::begin_write));
  journal.begin();
  EXPECT_EQ(write(ops + 1, 2), first + 3);
  db.execute(index(Sql::rollback));
  db.execute(index(Sql::begin_write));
  journal.begin();
  journal.forget();
  EXPECT_EQ(write(7, 1), first + 3);
  journal.stamp(db);
  db.execute(index(Sql::commit));
  EXPECT_EQ(rows("SELECT row || ' ' || (last_seq - " + std::to_string(first) +
                 ") FROM workflow ORDER BY row"),
            (std::vector<std::string>{"1 3", "2 0"}));
}

}  // namespace
}  // namespace leaseproof::engine::store
