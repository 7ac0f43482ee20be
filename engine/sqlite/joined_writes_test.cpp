// Checks that commits whose writes are joined leave the bytes that SQLite's own writes leave, after
// each transaction and in every situation of the WAL; that they are one write; and what becomes of
// one that fails. Does not check what a loss of power leaves of them: properties/ does, with each
// write of the engine.
#include "engine/sqlite/joined_writes.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "faults/draw.hpp"
#include "faults/drawn_rows_fixture_test.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::engine::sqlite {
namespace {

using faults::IoKind;
using faults::IoPlan;
using faults::Operation;
using faults::Role;

const char* const path = "/data/joined.db";
const char* const other_path = "/data/attached.db";

// A database of its own on a disk of its own.
class Site {
 public:
  explicit Site(const std::string& name, const std::string& pragmas = {}) : vfs_(name) {
    db_ = open();
    EXPECT_EQ(run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" + pragmas),
              Fault::none);
    EXPECT_EQ(run("CREATE TABLE t (k INTEGER PRIMARY KEY, v); CREATE INDEX i ON t (v, k)"),
              Fault::none);
  }
  std::unique_ptr<Connection> open() {
    Fault fault = Fault::none;
    auto db = Connection::open({path, vfs_.name(), false, true}, texts_, fault);
    EXPECT_EQ(fault, Fault::none);
    return db;
  }
  Fault run(const std::string& script) {
    db_->clear_fault();
    return db_->run_script(script.c_str());
  }
  Fault commit(bool joined = true) {
    db_->clear_fault();
    if (joined) {
      db_->commit(0);
    } else {
      db_->execute(0);
    }
    return db_->fault();
  }
  void open_again() {
    db_.reset();
    db_ = open();
  }
  // By another connection, to which nothing is shown that is not in the files.
  std::int64_t seen() {
    const auto reader = open();
    auto rows = reader->query(1);
    return rows.next() ? rows.integer(0) : -1;
  }
  // But for the zeros behind the last frame; none where there is no such file.
  std::vector<std::byte> bytes(const std::string& file) const {
    const faults::Disk disk = vfs_.snapshot();
    const auto id = disk.find(path + file);
    std::vector<std::byte> all(id ? disk.size(*id) : 0);
    if (id) disk.read(*id, 0, all);
    while (!all.empty() && all.back() == std::byte{0}) all.pop_back();
    return all;
  }
  std::uint64_t wal_size() const {
    const faults::Disk disk = vfs_.snapshot();
    return disk.size(*disk.find(std::string(path) + "-wal"));
  }
  // What the commit asks of the WAL.
  std::vector<Operation> watched_commit() {
    std::vector<Operation> seen;
    vfs_.watch([&](Operation operation, Role role, const faults::Disk&) {
      if (role == Role::wal) seen.push_back(operation);
    });
    EXPECT_EQ(commit(), Fault::none);
    vfs_.watch({});
    return seen;
  }
  std::int64_t writes(Role role) { return vfs_.hits(Operation::write, role); }
  faults::Vfs& vfs() { return vfs_; }

