// Checks calls that share a commit: that each is answered as if it were alone, none before all are
// durable, and none for what another of them did wrong. The threads come one after the other while
// somebody else holds the lock, so that it is known which calls are together.
#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine {
namespace {

using model::Outcome;
using model::Word;

class GroupCommit : public EngineTest {
 protected:
  using Ask = std::function<Outcome()>;

  // Asks all of `asks`, each on a thread of its own. The first finds the lock taken and leads; the
  // others have queued behind it, in this order, before it is let go.
  std::vector<Outcome> together(const std::vector<Ask>& asks) {
    std::vector<Outcome> outcomes(asks.size());
    std::vector<std::thread> threads;
    sqlite3* rival = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path().c_str(), &rival));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(rival, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
    clock_.while_waiting = [&] {
      if (!threads.empty()) return;
      for (std::size_t i = 1; i < asks.size(); ++i) {
        threads.emplace_back([&, i] { answer(outcomes[i], asks[i]); });
        while (engine().waiting_calls() < static_cast<std::int64_t>(i)) std::this_thread::yield();
      }
      EXPECT_EQ(SQLITE_OK, sqlite3_exec(rival, "ROLLBACK", nullptr, nullptr, nullptr));
    };
    answered_ = 0;
    answer(outcomes[0], asks[0]);
    for (auto& thread : threads) thread.join();
    clock_.while_waiting = nullptr;
    sqlite3_close(rival);
    return outcomes;
  }

  // Counts commits of the engine, and how many calls had been answered at each of them. `refuse`:
  // the first so many commits fail as on a disk that fails.
  void count_commits(int refuse = 0) {
    refuse_ = refuse;
    engine().on_open([this](sqlite::Connection& connection) {
      sqlite3_commit_hook(
          connection.handle(),
          [](void* test) {
            auto* self = static_cast<GroupCommit*>(test);
            self->answered_at_commit_.push_back(self->answered_);
            return static_cast<int>(static_cast<std::size_t>(self->refuse_) >=
                                    self->answered_at_commit_.size());
          },
          this);
    });
  }
  [[nodiscard]] std::size_t commits() const { return answered_at_commit_.size(); }

  Granted lease_for(const std::string& worker) {
    model::Lease action;
    action.worker = worker;
    return engine().lease(action);
  }
  Outcome complete(const Granted& granted, std::vector<model::OpSpec> emit = {}) {
    model::Complete action;
    action.by.op = std::get<model::Leased>(granted.outcome.detail).op;
    action.emit = std::move(emit);
    return engine().complete(granted.token, std::move(action));
  }
  void start_ops(int count) {
    std::vector<model::OpSpec> ops;
    for (int i = 0; i < count; ++i) ops.push_back(op(std::string(1, static_cast<char>('a' + i))));
    ASSERT_EQ(Word::created, start("w", std::move(ops)).word);
    engine().refresh();
  }

  std::atomic<int> answered_ = 0;
  std::vector<int> answered_at_commit_;

 private:
  void answer(Outcome& outcome, const Ask& ask) {
    outcome = ask();
    ++answered_;
  }
  int refuse_ = 0;
};

TEST_F(GroupCommit, serves_all_that_wait_and_answers_none_before_it) {
  start_ops(4);
  count_commits();
  std::vector<Granted> granted(5);
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < granted.size(); ++i) {
    asks.emplace_back([&, i] {
      granted[i] = lease_for("w" + std::to_string(i));
      return granted[i].outcome;
    });
  }
  const int reads = clock_.reads;
  const auto outcomes = together(asks);
  EXPECT_EQ(std::vector<int>{0}, answered_at_commit_);
  EXPECT_EQ(reads + 5, clock_.reads) << "each call has a moment of its own";
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(Word::leased, outcomes[i].word);
    EXPECT_EQ(std::string(1, static_cast<char>('a' + i)),
              std::get<model::Leased>(outcomes[i].detail).op)
        << "in the order in which they came";
  }
  EXPECT_EQ(Word::none, outcomes[4].word);
}

