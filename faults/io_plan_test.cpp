// Checks, for the VFS in memory and the one over real files alike, that each kind of fault at each
// operation reaches SQLite as the code it should, leaves the database consistent with every
// answered transaction in it, and is over when it is over. Does not check the loss of what was not
// synced (power_loss_test.cpp).
#include "faults/io_plan.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "faults/database_fixture_test.hpp"
#include "faults/file_vfs.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::faults {
namespace {

namespace files = std::filesystem;

struct InMemory {
  Vfs vfs{"lp-faulty"};
  std::string path = database_path;
  static constexpr std::int64_t step = 1;
  void start_empty() { vfs.restore(Disk()); }
  // After a cut all that was written is there: the kernel had it.
  void power_on() { vfs.restore(vfs.snapshot()); }
};

struct OverFiles {
  FileVfs vfs{"lp-faulty"};
  files::path folder = files::temp_directory_path() / ("faulty-" + std::to_string(getpid()));
  std::string path = folder / "test.db";
  // Real files are slow: a sample of the hits.
  static constexpr std::int64_t step = 7;
  ~OverFiles() { files::remove_all(folder); }
  void start_empty() {
    files::remove_all(folder);
    files::create_directories(folder);
  }
  void power_on() {}
};

struct Course {
  std::vector<int> failed;  // result codes, in order
  int answered = 0;
  bool fired = false;
};

constexpr int rows = 4;
constexpr IoPlan never{Operation::write, Role::database, IoKind::io_error, 1'000'000, false};

std::string insertion(int number) {
  return "INSERT INTO t VALUES (" + std::to_string(number) + ", printf('%.*c', 3000, 'x'))";
}

// A database with a table, closed; then a plan, and a workload that opens it, writes with a
// savepoint rolled back, reads and closes. Each failed transaction is rolled back and not repeated.
template <class Shape>
Course workload(Shape& shape, const std::string& journal, const IoPlan& plan) {
  shape.start_empty();
  {
    Database db(shape.path, shape.vfs.name());
    EXPECT_EQ(SQLITE_OK,
              db.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = " + journal +
                     "; CREATE TABLE t (k INTEGER PRIMARY KEY, v); CREATE TABLE n (n); " +
                     insertion(0) + "; INSERT INTO n VALUES (0)"));
  }
  shape.vfs.arm(plan);
  Course run;
  {
    Database db(shape.path, shape.vfs.name());
    const auto note = [&](int code) {
      if (code != SQLITE_OK) run.failed.push_back(code);
      return code == SQLITE_OK;
    };
    const bool opened = note(db.code());
    if (opened) note(db.run("PRAGMA cache_size = 1; PRAGMA wal_autocheckpoint = 4"));
    for (int number = 1; opened && number <= rows; ++number) {
      const std::string n = std::to_string(number);
      const bool stands =
          note(db.run("BEGIN IMMEDIATE; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s;" +
                      insertion(number) + "; UPDATE n SET n = n + 1; COMMIT"));
      if (stands) ++run.answered;
      if (sqlite3_get_autocommit(db.handle()) == 0) db.run("ROLLBACK");
      db.read("SELECT sum(length(v)) FROM t");
      note(db.code());
    }
  }
  run.fired = shape.vfs.fired() > 0;
  shape.vfs.disarm();
  shape.power_on();
  return run;
}

// A later try works, and finds each answered transaction whole; one whose COMMIT failed may be
// there as well, whole, for its frames may have been written.
template <class Shape>
void expect_sound(Shape& shape, const Course& run) {
  Database db(shape.path, shape.vfs.name());
  ASSERT_EQ("ok ", db.read("PRAGMA integrity_check"));
  const std::string count = db.read("SELECT count(*) - 1 FROM t");
  EXPECT_EQ(count, db.read("SELECT n FROM n"));
  ASSERT_EQ(SQLITE_OK, db.code());
  EXPECT_GE(std::stoi(count), run.answered);
  if (run.failed.empty()) {
    EXPECT_EQ(rows, std::stoi(count));
  }
  EXPECT_EQ("3000 ", db.read("SELECT max(length(v)) FROM t"));
  EXPECT_EQ(SQLITE_OK, db.run("INSERT INTO t VALUES (99, 'later')"));
}

// Where SQLite goes on as if nothing had happened: a WAL has every frame still after a checkpoint
// that failed, and one that cannot be deleted is read again.
bool is_borne(const std::string& journal, const IoPlan& plan) {
  if (journal != "wal") return false;
  if (plan.operation == Operation::delete_) return true;
  return plan.role == Role::database &&
         (plan.operation == Operation::write || plan.operation == Operation::sync ||
          plan.operation == Operation::truncate);
}

bool is_proper(const IoPlan& plan, int code) {
  // Whatever is asked for next fails as well, each with a code of its own.
  if (plan.kind == IoKind::power_loss) return (code & 0xFF) == SQLITE_IOERR;
  if (code == result_code(plan.operation, *plan.role, plan.kind)) return true;
  // Locks that nobody gives up: SQLite says so in three ways.
  return plan.operation == Operation::shm_lock && plan.kind == IoKind::busy && plan.sticky &&
         (code == SQLITE_PROTOCOL || code == SQLITE_BUSY_RECOVERY);
}