 private:
  const StatementTexts texts_{"COMMIT", "SELECT COUNT(*) FROM t"};
  faults::Vfs vfs_;
  std::unique_ptr<Connection> db_;
};

struct Situation {
  const char* name;
  const char* pragmas;
};

class JoinedCommits : public testing::TestWithParam<Situation> {};

TEST_P(JoinedCommits, leave_the_bytes_that_sqlite_leaves) {
  const std::string name = GetParam().name;
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, nullptr);
  Site joined("lp-joined-" + name, GetParam().pragmas);
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, nullptr);
  Site plain("lp-plain-" + name, GetParam().pragmas);
  faults::Draw draw(11);
  for (int round = 0; round < 300; ++round) {
    const std::string script = faults::drawn_transaction(draw);
    const bool rolls_back = draw.below(5) == 0;
    const bool copies = draw.below(12) == 0;
    const bool starts_again = draw.below(40) == 0;
    for (Site* site : {&joined, &plain}) {
      // The salts of a WAL that is started anew.
      sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, round + 1, nullptr);
      ASSERT_EQ(site->run(script), Fault::none) << script;
      if (rolls_back) {
        ASSERT_EQ(site->run("ROLLBACK"), Fault::none);
      } else {
        ASSERT_EQ(site->commit(site == &joined), Fault::none);
      }
      if (copies) {
        ASSERT_EQ(site->run("PRAGMA wal_checkpoint(RESTART)"), Fault::none);
      }
      if (starts_again) site->open_again();
    }
    for (const char* file : {"", "-wal"}) {
      ASSERT_TRUE(joined.bytes(file) == plain.bytes(file)) << round << " " << file << " " << script;
    }
  }
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 0, nullptr);
  EXPECT_LT(joined.writes(Role::wal), plain.writes(Role::wal) / 2);
  EXPECT_EQ(joined.run("PRAGMA integrity_check"), Fault::none);
}

// With a cache of few pages a transaction writes some of them into the WAL before it commits,
// writes them there again, and mends the sums of all headers behind the first at its end.
INSTANTIATE_TEST_SUITE_P(
    Situations, JoinedCommits,
    testing::Values(Situation{"roomy", ""}, Situation{"full", "PRAGMA synchronous = FULL;"},
                    Situation{"spilling", "PRAGMA cache_size = 5; PRAGMA cache_spill = 1;"}),
    [](const auto& given) { return given.param.name; });

const std::vector<Operation> write_and_sync{Operation::write, Operation::sync};

TEST(AJoinedCommit, is_one_write_and_that_before_the_sync) {
  Site site("lp-joined-once", "PRAGMA synchronous = FULL;");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a')"), Fault::none);
  ASSERT_EQ(site.commit(), Fault::none);
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2, 'b'); INSERT INTO t VALUES (3, "
                     "printf('%.*c', 9000, 'x'))"),
            Fault::none);
  EXPECT_EQ(site.watched_commit(), write_and_sync);
  EXPECT_EQ(site.seen(), 3);
}

TEST(AJoinedCommit, at_the_end_of_the_wal_makes_it_longer_for_those_that_follow) {
  Site site("lp-joined-longer", "PRAGMA synchronous = FULL;");
  int longer = 0;
  int as_long = 0;
  for (int i = 1; i <= 60; ++i) {
    ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (NULL, 'a')"), Fault::none);
    const auto before = site.wal_size();
    const auto seen = site.watched_commit();
    if (site.wal_size() == before) {
      ++as_long;
      EXPECT_EQ(seen, write_and_sync);
    } else {
      ++longer;
      EXPECT_EQ(seen,
                (std::vector<Operation>{Operation::write, Operation::write, Operation::sync}));
    }
  }
  EXPECT_GE(longer, 2);
  EXPECT_GE(as_long, 5 * longer);
  EXPECT_EQ(site.seen(), 60);
}

TEST(AJoinedCommit, stands_also_where_the_wal_cannot_be_made_longer) {
  Site site("lp-joined-no-longer", "PRAGMA synchronous = FULL;");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a')"), Fault::none);
  site.vfs().arm({Operation::write, Role::wal, IoKind::disk_full, 2});
  EXPECT_EQ(site.commit(), Fault::none);
  EXPECT_EQ(site.vfs().fired(), 1);
  EXPECT_EQ(site.seen(), 1);
}

TEST(AJoinedCommit, of_more_than_is_kept_is_a_write_for_each_part) {
  Site site("lp-joined-large");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, zeroblob(1000000))"), Fault::none);
  site.vfs().disarm();
  ASSERT_EQ(site.commit(), Fault::none);
  EXPECT_GE(site.writes(Role::wal), 2);
  EXPECT_LE(site.writes(Role::wal), 20);
  EXPECT_EQ(site.seen(), 1);
}

