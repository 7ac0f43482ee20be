// Checks how a call meets storage that refuses: locks, full disks, failed commits. The commit hooks
// of SQLite stand in for a disk that fails on either side of durability; faults/ has the real ones.
#include <sqlite3.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::OpStatus;
using model::Word;

class ACall : public EngineTest {};

// Another program that holds the write lock.
class Rival {
 public:
  explicit Rival(const std::string& path) {
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path.c_str(), &db_));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
  }
  ~Rival() { sqlite3_close(db_); }
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;
  void let_go() { sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr); }

 private:
  sqlite3* db_ = nullptr;
};

TEST_F(ACall, answers_busy_after_its_tries_and_changes_nothing) {
  start("w", {op("a")});
  const auto before = observe();
  Rival rival(path());
  const int reads = clock_.reads;
  const auto outcome = engine().refresh();
  EXPECT_EQ(Word::busy, outcome.word);
  EXPECT_NE(std::string::npos, outcome.why.find("locked by another program"));
  EXPECT_EQ(reads, clock_.reads) << "the clock is read only once the lock is held";
  EXPECT_EQ(10 + 20, clock_.waited_us) << "two waits between three tries, doubling";
  rival.let_go();
  EXPECT_EQ(before, observe());
  EXPECT_EQ(Word::ok, engine().refresh().word);
}

// What a worker, an operator and a reviewer may ask for, each so that it changes something where it
// can without an outside service.
class EachCall : public ACall {
 protected:
  using Ask = std::function<model::Outcome()>;

  std::vector<std::pair<std::string, Ask>> calls() {
    const model::WorkerHandle by{"A", "a", 0};
    return {
        {"queue",
         [&] {
           return engine().set_queue({"default", "default", 4, 0, 0});
         }},
        {"start",
         [&] {
           model::OpSpec spec = op("a");
           spec.effect.emplace();
           return start("w", {std::move(spec)});
         }},
        {"ensure",
         [&] {
           model::Ensure action;
           action.workflow = "v";
           action.ops = {op("b")};
           return engine().ensure(std::move(action));
         }},
        {"context_put",
         [&] {
           return engine().put_context({"memory", "1", 1000});
         }},
        {"context_revoke", [&] { return engine().revoke_context({"memory"}); }},
        {"refresh", [&] { return engine().refresh(); }},
        {"lease",
         [&] {
           model::Lease action;
           action.worker = "A";
           auto granted = engine().lease(action);
           if (!granted.token.empty()) token_ = granted.token;
           return granted.outcome;
         }},
        {"heartbeat",
         [=, this] {
           return engine().heartbeat(token_, {by, 50'000'000});
         }},
        {"checkpoint",
         [=, this] {
           return engine().checkpoint(token_, {by, "step", "1"});
         }},
        {"request_approval",
         [=, this] {
           return engine().request_approval(token_, {by, "1"});
         }},
        {"dispatch",
         [=, this] {
           return engine().dispatch(token_, {by, "1"}).outcome;
         }},
        {"complete", [&] { return complete("no token", "a"); }},
        {"fail",
         [=, this] {
           return engine().fail(token_, {by, model::FailKind::permanent, {}});
         }},
        {"retry",
         [&] {
           return engine().retry({"a", {}});
         }},
        {"decide",
         [&] {
           model::Decide action;
           action.op = "a";
           action.actor = {"rita", {"reviewer"}, {}};
           return engine().decide(action);
         }},
        {"reconcile", [&] { return engine().reconcile({"a"}, std::nullopt); }},
        {"close",
         [&] {
           return engine().close({"a", false, "none was found", {"otto", {"operator"}, {}}});
         }},
        {"cancel", [&] { return engine().cancel({"w"}); }},
    };
  }

  std::string token_;
};

TEST_F(EachCall, is_busy_while_another_program_keeps_the_lock_and_works_once_it_lets_go) {
  std::set<Word> answers;
  for (const auto& [name, ask] : calls()) {
    const auto before = observe();
    {
      const Rival rival(path());
      EXPECT_EQ(Word::busy, ask().word) << name;
    }
    EXPECT_EQ(before, observe()) << name;
    // The lock is free for the last of three tries.
    Rival rival(path());
    int waits = 0;
    clock_.while_waiting = [&] {
      if (++waits == 2) rival.let_go();
    };
    const Word word = ask().word;
    clock_.while_waiting = {};
    EXPECT_EQ(2, waits) << name;
    EXPECT_NE(Word::busy, word) << name;
    EXPECT_NE(Word::invalid, word) << name;
    EXPECT_NE(Word::storage_error, word) << name;
    answers.insert(word);
  }
  EXPECT_GE(answers.size(), 8U);
}

TEST_F(ACall, reads_while_another_program_writes) {
  start("w", {op("a")});
  const Rival rival(path());
  EXPECT_EQ(Word::ok, engine().snapshot({"w"}).word);
  EXPECT_EQ(Word::ok, engine().observe().word);
}

TEST_F(ACall, on_a_full_disk_says_so_and_changes_nothing) {
  start("w", {op("a")});
  const auto before = observe();
  engine().connection().run_script("PRAGMA max_page_count = 1");
  model::Start big;
  big.workflow = "big";
  big.input = '"' + std::string(100'000, 'x') + '"';
  const auto outcome = engine().start(big);
  EXPECT_EQ(Word::storage_error, outcome.word);
  EXPECT_NE(std::string::npos, outcome.why.find("full disk")) << outcome.why;
  EXPECT_EQ(before, observe());
  EXPECT_EQ(Word::ok, engine().refresh().word) << "a later call that needs no room works";
}

TEST_F(ACall, whose_commit_failed_before_it_was_durable_answers_storage_error) {
  start("w", {op("a")});
  const auto before = observe();
  sqlite3_commit_hook(
      engine().connection().handle(), [](void*) { return 1; }, nullptr);
  EXPECT_EQ(Word::storage_error, engine().refresh().word);
  EXPECT_EQ(before, observe());
  EXPECT_EQ(Word::ok, engine().refresh().word);
  EXPECT_EQ(OpStatus::ready, observe().ops.at("a").status);
}

TEST_F(ACall, whose_commit_failed_after_it_was_durable_answers_what_is_true) {
  start("w", {op("a")});
  sqlite3_wal_hook(
      engine().connection().handle(),
      [](void*, sqlite3*, const char*, int) { return SQLITE_IOERR; }, nullptr);
  const auto outcome = engine().refresh();
  EXPECT_EQ(Word::ok, outcome.word);
  EXPECT_EQ(1, std::get<model::Refreshed>(outcome.detail).readied);
  EXPECT_EQ(OpStatus::ready, observe().ops.at("a").status);
}

TEST_F(ACall, whose_commit_failed_and_cannot_be_read_back_answers_commit_unknown) {
  start("w", {op("a")});
  lose_database_at_commit();
  EXPECT_EQ(Word::commit_unknown, engine().refresh().word);
  EXPECT_EQ(Word::storage_error, engine().refresh().word) << "there is still no database";
}

TEST_F(ACall, is_refused_by_the_schema_before_an_orphan_lease_can_exist) {
  start("w", {op("a")});
  auto& db = engine().connection();
  EXPECT_EQ(
      sqlite::Fault::constraint,
      db.run_script(
          ("INSERT INTO lease VALUES (99, '" + std::string(64, '0') + "', 'A', 1, 0, 1)").c_str()));
}

}  // namespace
}  // namespace leaseproof::engine