TEST_F(GroupCommit, is_told_call_by_call) {
  start_ops(3);
  std::vector<std::pair<std::int64_t, std::string>> told;
  engine().add_observer([&](const Notice& notice) {
    told.emplace_back(notice.call, std::get<model::Leased>(notice.outcome.detail).op);
  });
  together({[&] { return lease_for("A").outcome; }, [&] { return lease_for("B").outcome; },
            [&] { return lease_for("C").outcome; }});
  ASSERT_EQ(3U, told.size());
  const std::int64_t first = told[0].first;
  const std::vector<std::pair<std::int64_t, std::string>> expected{
      {first, "a"}, {first + 1, "b"}, {first + 2, "c"}};
  EXPECT_EQ(expected, told);
}

// A statement that no longer changes the row it found stands for whatever makes a verb give up
// after it has written: here, after it has ended an op whose deadline is over.
TEST_F(GroupCommit, keeps_what_is_right_where_one_call_gives_up_after_it_has_written) {
  Options options = this->options();
  auto texts = store::catalog_texts();
  texts[store::index(store::Sql::take_op)] += " AND id <> 'c'";
  options.statements = std::make_shared<const sqlite::StatementTexts>(std::move(texts));
  auto opened = Engine::open(std::move(options));
  ASSERT_TRUE(opened.has_value());
  engine_ = std::move(*opened);
  std::vector<model::OpSpec> ops{op("a"), op("b"), op("c")};
  ops[1].deadline_us = 5;
  start("w", std::move(ops));
  engine().refresh();
  const Granted held = lease_for("A");
  clock_.time_us = 10;
  const auto outcomes =
      together({[&] { return complete(held); }, [&] { return lease_for("B").outcome; },
                [&] {
                  return engine().set_queue({"default", "q", 1, 0, 0});
                }});
  EXPECT_EQ(Word::ok, outcomes[0].word);
  EXPECT_EQ(Word::storage_error, outcomes[1].word);
  EXPECT_EQ(Word::ok, outcomes[2].word);
  const auto found = observe();
  EXPECT_EQ(model::OpStatus::succeeded, found.ops.at("a").status);
  EXPECT_EQ(model::OpStatus::ready, found.ops.at("b").status) << "its end is undone";
  EXPECT_EQ(1U, found.queues.size());
}

TEST_F(GroupCommit, that_fails_is_a_failure_of_each_and_keeps_nothing) {
  start_ops(3);
  const auto before = observe();
  count_commits(1);
  const auto outcomes =
      together({[&] { return lease_for("A").outcome; }, [&] { return lease_for("B").outcome; },
                [&] { return lease_for("C").outcome; }});
  for (const auto& outcome : outcomes) EXPECT_EQ(Word::storage_error, outcome.word);
  EXPECT_EQ(before, observe());
  EXPECT_EQ(Word::leased, lease_for("A").outcome.word);
}

TEST_F(GroupCommit, is_not_shared_with_rows_of_the_callers_own) {
  start_ops(3);
  const Granted a = lease_for("A");
  const Granted b = lease_for("B");
  const Granted c = lease_for("C");
  int commits = 0;  // by their text: the writer's transaction is held by the commit hook
  on_each("COMMIT", [&] { ++commits; });
  const auto outcomes =
      together({[&] { return complete(a); },
                [&] {
                  model::Complete action;
                  action.by.op = "b";
                  return engine().complete(b.token, std::move(action), [](sqlite3*) { return ""; });
                },
                [&] { return complete(c); }});
  for (const auto& outcome : outcomes) EXPECT_EQ(Word::ok, outcome.word);
  EXPECT_EQ(3, commits);
}

TEST_F(GroupCommit, is_not_waited_for_by_who_leads_with_a_call_that_changes_nothing) {
  start_ops(2);
  int undone = 0;
  on_each("ROLLBACK", [&] { ++undone; });
  count_commits();
  const auto outcomes =
      together({[&] { return engine().refresh(); }, [&] { return lease_for("A").outcome; },
                [&] { return lease_for("B").outcome; }});
  EXPECT_EQ(Word::ok, outcomes[0].word);
  EXPECT_EQ(1, undone) << "its own transaction";
  EXPECT_EQ(1U, commits());
}

TEST_F(GroupCommit, serves_no_more_than_it_may) {
  Options two = options();
  two.calls_per_commit = 2;
  auto opened = Engine::open(std::move(two));
  ASSERT_TRUE(opened.has_value());
  engine_ = std::move(*opened);
  start_ops(5);
  count_commits();
  std::vector<Ask> asks(5, [&] { return lease_for("A").outcome; });
  together(asks);
  EXPECT_EQ(3U, commits());
}