template <class Shape>
class EitherVfs : public testing::Test {
 protected:
  // Each kind at each operation, at the hits 1, 1 + the shape's step, … for as long as it fires.
  // Answers what fired, as words.
  std::set<std::string> try_all(const std::string& journal, bool sticky) {
    std::set<std::string> fired;
    for (IoPlan plan : allowed_plans()) {
      if (plan.kind == IoKind::short_read) continue;
      plan.sticky = sticky;
      bool seen = false;
      while (!HasFatalFailure()) {
        SCOPED_TRACE(journal + " " + sentence(plan));
        const Course run = workload(shape_, journal, plan);
        if (!run.fired) break;
        fired.insert(std::string(word(plan.operation)) + "/" + std::string(word(*plan.role)));
        seen = seen || !run.failed.empty();
        for (const int code : run.failed) EXPECT_TRUE(is_proper(plan, code)) << code;
        expect_sound(shape_, run);
        plan.hit += Shape::step;
      }
      // A sample may miss every hit at which SQLite cannot go on.
      if (Shape::step == 1 && plan.hit > 1 && plan.kind != IoKind::power_loss) {
        EXPECT_EQ(seen, !is_borne(journal, plan)) << journal << " " << sentence(plan);
      }
    }
    return fired;
  }

  Shape shape_;
};

using Shapes = testing::Types<InMemory, OverFiles>;
TYPED_TEST_SUITE(EitherVfs, Shapes);

const std::set<std::string> wal_operations{
    "open/database", "open/wal",       "open/shm",         "read/database", "read/wal",
    "write/wal",     "sync/wal",       "delete/wal",       "lock/database", "shm_lock/shm",
    "sync/database", "write/database", "truncate/database"};
const std::set<std::string> rollback_operations{
    "open/database", "open/journal",  "read/database", "read/journal",   "write/database",
    "write/journal", "sync/database", "sync/journal",  "delete/journal", "lock/database"};

TYPED_TEST(EitherVfs, answers_a_passing_fault_properly_and_keeps_a_wal_database_sound) {
  EXPECT_EQ(wal_operations, this->try_all("wal", false));
}
TYPED_TEST(EitherVfs, answers_a_lasting_fault_properly_and_keeps_a_wal_database_sound) {
  EXPECT_EQ(wal_operations, this->try_all("wal", true));
}
TYPED_TEST(EitherVfs, answers_a_passing_fault_properly_and_keeps_a_rollback_database_sound) {
  EXPECT_EQ(rollback_operations, this->try_all("delete", false));
}
TYPED_TEST(EitherVfs, answers_a_lasting_fault_properly_and_keeps_a_rollback_database_sound) {
  EXPECT_EQ(rollback_operations, this->try_all("delete", true));
}

TYPED_TEST(EitherVfs, lets_a_database_be_read_that_it_opens_for_reading_only) {
  workload(this->shape_, "delete", never);
  this->shape_.vfs.arm({Operation::open, Role::database, IoKind::read_only, 1, false});
  Database db(this->shape_.path, this->shape_.vfs.name());
  EXPECT_EQ("5 ", db.read("SELECT count(*) FROM t"));
  EXPECT_EQ(SQLITE_READONLY, db.run("DELETE FROM t"));
}

// A disk that hands over less than is there lies, and SQLite takes its word: zeros past what it
// took for the end. So soundness is claimed for every kind but this one.
TYPED_TEST(EitherVfs, is_believed_when_it_reads_short) {
  int believed = 0;
  for (IoPlan plan{Operation::read, Role::database, IoKind::short_read, 1, false};; ++plan.hit) {
    if (!workload(this->shape_, "wal", plan).fired) break;
    Database db(this->shape_.path, this->shape_.vfs.name());
    const bool sound = db.read("PRAGMA integrity_check") == "ok " &&
                       db.read("SELECT n FROM n") == db.read("SELECT count(*) - 1 FROM t");
    if (!sound) ++believed;
  }
  EXPECT_GT(believed, 0);
}

