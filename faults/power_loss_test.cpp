// Checks what SQLite promises to survive a loss of power at any moment: before each operation of a
// workload, in every state that the device allows (a bounded choice where they are many). Does not
// check faults that SQLite is told of (io_plan_test.cpp), nor the engine (properties/).
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/crash_states.hpp"
#include "faults/database_fixture_test.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::faults {
namespace {

constexpr int transactions = 8;

struct Mode {
  std::string name;
  std::string journal;
  std::string synchronous;
  Device device;
};

// The disk before an operation, and how far the workload was: transactions 1 … `answered` had
// returned OK, those past `begun` had not begun.
struct Mark {
  Disk disk;
  int answered;
  int begun;
};

// Transaction 1 makes the schema; each of the others changes several pages of two tables.
std::string transaction(int number) {
  if (number == 1) {
    return "BEGIN IMMEDIATE; CREATE TABLE log (n INTEGER PRIMARY KEY, pad);"
           "CREATE TABLE last (n); INSERT INTO last VALUES (1); COMMIT";
  }
  const std::string n = std::to_string(number);
  return "BEGIN IMMEDIATE; INSERT INTO log VALUES (" + n +
         ", printf('%.*c', 3000, 'x')); UPDATE log SET pad = pad || " + n + " WHERE n > " + n +
         " - 3; UPDATE last SET n = " + n + "; COMMIT";
}

std::vector<Mark> moments_of(const Mode& mode) {
  std::vector<Mark> moments;
  Vfs vfs("lp-loss", {mode.device, 1, 0});
  int answered = 0;
  int begun = 0;
  vfs.watch([&](Operation operation, Role, const Disk& disk) {
    if (changes_disk(operation)) moments.push_back({disk, answered, begun});
  });
  {
    Database db(database_path, vfs.name());
    EXPECT_EQ(SQLITE_OK,
              db.run("PRAGMA journal_mode = " + mode.journal + "; PRAGMA wal_autocheckpoint = 12;" +
                     "PRAGMA synchronous = " + mode.synchronous));
    for (int number = 1; number <= transactions; ++number) {
      begun = number;
      EXPECT_EQ(SQLITE_OK, db.run(transaction(number)));
      answered = number;
      moments.push_back({vfs.snapshot(), answered, begun});
    }
  }
  moments.push_back({vfs.snapshot(), answered, begun});
  return moments;
}

struct Found {
  bool sound = false;
  int last = 0;  // transactions 1 … `last` are there, and nothing of any other
};

// Opens the database as after a reboot, on a disk of its own.
Found look_at(Vfs& vfs, const Disk& disk) {
  vfs.restore(disk);
  Database db(database_path, vfs.name());
  Found found;
  if (db.read("PRAGMA integrity_check") != "ok ") return found;
  const std::string tables = db.read("SELECT count(*) FROM sqlite_schema");
  if (tables == "0 ") return {true, 0};
  if (tables != "2 ") return found;
  const std::string last = db.read("SELECT n FROM last");
  // Of a damaged database any text may come back.
  if (last.empty() || last.find_first_not_of("0123456789 ") != std::string::npos) return found;
  found.last = std::stoi(last);
  // Worked out again from nothing but the number.
  Database expected(":memory:", "");
  for (int number = 1; number <= found.last; ++number) expected.run(transaction(number));
  const std::string all = "SELECT n, pad FROM log";
  found.sound = db.read(all) == expected.read(all);
  return found;
}

struct Tally {
  int states = 0;
  int unsound = 0;
  int lost = 0;       // states in which an answered transaction is missing
  int most_lost = 0;  // and how many at most
  int invented = 0;   // states with a transaction that had not begun
};

Tally tally_of(const Mode& mode, std::size_t choices = 24) {
  Tally tally;
  Vfs vfs("lp-after", {mode.device, 2, 0});
  std::set<std::pair<std::uint64_t, int>> seen;
  std::uint64_t seed = 0;
  for (const Mark& moment : moments_of(mode)) {
    for (const CrashState& state : crash_states(moment.disk, {choices, ++seed})) {
      if (!seen.emplace(state.disk.durable_hash(), moment.answered).second) continue;
      const Found found = look_at(vfs, state.disk);
      ++tally.states;
      if (!found.sound) {
        ++tally.unsound;
        continue;
      }
      if (found.last < moment.answered) ++tally.lost;
      tally.most_lost = std::max(tally.most_lost, moment.answered - found.last);
      if (found.last > moment.begun) ++tally.invented;
    }
  }
  testing::Test::RecordProperty("states", tally.states);
  testing::Test::RecordProperty("lost", tally.lost);
  return tally;
}

std::string name_of(const testing::TestParamInfo<Mode>& mode) { return mode.param.name; }

constexpr Device plain{};

class EveryCommit : public testing::TestWithParam<Mode> {};

TEST_P(EveryCommit, that_was_answered_survives_and_every_other_is_whole_or_absent) {
  const Tally tally = tally_of(GetParam());
  EXPECT_GT(tally.states, 50);
  EXPECT_EQ(0, tally.unsound);
  EXPECT_EQ(0, tally.lost);
  EXPECT_EQ(0, tally.invented);
}

INSTANTIATE_TEST_SUITE_P(
    Durable, EveryCommit,
    testing::Values(Mode{"wal", "wal", "FULL", plain}, Mode{"wal_extra", "wal", "EXTRA", plain},
                    Mode{"wal_large_sectors", "wal", "FULL", {4096, 0, false, false}},
                    Mode{"wal_sequential", "wal", "FULL", {512, 0, true, false}},
                    Mode{"wal_atomic_pages", "wal", "FULL", {512, 4096, false, true}},
                    Mode{"delete", "delete", "EXTRA", plain},
                    Mode{"delete_large_sectors", "delete", "EXTRA", {4096, 0, false, false}},
                    Mode{"delete_sequential", "delete", "EXTRA", {512, 0, true, false}},
                    Mode{"delete_safe_append", "delete", "EXTRA", {512, 0, false, true}},
                    Mode{"truncate", "truncate", "FULL", plain},
                    Mode{"persist", "persist", "FULL", plain}),
    name_of);

class EveryPrefix : public testing::TestWithParam<Mode> {};

// sqlite.org/pragma.html#pragma_synchronous: WAL with NORMAL stays consistent but may lose
// transactions; so may a rollback journal whose deletion is not synced, up to FULL, the last one.
TEST_P(EveryPrefix, of_the_commits_may_be_what_survives_and_nothing_else) {
  const Tally tally = tally_of(GetParam());
  EXPECT_GT(tally.states, 50);
  EXPECT_EQ(0, tally.unsound);
  EXPECT_EQ(0, tally.invented);
  EXPECT_GT(tally.lost, 0);
  if (GetParam().journal == "delete") {
    EXPECT_EQ(1, tally.most_lost);
  } else {
    EXPECT_GT(tally.most_lost, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Consistent, EveryPrefix,
    testing::Values(Mode{"wal_normal", "wal", "NORMAL", plain},
                    Mode{"wal_normal_sequential", "wal", "NORMAL", {512, 0, true, false}},
                    Mode{"delete_full", "delete", "FULL", plain}),
    name_of);

// The canary: were these losses not found, nothing above would mean anything.
TEST(WithoutSyncs, a_loss_is_found_in_either_mode) {
  const Tally wal = tally_of({"wal", "wal", "OFF", plain});
  EXPECT_GT(wal.lost + wal.unsound, 0);
  const Tally rollback = tally_of({"delete", "delete", "OFF", plain});
  EXPECT_GT(rollback.unsound, 0);
}

// SQLite's unix VFS syncs the directory for a new journal and never for a new database.
TEST(ANewDatabase, may_lose_its_name_until_a_journal_has_synced_the_directory) {
  Vfs vfs("lp-name");
  const auto survives = [&](const std::string& journal) {
    vfs.restore(Disk());
    {
      Database db(database_path, vfs.name());
      EXPECT_EQ(SQLITE_OK, db.run("PRAGMA journal_mode = " + journal +
                                  "; PRAGMA synchronous = FULL; CREATE TABLE t (v)"));
    }
    vfs.lose_power({});
    return vfs.snapshot().find(database_path).has_value();
  };
  EXPECT_FALSE(survives("memory"));
  EXPECT_TRUE(survives("delete"));
  EXPECT_TRUE(survives("wal"));
}

// A connection that only reads makes the WAL and never syncs it.
TEST(AWal, that_another_connection_has_made_keeps_its_name_with_the_first_commit) {
  Vfs vfs("lp-made");
  {
    Database db(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, db.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v)"));
  }
  Database maker(database_path, vfs.name());
  ASSERT_EQ("0 ", maker.read("SELECT count(*) FROM t"));
  ASSERT_TRUE(vfs.snapshot().find(std::string(database_path) + "-wal"));
  Database writer(database_path, vfs.name());
  ASSERT_EQ(SQLITE_OK, writer.run("PRAGMA synchronous = FULL; INSERT INTO t VALUES (1)"));
  vfs.lose_power({});
  EXPECT_EQ("1 ", Database(database_path, vfs.name()).read("SELECT v FROM t"));
}

TEST(AConnection, of_before_the_loss_is_of_no_more_use_and_does_no_harm) {
  Vfs vfs("lp-stale");
  Database before(database_path, vfs.name());
  ASSERT_EQ(SQLITE_OK, before.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v)"));
  ASSERT_EQ(SQLITE_OK, before.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"));
  vfs.cut_power();
  EXPECT_EQ(SQLITE_IOERR, before.run("COMMIT") & 0xFF);
  EXPECT_NE(SQLITE_OK, Database(database_path, vfs.name()).run("SELECT * FROM t"));
  vfs.lose_power({});
  Database now(database_path, vfs.name());
  ASSERT_EQ(SQLITE_OK, now.run("INSERT INTO t VALUES (2)"));
  EXPECT_EQ(SQLITE_IOERR, before.run("INSERT INTO t VALUES (3)") & 0xFF);
  EXPECT_EQ("2 ", now.read("SELECT v FROM t"));
  EXPECT_EQ("ok ", now.read("PRAGMA integrity_check"));
}

}  // namespace
}  // namespace leaseproof::faults