TEST_F(GroupCommit, serves_leases_that_are_asked_for_at_once) {
  start_ops(3);
  count_commits();
  std::vector<model::Lease> actions(5);
  for (auto& action : actions) action.worker = "A";
  actions[1].lease_us = 0;
  const auto granted = engine().lease(actions);
  ASSERT_EQ(5U, granted.size());
  EXPECT_EQ(1U, commits());
  EXPECT_EQ("a", std::get<model::Leased>(granted[0].outcome.detail).op);
  EXPECT_EQ(Word::invalid, granted[1].outcome.word);
  EXPECT_EQ("b", std::get<model::Leased>(granted[2].outcome.detail).op);
  EXPECT_EQ(Word::leased, granted[3].outcome.word);
  EXPECT_EQ(Word::none, granted[4].outcome.word);
  EXPECT_EQ("", granted[4].token);
  EXPECT_EQ(Word::ok, complete(granted[2]).word);
}

// The stamp of the workflow is the last statement before the COMMIT.
TEST_F(GroupCommit, whose_workflow_cannot_be_stamped_keeps_nothing) {
  start_ops(2);
  const auto before = observe();
  ASSERT_EQ(SQLITE_OK, sqlite3_exec(engine().connection().handle(),
                                    "CREATE TRIGGER no_stamp BEFORE UPDATE OF last_seq ON workflow "
                                    "BEGIN SELECT RAISE(ABORT, 'no'); END",
                                    nullptr, nullptr, nullptr));
  for (const Outcome& outcome :
       together({[&] { return lease_for("A").outcome; }, [&] { return lease_for("B").outcome; }})) {
    EXPECT_EQ(Word::storage_error, outcome.word);
  }
  EXPECT_EQ(before, observe());
}

// What one lease of a transaction has seen of the queues serves the next, as long as it holds.
class LeasesTogether : public GroupCommit {
 protected:
  static model::OpSpec op_of(const std::string& site, const std::string& id) {
    model::OpSpec spec = op(id);
    spec.site = site;
    return spec;
  }
  void start_ready(std::vector<model::OpSpec> ops) {
    ASSERT_EQ(Word::created, start("w", std::move(ops)).word);
    engine().refresh();
  }
  // By a lease of that site, or of any.
  Ask lease_of(const std::optional<std::string>& site = std::nullopt) {
    return [this, site] {
      model::Lease action;
      action.worker = "A";
      action.site = site;
      return engine().lease(action).outcome;
    };
  }
  static std::string leased(const Outcome& outcome) {
    const auto* leased = std::get_if<model::Leased>(&outcome.detail);
    return leased == nullptr ? std::string(model::word(outcome.word)) : leased->op;
  }
};

TEST_F(LeasesTogether, look_for_the_queues_once) {
  start_ready({op_of("s", "a"), op_of("s", "b"), op_of("s", "c"), op_of("t", "d")});
  int walked = 0;
  on_each(store::catalog_texts()[index(store::Sql::next_ready_queue)], [&] { ++walked; });
  const auto outcomes = together({lease_of(), lease_of(), lease_of(), lease_of(), lease_of()});
  std::string all;
  for (const Outcome& outcome : outcomes) all += leased(outcome) + " ";
  EXPECT_EQ("a b c d none ", all);
  EXPECT_EQ(3, walked) << "two queues and the end";
}

TEST_F(LeasesTogether, see_what_a_call_between_them_makes_ready) {
  start_ready({op_of("s", "a")});
  ASSERT_EQ(Word::created, start("v", {op_of("t", "b")}).word);
  const auto outcomes =
      together({lease_of(), lease_of(), [&] { return engine().refresh(); }, lease_of()});
  EXPECT_EQ("a", leased(outcomes[0]));
  EXPECT_EQ("none", leased(outcomes[1]));
  EXPECT_EQ(Word::ok, outcomes[2].word);
  EXPECT_EQ("b", leased(outcomes[3]));
}

TEST_F(LeasesTogether, of_one_site_do_not_tell_those_of_all_what_there_is) {
  start_ready({op_of("s", "a"), op_of("t", "b")});
  const auto outcomes = together({lease_of("s"), lease_of(), lease_of("s")});
  EXPECT_EQ("a", leased(outcomes[0]));
  EXPECT_EQ("b", leased(outcomes[1]));
  EXPECT_EQ("none", leased(outcomes[2]));
}

}  // namespace
}  // namespace leaseproof::engine
