// Checks what one lease tells the next: that it is not read again, and that it is forgotten as soon
// as it may no longer hold, whoever has changed the database.
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;
using store::Sql;

class KnownQueues : public EngineTest {
 protected:
  static std::string text(Sql id) { return store::catalog_texts()[index(id)]; }

  static model::OpSpec op_of(const std::string& queue, const std::string& id) {
    model::OpSpec spec = op(id);
    spec.queue = queue;
    spec.retry.delays_us = {100, 100};
    return spec;
  }
  void start_ready(const std::string& workflow, std::vector<model::OpSpec> ops) {
    ASSERT_EQ(Word::created, start(workflow, std::move(ops)).word);
    engine().refresh();
  }
  // Another process has made `id` ready.
  void start_ready_elsewhere(const std::string& queue, const std::string& id) {
    auto other = Engine::open(options());
    ASSERT_TRUE(other.has_value()) << other.error().sentence;
    model::Start action;
    action.workflow = "of another process";
    action.ops = {op_of(queue, id)};
    (*other)->start(std::move(action));
    (*other)->refresh();
  }
  // The op that is leased, or what else is answered.
  std::string leased(const std::optional<std::string>& queue = std::nullopt) {
    model::Lease action;
    action.worker = "A";
    action.queue = queue;
    const Granted granted = engine().lease(action);
    if (granted.outcome.word != Word::leased) return std::string(model::word(granted.outcome.word));
    token_ = granted.token;
    return std::get<model::Leased>(granted.outcome.detail).op;
  }
  void fail(const std::string& op) {
    model::Fail action;
    action.by.op = op;
    EXPECT_EQ(Word::retry_scheduled, engine().fail(token_, action).word);
  }
  // How often the engine begins the statement from now on.
  const int& count(Sql id) {
    count_ = 0;
    on_each(text(id), [this] { ++count_; });
    return count_;
  }
  void run(const char* sql) {
    EXPECT_EQ(SQLITE_OK,
              sqlite3_exec(engine().connection().handle(), sql, nullptr, nullptr, nullptr));
  }

  std::string token_;

 private:
  int count_ = 0;
};

TEST_F(KnownQueues, are_read_once) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b"), op_of("p", "c"), op_of("p", "d")});
  EXPECT_EQ("a", leased());
  for (const Sql id : {Sql::next_ready_queue, Sql::queue_state, Sql::first_retry}) {
    const int& read = count(id);
    EXPECT_EQ("", leased().substr(1)) << "one op";
    EXPECT_EQ(0, read) << text(id);
  }
  const int& read = count(Sql::last_event);
  complete(token_, "d");
  EXPECT_EQ(0, read) << "nor how far the journal goes";
}

TEST_F(KnownQueues, are_read_once_where_there_is_nothing) {
  EXPECT_EQ("none", leased());
  const int& read = count(Sql::next_ready_queue);
  EXPECT_EQ("none", leased());
  EXPECT_EQ(0, read);
}

TEST_F(KnownQueues, are_forgotten_once_another_process_has_changed_something) {
  start_ready("w", {op_of("p", "a")});
  EXPECT_EQ("a", leased());
  EXPECT_EQ("none", leased());
  start_ready_elsewhere("p", "b");
  EXPECT_EQ("b", leased());
  EXPECT_EQ(Word::ok, complete(token_, "b").word) << "the journal goes on behind the other's";
}

TEST_F(KnownQueues, are_forgotten_once_somebody_has_used_the_connection) {
  start_ready("w", {op_of("p", "a")});
  EXPECT_EQ("a", leased());
  EXPECT_EQ("none", leased());
  run("DELETE FROM lease; UPDATE op SET status = 'ready'");
  EXPECT_EQ("a", leased());
}

TEST_F(KnownQueues, are_forgotten_once_the_writer_of_a_callers_rows_had_the_connection) {
  start_ready("w", {op_of("p", "a"), op_of("q", "b")});
  EXPECT_EQ("a", leased("p"));
  const std::string first = token_;
  EXPECT_EQ("b", leased("q"));
  EXPECT_EQ("none", leased());
  complete(first, "a", [](sqlite3* db) {
    sqlite3_exec(db,
                 "DELETE FROM lease WHERE op = 2; UPDATE op SET status = 'ready' WHERE row = 2;"
                 "INSERT INTO event (seq, call, at_us, generation, kind, detail) "
                 "SELECT MAX(seq) + 1, MAX(seq) + 1, 0, 0, 'of the writer', '{}' FROM event",
                 nullptr, nullptr, nullptr);
    return std::string();
  });
  EXPECT_EQ("b", leased());
}

TEST_F(KnownQueues, are_forgotten_with_a_transaction_that_is_undone) {
  start_ready("w", {op_of("p", "a")});
  run("CREATE TRIGGER no_stamp BEFORE UPDATE OF last_seq ON workflow "
      "BEGIN SELECT RAISE(ABORT, 'no'); END");
  EXPECT_EQ("storage_error", leased());
  run("DROP TRIGGER no_stamp");
  EXPECT_EQ("a", leased());
  EXPECT_EQ(Word::ok, complete(token_, "a").word);
}

