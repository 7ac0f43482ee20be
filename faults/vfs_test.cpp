// Checks that SQLite finds in the VFS in memory what it finds in its own: the same rows after the
// same transactions, readers beside a writer, locks that exclude. Does not check faults
// (io_plan_test.cpp) nor the loss of power (power_loss_test.cpp).
#include "faults/vfs.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "faults/database_fixture_test.hpp"
#include "faults/draw.hpp"
#include "faults/drawn_rows_fixture_test.hpp"

namespace leaseproof::faults {
namespace {

namespace fs = std::filesystem;

struct Layout {
  std::string journal;
  std::string synchronous;
  int page_bytes;
};

class EveryMode : public testing::TestWithParam<Layout> {};

TEST_P(EveryMode, holds_what_the_default_vfs_holds) {
  const Layout& mode = GetParam();
  const fs::path folder = fs::temp_directory_path() / ("vfs-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string real_path = folder / ("round-" + mode.journal + ".db");
  fs::remove(real_path);
  const Vfs vfs("lp-round");
  const std::string pragmas = "PRAGMA page_size = " + std::to_string(mode.page_bytes) +
                              "; PRAGMA journal_mode = " + mode.journal +
                              "; PRAGMA cache_size = 5; PRAGMA synchronous = ";
  const auto open = [&](const std::string& at, const std::string& name) {
    auto db = std::make_unique<Database>(at, name);
    EXPECT_EQ(SQLITE_OK, db->run(pragmas + (name.empty() ? "OFF" : mode.synchronous)));
    return db;
  };
  auto ours = open(database_path, vfs.name());
  auto real = open(real_path, "");
  const std::string schema =
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v); CREATE INDEX i ON t (v, k)";
  ASSERT_EQ(SQLITE_OK, ours->run(schema));
  ASSERT_EQ(SQLITE_OK, real->run(schema));
  Draw draw(7);
  for (int round = 0; round < 150; ++round) {
    const std::string sql =
        round % 50 == 49 ? "VACUUM"
                         : drawn_transaction(draw) + (draw.below(5) == 0 ? "ROLLBACK" : "COMMIT");
    ASSERT_EQ(real->run(sql), ours->run(sql)) << sql;
    if (round % 20 == 19) {
      ours.reset();
      ours = open(database_path, vfs.name());
    }
    const std::string all = "SELECT k, length(v), substr(v, -40) FROM t";
    ASSERT_EQ(real->read(all), ours->read(all)) << sql;
  }
  EXPECT_EQ("ok ", ours->read("PRAGMA integrity_check"));
  EXPECT_EQ(real->read("PRAGMA page_count"), ours->read("PRAGMA page_count"));
  EXPECT_EQ(mode.journal + " ", ours->read("PRAGMA journal_mode"));
  ours.reset();
  real.reset();
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    Journal, EveryMode,
    testing::Values(Layout{"wal", "FULL", 4096}, Layout{"wal", "NORMAL", 512},
                    Layout{"delete", "FULL", 4096}, Layout{"delete", "EXTRA", 1024},
                    Layout{"truncate", "NORMAL", 4096}, Layout{"persist", "OFF", 8192}),
    [](const auto& mode) { return mode.param.journal + "_" + mode.param.synchronous; });

class TwoConnections : public testing::Test {
 protected:
  const Vfs vfs_{"lp-two"};
  Database first_{database_path, vfs_.name()};
  Database second_{database_path, vfs_.name()};
};

TEST_F(TwoConnections, of_which_one_writes_while_the_other_reads_its_snapshot) {
  ASSERT_EQ(SQLITE_OK, first_.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v)"));
  ASSERT_EQ(SQLITE_OK, first_.run("INSERT INTO t VALUES (1)"));
  ASSERT_EQ(SQLITE_OK, second_.run("BEGIN"));
  EXPECT_EQ("1 ", second_.read("SELECT v FROM t"));
  ASSERT_EQ(SQLITE_OK, first_.run("BEGIN IMMEDIATE; UPDATE t SET v = 2"));
  EXPECT_EQ("1 ", second_.read("SELECT v FROM t"));
  ASSERT_EQ(SQLITE_OK, first_.run("COMMIT"));
  EXPECT_EQ("1 ", second_.read("SELECT v FROM t"));
  EXPECT_EQ(SQLITE_BUSY_SNAPSHOT, second_.run("UPDATE t SET v = 3"));
  ASSERT_EQ(SQLITE_OK, second_.run("COMMIT"));
  EXPECT_EQ("2 ", second_.read("SELECT v FROM t"));
}

TEST_F(TwoConnections, write_one_after_the_other_in_wal_mode) {
  ASSERT_EQ(SQLITE_OK, first_.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v)"));
  ASSERT_EQ(SQLITE_OK, first_.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"));
  EXPECT_EQ(SQLITE_BUSY, second_.run("BEGIN IMMEDIATE"));
  ASSERT_EQ(SQLITE_OK, first_.run("COMMIT"));
  ASSERT_EQ(SQLITE_OK, second_.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT"));
  EXPECT_EQ("1 2 ", first_.read("SELECT v FROM t"));
}

TEST_F(TwoConnections, exclude_each_other_in_rollback_mode) {
  ASSERT_EQ(SQLITE_OK, first_.run("CREATE TABLE t (v); INSERT INTO t VALUES (0)"));
  ASSERT_EQ(SQLITE_OK, first_.run("BEGIN IMMEDIATE; UPDATE t SET v = 1"));
  EXPECT_EQ("0 ", second_.read("SELECT v FROM t"));
  EXPECT_EQ(SQLITE_BUSY, second_.run("BEGIN IMMEDIATE"));
  // A reader keeps the writer from its commit, and the waiting writer keeps new readers out.
  Database third(database_path, vfs_.name());
  ASSERT_EQ("0 ", second_.read("BEGIN; SELECT v FROM t"));
  EXPECT_EQ(SQLITE_BUSY, first_.run("COMMIT"));
  EXPECT_EQ("", third.read("SELECT v FROM t"));
  EXPECT_EQ(SQLITE_BUSY, third.code());
  ASSERT_EQ(SQLITE_OK, second_.run("COMMIT"));
  ASSERT_EQ(SQLITE_OK, first_.run("COMMIT"));
  EXPECT_EQ("1 ", third.read("SELECT v FROM t"));
}

TEST(AHotJournal, is_left_by_the_connection_that_died_to_the_next) {
  Vfs vfs("lp-hot");
  {
    Database dying(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, dying.run("CREATE TABLE t (v); INSERT INTO t VALUES (1)"));
    ASSERT_EQ(SQLITE_OK, dying.run("PRAGMA cache_size = 1; PRAGMA cache_spill = 1"));
    ASSERT_EQ(SQLITE_OK, dying.run("BEGIN EXCLUSIVE; UPDATE t SET v = 2; INSERT INTO t "
                                   "VALUES (zeroblob(100000))"));
    // The process is gone; what it wrote is all there, synced or not.
    vfs.restore(vfs.snapshot());
  }
  Database next(database_path, vfs.name());
  EXPECT_EQ("1 ", next.read("SELECT v FROM t"));
  EXPECT_EQ("ok ", next.read("PRAGMA integrity_check"));
}

TEST(Vfses, share_nothing_and_may_live_in_different_threads) {
  std::atomic<int> wrong{0};
  const auto work = [&wrong](const std::string& name) {
    const Vfs vfs(name);
    for (int round = 0; round < 30; ++round) {
      Database db(database_path, vfs.name());
      db.run("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (v)");
      if (db.run("INSERT INTO t VALUES (" + std::to_string(round) + ")") != SQLITE_OK) ++wrong;
      if (db.read("SELECT count(*) FROM t") != std::to_string(round + 1) + " ") ++wrong;
    }
  };
  std::thread first(work, "lp-thread-1");
  std::thread second(work, "lp-thread-2");
  first.join();
  second.join();
  EXPECT_EQ(0, wrong);
}

// What they share is bytes that neither has written since.
TEST(Vfses, of_which_one_has_the_others_disk_do_not_see_what_either_writes_then) {
  const Vfs vfs("lp-original");
  Vfs other("lp-copy");
  Database db(database_path, vfs.name());
  ASSERT_EQ(SQLITE_OK, db.run("CREATE TABLE t (v); INSERT INTO t VALUES (1)"));
  other.restore(vfs.snapshot());
  Database copy(database_path, other.name());
  ASSERT_EQ(SQLITE_OK, db.run("UPDATE t SET v = 2"));
  ASSERT_EQ(SQLITE_OK, copy.run("INSERT INTO t VALUES (3)"));
  EXPECT_EQ("2 ", db.read("SELECT v FROM t"));
  EXPECT_EQ("1 3 ", copy.read("SELECT v FROM t"));
}

TEST(OneVfs, serves_connections_of_different_threads) {
  const Vfs vfs("lp-threads");
  {
    Database first(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, first.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v)"));
  }
  const auto work = [&vfs](int from) {
    Database db(database_path, vfs.name());
    for (int done = 0; done < 40;) {
      const std::string value = std::to_string(from + done);
      if (db.run("INSERT INTO t VALUES (" + value + ")") == SQLITE_OK) ++done;
    }
  };
  std::thread first(work, 0);
  std::thread second(work, 1000);
  first.join();
  second.join();
  Database last(database_path, vfs.name());
  EXPECT_EQ("80 80 ", last.read("SELECT count(*), count(DISTINCT v) FROM t"));
  EXPECT_EQ("ok ", last.read("PRAGMA integrity_check"));
}

TEST(AVfs, tells_whether_a_connection_holds_a_write_lock) {
  for (const char* mode : {"DELETE", "WAL"}) {
    const Vfs vfs(std::string("lp-write-locked-") + mode);
    Database db(database_path, vfs.name());
    Database reader(database_path, vfs.name());
    EXPECT_FALSE(vfs.write_locked());
    ASSERT_EQ(SQLITE_OK, db.run(std::string("PRAGMA journal_mode = ") + mode));
    ASSERT_EQ(SQLITE_OK, db.run("CREATE TABLE t (v); BEGIN IMMEDIATE"));
    EXPECT_TRUE(vfs.write_locked()) << mode;
    ASSERT_EQ(SQLITE_OK, db.run("COMMIT"));
    EXPECT_FALSE(vfs.write_locked()) << mode;
    ASSERT_EQ(SQLITE_OK, reader.run("BEGIN; SELECT * FROM t"));
    EXPECT_FALSE(vfs.write_locked()) << mode << ": who only reads";
    ASSERT_EQ(SQLITE_OK, db.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"));
    EXPECT_TRUE(vfs.write_locked()) << mode;
  }
}

TEST(AVfs, counts_checkpoints_that_nobody_guards) {
  const Vfs vfs("lp-unlocked");
  {
    Database db(database_path, vfs.name());
    Database second(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, db.run("CREATE TABLE t (v); INSERT INTO t VALUES (1);"
                                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                                "INSERT INTO t VALUES (2); BEGIN IMMEDIATE"));
    EXPECT_EQ("0 1 1 ", second.read("PRAGMA wal_checkpoint"));
    EXPECT_EQ(0, vfs.unlocked_checkpoints()) << "under the write lock of another connection";
    ASSERT_EQ(SQLITE_OK, db.run("COMMIT; INSERT INTO t VALUES (3)"));
    EXPECT_EQ("0 1 1 ", second.read("PRAGMA wal_checkpoint"));
    EXPECT_LT(1, vfs.unlocked_checkpoints());
    const auto seen = vfs.unlocked_checkpoints();
    EXPECT_EQ("0 1 1 ", second.read("PRAGMA wal_checkpoint"));
    EXPECT_EQ(seen + 1, vfs.unlocked_checkpoints()) << "also one that finds nothing to do";
    ASSERT_EQ(SQLITE_OK, db.run("PRAGMA wal_autocheckpoint = 1; INSERT INTO t VALUES (4)"));
    EXPECT_LT(seen + 1, vfs.unlocked_checkpoints()) << "a commit that checkpoints by itself";
  }
  {
    Database db(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, db.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (5)"));
  }
  const auto seen = vfs.unlocked_checkpoints();
  {
    Database db(database_path, vfs.name());
    ASSERT_EQ(SQLITE_OK, db.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (6)"));
  }
  EXPECT_EQ(seen, vfs.unlocked_checkpoints()) << "whoever closes last has the file alone";
}

TEST(AVfs, is_gone_with_its_object) {
  { const Vfs vfs("lp-gone"); }
  EXPECT_EQ(nullptr, sqlite3_vfs_find("lp-gone"));
}

TEST(AVfs, draws_and_tells_the_time_by_its_options_alone) {
  const auto drawn = [](std::uint64_t seed) {
    const Vfs vfs("lp-seed", {{}, seed, 1'000'000'000'000'000});
    sqlite3_vfs* raw = sqlite3_vfs_find("lp-seed");
    std::string bytes(16, '\0');
    raw->xRandomness(raw, 16, bytes.data());
    Database db(database_path, vfs.name());
    EXPECT_EQ("2001-09-09 01:46:40 ", db.read("SELECT datetime('now')"));
    return bytes;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

}  // namespace
}  // namespace leaseproof::faults
