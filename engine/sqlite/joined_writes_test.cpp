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
  std::int64_t writes(Role role) { return vfs_.hits(Operation::write, role); }
  faults::Vfs& vfs() { return vfs_; }

 private:
  const StatementTexts texts_{"COMMIT", "SELECT COUNT(*) FROM t"};
  faults::Vfs vfs_;
  std::unique_ptr<Connection> db_;
};

std::string rows_of(faults::Draw& draw) {
  const std::string key = std::to_string(draw.below(60));
  const std::string size = std::to_string(draw.below(10) == 0 ? 9000 : draw.below(300));
  switch (draw.below(6)) {
    case 0:
      return "DELETE FROM t WHERE k > " + key;
    case 1:
      return "UPDATE t SET v = v || '+" + key + "' WHERE k % 7 = " + key + " % 7";
    case 2:
      return "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s";
    default:
      return "REPLACE INTO t VALUES (" + key + ", printf('%.*c', " + size + ", 'x'))";
  }
}

std::string transaction_of(faults::Draw& draw) {
  std::string script = "BEGIN IMMEDIATE;";
  for (std::uint64_t left = 1 + draw.below(5); left > 0; --left) script += rows_of(draw) + ";";
  return script;
}

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
    const std::string script = transaction_of(draw);
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
    ASSERT_EQ(joined.vfs().hash(), plain.vfs().hash()) << round << " " << script;
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

TEST(AJoinedCommit, is_one_write_and_that_before_the_sync) {
  Site site("lp-joined-once", "PRAGMA synchronous = FULL;");
  ASSERT_EQ(site.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (2, "
                     "printf('%.*c', 9000, 'x'))"),
            Fault::none);
  std::vector<Operation> seen;
  site.vfs().watch([&](Operation operation, Role role, const faults::Disk&) {
    if (role == Role::wal) seen.push_back(operation);
  });
  ASSERT_EQ(site.commit(), Fault::none);
  site.vfs().watch({});
  EXPECT_EQ(seen, (std::vector<Operation>{Operation::write, Operation::sync}));
  EXPECT_EQ(site.seen(), 2);
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

// WALs as SQLite has them open, written to by hand: what it does not do today.
class OpenWals : public testing::Test {
 protected:
  struct Wal {
    std::vector<std::max_align_t> memory;
    sqlite3_file* file = nullptr;
  };
  void SetUp() override {
    vfs_ = sqlite3_vfs_find(writes_->name());
    open(first_, "/data/first.db-wal");
    open(second_, "/data/second.db-wal");
  }
  void TearDown() override {
    for (Wal* wal : {&first_, &second_}) wal->file->pMethods->xClose(wal->file);
  }
  void open(Wal& wal, const char* name) {
    wal.memory.resize(static_cast<std::size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1);
    wal.file = reinterpret_cast<sqlite3_file*>(wal.memory.data());
    int flags = 0;
    ASSERT_EQ(SQLITE_OK,
              vfs_->xOpen(vfs_, name, wal.file,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, &flags));
  }
  static void write(const Wal& wal, const std::string& bytes, sqlite3_int64 at) {
    ASSERT_EQ(SQLITE_OK, wal.file->pMethods->xWrite(wal.file, bytes.data(),
                                                    static_cast<int>(bytes.size()), at));
  }
  [[nodiscard]] std::size_t on_disk(const std::string& name) const {
    const faults::Disk disk = behind_.snapshot();
    return disk.size(*disk.find("/data/" + name + ".db-wal"));
  }

  const faults::Vfs behind_{"lp-joined-open"};
  const std::unique_ptr<JoinedWrites> writes_ = JoinedWrites::before(behind_.name());
  sqlite3_vfs* vfs_ = nullptr;
  Wal first_;
  Wal second_;
  const std::string page_ = std::string(100, 'p');
};

TEST_F(OpenWals, show_all_that_was_written_to_whoever_looks) {
  const JoinedWrites::Commit commit(*writes_);
  const auto& methods = *first_.file->pMethods;
  write(first_, page_, 0);
  EXPECT_EQ(on_disk("first"), 0U);
  std::string read(100, ' ');
  EXPECT_EQ(SQLITE_OK, methods.xRead(first_.file, read.data(), 100, 0));
  EXPECT_EQ(read, page_);
  write(first_, page_, 100);
  sqlite3_int64 size = 0;
  EXPECT_EQ(SQLITE_OK, methods.xFileSize(first_.file, &size));
  EXPECT_EQ(size, 200);
  write(first_, page_, 200);
  EXPECT_EQ(SQLITE_OK, methods.xTruncate(first_.file, 250));
  EXPECT_EQ(on_disk("first"), 250U);
  write(first_, page_, 250);
  EXPECT_EQ(SQLITE_OK, methods.xSync(first_.file, SQLITE_SYNC_NORMAL));
  EXPECT_EQ(on_disk("first"), 350U);
}

TEST_F(OpenWals, keep_their_writes_apart) {
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    sqlite3_int64 size = 0;
    EXPECT_EQ(SQLITE_OK, second_.file->pMethods->xFileSize(second_.file, &size));
    EXPECT_EQ(on_disk("first"), 0U);
    write(second_, page_, 100);
    EXPECT_EQ(on_disk("first"), 100U);
    EXPECT_EQ(on_disk("second"), 0U);
  }
  EXPECT_EQ(on_disk("second"), 0U);
}

TEST_F(OpenWals, never_get_what_an_ended_commit_has_kept) {
  std::string last_header(24, '\0');
  last_header[7] = 1;
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    write(first_, last_header, 100);
  }
  write(second_, page_, 0);
  EXPECT_EQ(on_disk("second"), 100U);
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    EXPECT_EQ(on_disk("first"), 0U);
    write(first_, last_header, 100);
    EXPECT_EQ(on_disk("first"), 0U);
    write(first_, page_, 124);
    EXPECT_EQ(on_disk("first"), 224U);
  }
}

TEST(AVfsBehindJoinedWrites, has_to_be_there) {
  EXPECT_EQ(JoinedWrites::before("no such vfs"), nullptr);
  const auto writes = JoinedWrites::before("");
  ASSERT_NE(writes, nullptr);
  EXPECT_STREQ(writes->name_behind(), "unix");
}

}  // namespace
}  // namespace leaseproof::engine::sqlite