TEST_F(KnownQueues, are_forgotten_with_a_call_that_takes_back_what_it_wrote) {
  model::OpSpec late = op_of("p", "a");
  late.deadline_us = 50;
  start_ready("w", {late, op_of("q", "b")});
  clock_.time_us = 50;
  run("CREATE TEMP TRIGGER nobody_runs BEFORE UPDATE ON main.op WHEN NEW.status = 'running' "
      "BEGIN SELECT RAISE(IGNORE); END");
  EXPECT_EQ("storage_error", leased());
  EXPECT_EQ(model::OpStatus::ready, observe().ops.at("a").status);
  run("DROP TRIGGER nobody_runs");
  EXPECT_EQ("b", leased());
  EXPECT_EQ(model::OpStatus::failed, observe().ops.at("a").status);
}

// What cannot be read looks as if it were not there.
class KnownQueuesOnADiskThatFails : public KnownQueues {
 protected:
  void fail_a_lease_at(Sql read) {
    on_each(text(read), [this] { sqlite3_interrupt(engine().connection().handle()); });
    EXPECT_EQ("storage_error", leased());
    on_each("", [] {});
  }
};

TEST_F(KnownQueuesOnADiskThatFails, do_not_seem_dry) {
  start_ready("w", {op_of("p", "a")});
  fail_a_lease_at(Sql::next_ready_queue);
  EXPECT_EQ("a", leased());
}

TEST_F(KnownQueuesOnADiskThatFails, do_not_seem_to_have_no_limits) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b")});
  run("INSERT INTO queue VALUES ('default', 'p', 1, 0, 0, 0, 0)");
  EXPECT_EQ("a", leased());
  fail_a_lease_at(Sql::queue_state);
  EXPECT_EQ("none", leased());
}

TEST_F(KnownQueuesOnADiskThatFails, do_not_seem_to_have_no_retries) {
  start_ready("w", {op_of("p", "a")});
  EXPECT_EQ("a", leased());
  fail("a");
  clock_.time_us = 100;
  fail_a_lease_at(Sql::first_retry);
  EXPECT_EQ("a", leased());
}

TEST_F(KnownQueues, are_forgotten_once_a_queue_has_other_limits) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b")});
  EXPECT_EQ("a", leased());
  model::Queue action;
  action.queue = "p";
  action.max_in_flight = 1;
  EXPECT_EQ(Word::ok, engine().set_queue(action).word);
  EXPECT_EQ("none", leased());
  EXPECT_EQ(Word::ok, complete(token_, "a").word);
  EXPECT_EQ("b", leased());
}

TEST_F(KnownQueues, are_forgotten_with_the_connection) {
  start_ready("w", {op_of("p", "a")});
  reopen();
  lose_database_at_commit();
  EXPECT_EQ("commit_unknown", leased());
  give_file_back(lost_);
  start_ready_elsewhere("q", "b");
  EXPECT_EQ("b", leased());
  EXPECT_EQ(Word::ok, complete(token_, "b").word);
}

TEST_F(KnownQueues, of_a_site_do_not_tell_of_all) {
  model::OpSpec at_paris = op_of("p", "b");
  at_paris.site = "paris";
  start_ready("w", {op_of("p", "a"), at_paris});
  model::Lease action;
  action.worker = "A";
  action.site = "default";
  EXPECT_EQ(Word::leased, engine().lease(action).outcome.word);
  EXPECT_EQ("b", leased());
  EXPECT_EQ(Word::none, engine().lease(action).outcome.word);
}

TEST_F(KnownQueues, that_have_run_dry_are_looked_at_no_more) {
  start_ready("w", {op_of("p", "a"), op_of("q", "b"), op_of("q", "c"), op_of("q", "d")});
  EXPECT_EQ("a", leased());
  EXPECT_EQ("b", leased());
  const int& looked = count(Sql::oldest_fresh);
  EXPECT_EQ("c", leased());
  EXPECT_EQ(1, looked);
}

TEST_F(KnownQueues, are_so_many_at_most) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b")});
  EXPECT_EQ("a", leased("p"));
  const auto ask_for_others = [&](int count) {
    for (int i = 0; i < count; ++i) EXPECT_EQ("none", leased("q" + std::to_string(i)));
  };
  ask_for_others(900);
  const int& read = count(Sql::queue_state);
  EXPECT_EQ("b", leased("p"));
  EXPECT_EQ(0, read);
  ask_for_others(1200);
  EXPECT_EQ(300, read);
  EXPECT_EQ("none", leased("p"));
  EXPECT_EQ(301, read);
}

TEST_F(KnownQueues, have_retries_from_the_first_that_is_due) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b")});
  EXPECT_EQ("a", leased());
  fail("a");
  EXPECT_EQ("b", leased());
  clock_.time_us = 60;
  fail("b");
  clock_.time_us = 99;
  const int& sorted = count(Sql::oldest_due_retry);
  EXPECT_EQ("none", leased());
  EXPECT_EQ(0, sorted);
  clock_.time_us = 100;
  EXPECT_EQ("a", leased());
  EXPECT_EQ(1, sorted);
  clock_.time_us = 159;
  EXPECT_EQ("none", leased());
  EXPECT_EQ("none", leased());
  EXPECT_EQ(1, sorted) << "what was due is taken";
  clock_.time_us = 160;
  EXPECT_EQ("b", leased());
}

TEST_F(KnownQueues, hear_of_a_retry_that_is_due_at_once) {
  start_ready("w", {op_of("p", "a"), op_of("p", "b")});
  EXPECT_EQ("a", leased());
  const std::string first = token_;
  EXPECT_EQ("b", leased());
  EXPECT_EQ("none", leased());
  token_ = first;
  fail("a");
  EXPECT_EQ("none", leased());
  clock_.time_us = 100;
  EXPECT_EQ("a", leased());
}

}  // namespace
}  // namespace leaseproof::engine