TEST(AJoinedCommit, that_cannot_be_written_fails_and_leaves_nothing_for_the_next) {
  for (const IoKind kind : {IoKind::io_error, IoKind::disk_full}) {
    Site site("lp-joined-failed-" + std::string(word(kind)));
    ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'lost')"), Fault::none);
    site.vfs().arm({Operation::write, Role::wal, kind});
    EXPECT_NE(site.commit(), Fault::none);
    EXPECT_EQ(site.vfs().fired(), 1);
    site.vfs().disarm();
    EXPECT_EQ(site.seen(), 0);
    site.run("ROLLBACK");
    ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2, 'kept')"), Fault::none);
    ASSERT_EQ(site.commit(), Fault::none);
    EXPECT_EQ(site.seen(), 1);
    EXPECT_EQ(site.run("PRAGMA integrity_check"), Fault::none);
  }
}

// The part that fails is a later one: what is kept of the rest is never written.
TEST(AJoinedCommit, that_fails_half_way_leaves_nothing_for_the_next) {
  Site site("lp-joined-half");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, zeroblob(300000))"), Fault::none);
  site.vfs().arm({Operation::write, Role::wal, IoKind::disk_full, 2});
  EXPECT_NE(site.commit(), Fault::none);
  site.vfs().disarm();
  site.run("ROLLBACK");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2, 'kept')"), Fault::none);
  ASSERT_EQ(site.commit(), Fault::none);
  EXPECT_EQ(site.seen(), 1);
}

TEST(AJoinedCommit, of_two_databases_reaches_both) {
  Site site("lp-joined-two");
  ASSERT_EQ(site.run(std::string("ATTACH '") + other_path +
                     "' AS other; PRAGMA other.journal_mode = WAL; CREATE TABLE other.u (v)"),
            Fault::none);
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a'); INSERT INTO u VALUES "
                     "(zeroblob(20000))"),
            Fault::none);
  ASSERT_EQ(site.commit(), Fault::none);
  EXPECT_EQ(site.seen(), 1);
  site.open_again();
  EXPECT_EQ(site.run(std::string("ATTACH '") + other_path +
                     "' AS other; CREATE TABLE one (n CHECK (n = 1)); INSERT INTO one SELECT "
                     "COUNT(*) FROM other.u"),
            Fault::none);
}

// Else a loss of power could bring an older content of the WAL back, behind the old header.
TEST(AJoinedCommit, that_starts_the_wal_anew_has_its_header_synced_before_its_frames) {
  Site site("lp-joined-anew", "PRAGMA synchronous = FULL;");
  ASSERT_EQ(site.run("INSERT INTO t VALUES (1, 'a'); PRAGMA wal_checkpoint(RESTART); BEGIN "
                     "IMMEDIATE; INSERT INTO t VALUES (2, 'b')"),
            Fault::none);
  const auto header = [](const faults::Disk& disk) {
    std::array<std::byte, 32> bytes{};
    disk.read(*disk.find(std::string(path) + "-wal"), 0, bytes);
    return bytes;
  };
  const auto before = header(site.vfs().snapshot());
  std::vector<Operation> seen;
  site.vfs().watch([&](Operation operation, Role role, const faults::Disk& disk) {
    if (role != Role::wal) return;
    if (seen.size() == 1) {
      EXPECT_NE(header(disk), before);
    }
    seen.push_back(operation);
  });
  ASSERT_EQ(site.commit(), Fault::none);
  site.vfs().watch({});
  EXPECT_EQ(seen, (std::vector<Operation>{Operation::write, Operation::sync, Operation::write,
                                          Operation::sync}));
}

TEST(AJoinedCommit, is_that_of_its_connection_alone) {
  Site site("lp-joined-alone");
  const auto second = site.open();
  EXPECT_EQ(second->vfs_name(), "lp-joined-alone");
  second->run_script("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a')");
  second->execute(0);
  ASSERT_EQ(second->fault(), Fault::none);
  EXPECT_EQ(site.seen(), 1);
}

}  // namespace
}  // namespace leaseproof::engine::sqlite
