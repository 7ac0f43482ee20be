// Checks when the engine checkpoints and under which lock, on a simulated disk: one thread, several
// connections. Does not check threads (checkpoint_threads_test.cpp) nor a loss of power
// (checkpoint_loss_test.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/checkpoint_fixture_test.hpp"
#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/database.hpp"
#include "faults/io_plan.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::engine {
namespace {

using faults::IoKind;
using faults::Operation;
using faults::Role;
using model::Word;
using store::catalog_texts;
using store::DatabaseOptions;
using store::open_database;
using store::Sql;

// One call writes some ten pages beyond the threshold before its commit finds that passed, and the
// next one starts the WAL anew.
constexpr std::int64_t bounded_pages = 2 * threshold_pages;

// What keeps its snapshot until it goes.
class Reader {
 public:
  explicit Reader(const std::string& vfs) : texts_(catalog_texts()) {
    DatabaseOptions options;
    options.path = database;
    options.vfs = vfs;
    options.read_only = true;
    auto opened = open_database(options, texts_, clock_);
    EXPECT_TRUE(opened.has_value());
    if (!opened) return;
    db_ = std::move(*opened);
    db_->execute(index(Sql::begin_read));
    db_->execute(index(Sql::last_event));
    EXPECT_EQ(sqlite::Fault::none, db_->fault());
  }

 private:
  HandClock clock_;
  sqlite::StatementTexts texts_;
  std::unique_ptr<sqlite::Connection> db_;
};

std::int64_t pages_of_wal_file(const faults::Vfs& vfs) {
  const faults::Disk disk = vfs.snapshot();
  const auto wal = disk.find(std::string(database) + "-wal");
  return wal ? static_cast<std::int64_t>(disk.size(*wal) / 4096) : 0;
}

TEST(Checkpoints, of_several_engines_run_under_the_lock_and_keep_the_wal_small) {
  faults::Vfs vfs("lp-checkpoints");
  {
    std::vector<std::unique_ptr<Caller>> callers;
    for (const char* name : {"a", "b", "c"}) {
      callers.push_back(std::make_unique<Caller>(name, database, vfs.name()));
    }
    // Two that read, most of the time; none of them for long.
    std::deque<Reader> readers;
    std::int64_t in_wal = 0;
    std::int64_t written = 0;
    for (int i = 0; i < 300; ++i) {
      Caller& caller = *callers[static_cast<std::size_t>(i) % callers.size()];
      ASSERT_EQ(Word::created, caller.start().word);
      written += caller.wal_pages() - (caller.wal_pages() > in_wal ? in_wal : 0);
      in_wal = caller.wal_pages();
      if (i % 4 == 0) {
        readers.emplace_back(vfs.name());
        if (readers.size() > 2) readers.pop_front();
      }
      if (i % 10 == 9) readers.clear();
    }
    EXPECT_LT(pages_of_wal_file(vfs), 3 * bounded_pages);
    EXPECT_GT(written, 30 * bounded_pages);
    EXPECT_EQ(0, vfs.unlocked_checkpoints());
    EXPECT_FALSE(vfs.write_locked());
  }
  EXPECT_EQ(0, vfs.unlocked_checkpoints()) << "the last to close has the file alone";
}

TEST(Checkpoints, wait_for_a_reader_that_stays_and_catch_up_once_it_is_gone) {
  const faults::Vfs vfs("lp-pinned");
  Caller caller("a", database, vfs.name());
  ASSERT_EQ(Word::created, caller.start().word);
  {
    const Reader reader(vfs.name());
    for (int i = 0; i < 50; ++i) ASSERT_EQ(Word::created, caller.start().word);
    EXPECT_GT(caller.wal_pages(), bounded_pages);
  }
  const std::int64_t pinned_pages = pages_of_wal_file(vfs);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(Word::created, caller.start().word);
  EXPECT_LT(caller.wal_pages(), bounded_pages);
  EXPECT_LE(pages_of_wal_file(vfs), pinned_pages + threshold_pages);
  EXPECT_EQ(0, vfs.unlocked_checkpoints());
}

TEST(Checkpoints, by_a_second_connection_of_its_own_are_caught) {
  for (const char* planted : {"PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)",
                              "PRAGMA wal_autocheckpoint = 1; CREATE TABLE mine (v)"}) {
    const faults::Vfs vfs("lp-planted");
    Caller caller("a", database, vfs.name());
    ASSERT_EQ(Word::created, caller.start().word);
    const auto texts = catalog_texts();
    auto fault = sqlite::Fault::none;
    const auto second =
        sqlite::Connection::open({database, vfs.name(), false, false}, texts, fault);
    ASSERT_NE(nullptr, second);
    ASSERT_EQ(0, vfs.unlocked_checkpoints());
    EXPECT_EQ(sqlite::Fault::none, second->run_script(planted));
    EXPECT_GT(vfs.unlocked_checkpoints(), 0) << planted;
  }
}

TEST(Checkpoints, are_never_made_by_a_commit_itself) {
  const faults::Vfs vfs("lp-no-auto");
  Caller caller("a", database, vfs.name(), 0);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(Word::created, caller.start().word);
  EXPECT_GT(caller.wal_pages(), 1000) << "SQLite's own threshold";
  const auto texts = catalog_texts();
  HandClock clock;
  DatabaseOptions options;
  options.path = database;
  options.vfs = vfs.name();
  const auto other = open_database(options, texts, clock);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(sqlite::Fault::none, (*other)->run_script("CREATE TABLE mine (v)"));
  EXPECT_EQ(0, vfs.unlocked_checkpoints());
}

// What a disk is asked for by a call that stays below the threshold.
std::vector<std::int64_t> asked_by_calls(std::int64_t checkpoint_pages) {
  faults::Vfs vfs("lp-asked");
  Caller caller("a", database, vfs.name(), checkpoint_pages);
  vfs.disarm();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Word::created, caller.start().word);
  std::vector<std::int64_t> hits;
  for (std::size_t operation = 0; operation < faults::operation_count; ++operation) {
    for (std::size_t role = 0; role < faults::role_count; ++role) {
      hits.push_back(vfs.hits(static_cast<Operation>(operation), static_cast<Role>(role)));
    }
  }
  return hits;
}

