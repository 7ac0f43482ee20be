// Checks how a call meets storage that refuses: locks, full disks, failed commits. The commit hooks
// of SQLite stand in for a disk that fails on either side of durability; faults/ has the real ones.
#include <sqlite3.h>

#include <string>

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
