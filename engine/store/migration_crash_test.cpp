// Checks that a migration can stop at any point: by a fault that SQLite reports, and by the death
// of the process. Does not check torn or lost writes of the disk.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/migration_fixture_test.hpp"
#include "engine/store/schema.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

enum class Then : std::uint8_t { go_on, interrupt, die };

// Counts the steps of SQLite's machine on every connection that is opened meanwhile, and acts at
// the one it is told.
struct Stopper {
  std::int64_t counted = 0;
  std::int64_t at = 0;
  Then then = Then::go_on;
};
Stopper stopper;

int on_step(void* /*unused*/) {
  if (++stopper.counted != stopper.at) return 0;
  if (stopper.then == Then::die) _exit(9);
  return stopper.then == Then::interrupt ? 1 : 0;
}

int watch(sqlite3* db, char** /*message*/, const void* /*unused*/) {
  sqlite3_progress_handler(db, 1, on_step, nullptr);
  return SQLITE_OK;
}

class Watching {
 public:
  Watching(std::int64_t at, Then then) {
    stopper = {0, at, then};
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
  }
  ~Watching() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch)); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
};

class MigrationCrash : public testing::Test {
 protected:
  MigrationCrash() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.fill();
    before_ = old_.dump();
    OldDatabase whole(old_);
    {
      const Watching watching(0, Then::go_on);
      EXPECT_TRUE(whole.migrate()) << whole.refusal;
    }
    steps_ = stopper.counted;
    after_ = whole.dump();
  }

  // Points that are spread over the whole way.
  [[nodiscard]] std::vector<std::int64_t> points() const {
    constexpr std::int64_t count = 24;
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < count; ++i) at.push_back(1 + i * (steps_ - 1) / (count - 1));
    return at;
  }
  // The file is at version 2 as it was, at a version between, or done; and then it is brought to
  // its end.
  void expect_whole(OldDatabase& old, std::int64_t at) {
    const std::string version = old.one("SELECT MAX(version) FROM schema_migrations");
    versions_.push_back(version);
    EXPECT_EQ(old.one("PRAGMA integrity_check"), "ok") << at;
    if (version == "2" || version == std::to_string(current_version)) {
      EXPECT_EQ(old.dump(), version == "2" ? before_ : after_) << at;
    }
    EXPECT_TRUE(old.migrate()) << at << "\n" << old.refusal;
    EXPECT_EQ(old.dump(), after_) << at;
  }
  void expect_versions(const std::vector<const char*>& versions) {
    for (const char* version : versions) {
      EXPECT_NE(std::find(versions_.begin(), versions_.end(), version), versions_.end()) << version;
    }
  }

  OldDatabase old_;
  std::string before_;
  std::string after_;
  std::int64_t steps_ = 0;
  std::vector<std::string> versions_;
};

TEST_F(MigrationCrash, a_process_that_dies_at_any_point_leaves_a_database_that_goes_on) {
  for (const std::int64_t at : points()) {
    OldDatabase old(old_);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const Watching watching(at, Then::die);
      old.migrate();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9) << at;
    expect_whole(old, at);
  }
  expect_versions({"2", "3"});
}

TEST_F(MigrationCrash, a_fault_at_any_point_is_told_as_a_fault_and_leaves_the_file) {
  for (const std::int64_t at : points()) {
    OldDatabase old(old_);
    bool opened = false;
    {
      const Watching watching(at, Then::interrupt);
      opened = old.migrate();
    }
    if (!opened) {
      EXPECT_EQ(old.refusal.find("cannot be migrated"), std::string::npos) << old.refusal;
    }
    expect_whole(old, at);
  }
  expect_versions({"2", "3"});
}

}  // namespace
}  // namespace leaseproof::engine::store