TEST(Checkpoints, cost_a_call_below_the_threshold_nothing) {
  EXPECT_EQ(asked_by_calls(0), asked_by_calls(1000));
  EXPECT_NE(asked_by_calls(0), asked_by_calls(1));
}

TEST(Checkpoints, that_fail_change_no_answer_and_are_made_later) {
  int fired = 0;
  for (faults::IoPlan plan : faults::allowed_plans()) {
    // What only a checkpoint asks for: a call itself finds the database open and in its cache.
    const bool of_checkpoint = plan.role == Role::database && plan.operation != Operation::read;
    if (!of_checkpoint || plan.kind == IoKind::power_loss) continue;
    for (plan.hit = 1;; ++plan.hit) {
      SCOPED_TRACE(faults::sentence(plan));
      faults::Vfs vfs("lp-failing-checkpoint");
      Caller caller("a", database, vfs.name());
      for (int i = 0; i < 2; ++i) caller.start();
      vfs.arm(plan);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(Word::created, caller.start().word);
      const bool came = vfs.fired() > 0;
      vfs.disarm();
      EXPECT_FALSE(vfs.write_locked());
      for (int i = 0; i < 10; ++i) EXPECT_EQ(Word::created, caller.start().word);
      EXPECT_LT(caller.wal_pages(), bounded_pages);
      EXPECT_EQ(0, vfs.unlocked_checkpoints());
      if (!came) break;
      ++fired;
    }
  }
  EXPECT_GT(fired, 20);
}

TEST(Checkpoints, find_nothing_to_do_in_memory) {
  Caller caller("a", "file:/lp-checkpoints?vfs=memdb", "", 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Word::created, caller.start().word);
  EXPECT_EQ(0, caller.wal_pages());
}

}  // namespace
}  // namespace leaseproof::engine