TEST(TheVfsOverFiles, lets_the_process_end_between_any_two_writes) {
  OverFiles shape;
  int ended = 0;
  for (int at = 1; ended == at - 1; ++at) {
    shape.start_empty();
    const pid_t child = fork();
    if (child == 0) {
      int left = at;
      shape.vfs.watch([&](Operation operation, Role) {
        if (operation == Operation::write && --left == 0) _exit(7);
      });
      Database db(shape.path, shape.vfs.name());
      db.run(
          "PRAGMA synchronous = OFF; CREATE TABLE t (v); INSERT INTO t VALUES (1);"
          "INSERT INTO t VALUES (zeroblob(9000))");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "write " << at;
    if (WEXITSTATUS(status) == 7) ++ended;
    Database db(shape.path, "");
    EXPECT_EQ("ok ", db.read("PRAGMA integrity_check")) << at;
    const std::string rows_left = db.read("SELECT count(*) FROM t");
    EXPECT_TRUE(rows_left.empty() || rows_left == "0 " || rows_left == "1 " || rows_left == "2 ");
  }
  EXPECT_GT(ended, 10);
}

TEST(AnIoPlan, fires_at_its_hit_once_or_from_there_on) {
  IoFaults faults;
  const auto hit = [&] { return faults.hit(Operation::write, Role::wal).has_value(); };
  faults.arm({Operation::write, Role::wal, IoKind::disk_full, 2, false});
  EXPECT_EQ((std::vector<bool>{false, true, false}), (std::vector<bool>{hit(), hit(), hit()}));
  EXPECT_EQ(1, faults.fired());
  faults.arm({Operation::write, Role::wal, IoKind::disk_full, 2, true});
  EXPECT_EQ((std::vector<bool>{false, true, true}), (std::vector<bool>{hit(), hit(), hit()}));
  EXPECT_FALSE(faults.hit(Operation::write, Role::database));
  EXPECT_FALSE(faults.hit(Operation::sync, Role::wal));
  EXPECT_EQ(3, faults.hits(Operation::write, Role::wal));
  faults.disarm();
  EXPECT_FALSE(hit());
}

TEST(AnIoPlan, that_no_machine_could_follow_never_fires) {
  IoFaults faults;
  faults.arm({Operation::sync, Role::wal, IoKind::busy, 1, true});
  EXPECT_FALSE(faults.hit(Operation::sync, Role::wal));
  faults.arm({Operation::read, Role::shm, IoKind::io_error, 1, true});
  EXPECT_FALSE(faults.hit(Operation::read, Role::shm));
}

TEST(AllowedPlans, are_each_that_a_machine_could_follow) {
  const std::vector<IoPlan> plans = allowed_plans();
  std::set<std::string> sentences;
  for (const IoPlan& plan : plans) {
    EXPECT_TRUE(allows(plan.operation, *plan.role, plan.kind)) << sentence(plan);
    sentences.insert(sentence(plan));
  }
  EXPECT_EQ(plans.size(), sentences.size());
  std::size_t allowed = 0;
  for (const auto operation : {Operation::open, Operation::sync, Operation::shm_lock}) {
    for (std::size_t i = 0; i < role_count * io_kind_count; ++i) {
      const auto role = static_cast<Role>(i / io_kind_count);
      const auto kind = static_cast<IoKind>(i % io_kind_count);
      if (!allows(operation, role, kind)) continue;
      ++allowed;
      EXPECT_TRUE(sentences.contains(sentence({operation, role, kind, 1, false})));
    }
  }
  EXPECT_GT(allowed, 20U);
  EXPECT_EQ("write wal disk_full 2 sticky",
            sentence({Operation::write, Role::wal, IoKind::disk_full, 2, true}));
}

// A journal that spans databases is the one file that is deleted under a name which has no flags
// and no suffix of its own.
TEST(ASuperJournal, is_a_journal_when_it_is_deleted_as_when_it_is_opened) {
  Vfs vfs("lp-super");
  Database db(database_path, vfs.name());
  ASSERT_EQ(SQLITE_OK, db.run("CREATE TABLE t (v); ATTACH '/data/other.db' AS other;"
                              "CREATE TABLE other.t (v)"));
  vfs.disarm();
  ASSERT_EQ(SQLITE_OK,
            db.run("BEGIN; INSERT INTO main.t VALUES (1); INSERT INTO other.t VALUES (1); COMMIT"));
  EXPECT_EQ(3, vfs.hits(Operation::open, Role::journal));
  EXPECT_EQ(3, vfs.hits(Operation::delete_, Role::journal));
  EXPECT_EQ(0, vfs.hits(Operation::delete_, Role::database));
  EXPECT_EQ(Role::database, role_of_name("/data/project-mj.db"));
}

TEST(ThePower, is_gone_with_the_operation_at_which_it_fails_and_back_when_it_is_given_back) {
  IoFaults faults;
  faults.arm({Operation::sync, Role::wal, IoKind::power_loss, 1, false});
  EXPECT_FALSE(faults.hit(Operation::write, Role::wal));
  EXPECT_EQ(IoKind::power_loss, faults.hit(Operation::sync, Role::wal));
  EXPECT_EQ(IoKind::power_loss, faults.hit(Operation::write, Role::wal));
  EXPECT_EQ(1, faults.hits(Operation::write, Role::wal));
  EXPECT_FALSE(faults.powered());
  faults.power_on();
  EXPECT_FALSE(faults.hit(Operation::write, Role::wal));
}

TEST(TheWords, of_operations_are_the_last_parts_of_their_points) {
  EXPECT_EQ("shm_lock", word(Operation::shm_lock));
  EXPECT_EQ("delete", word(Operation::delete_));
  for (std::size_t i = 0; i < operation_count; ++i) {
    EXPECT_TRUE(std::string(point_names[point_of(static_cast<Operation>(i))]).starts_with("vfs/"));
  }
}

}  // namespace
}  // namespace leaseproof::faults
