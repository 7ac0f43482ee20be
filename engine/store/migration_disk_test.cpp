// Checks a migration on a disk that loses its power before any of its operations, and one that
// fails at any of them: afterwards the file is at some version, whole, and goes on to the very
// content of a migration that nobody disturbed. Does not check what that content is
// (migration_test.cpp), nor the death of the process alone (migration_crash_test.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/store/migration_disk_fixture_test.hpp"
#include "engine/store/schema.hpp"
#include "faults/crash_states.hpp"
#include "faults/io_plan.hpp"

namespace leaseproof::engine::store {
namespace {

using faults::IoKind;
using faults::IoPlan;
using faults::Operation;
using faults::Role;

class MigrationOnDisk : public testing::Test {
 protected:
  MigrationOnDisk() {
    fill_with_mixed_precision(old_);
    disk_ = disk_with(old_);
    vfs_.restore(disk_);
    before_ = look_at(vfs_);
    // Moments of the undisturbed one.
    vfs_.watch([this](Operation operation, Role, const faults::Disk& disk) {
      if (faults::changes_disk(operation)) moments_.push_back(disk);
    });
    {
      const SmallCache small;
      EXPECT_EQ(migrate_on(vfs_, old_.clock), "");
    }
    vfs_.watch({});
    moments_.push_back(vfs_.snapshot());
    after_ = look_at(vfs_);
    EXPECT_EQ(after_.version, std::to_string(current_version) + "\n");
    EXPECT_EQ(after_.old_columns, before_.old_columns);
    EXPECT_NE(after_.dump, before_.dump);
  }

  // Whole as it is, and then brought to its end.
  void expect_goes_on(const faults::Vfs& vfs) {
    const FoundOnDisk found = look_at(vfs);
    versions_.insert(found.version);
    EXPECT_EQ(found.integrity, "ok\n");
    EXPECT_EQ(found.old_columns, before_.old_columns);
    if (found.version == before_.version) {
      EXPECT_EQ(found.dump, before_.dump);
    }
    if (found.version == after_.version) {
      EXPECT_EQ(found.dump, after_.dump);
    }
    EXPECT_EQ(migrate_on(vfs, old_.clock), "");
    const FoundOnDisk ended = look_at(vfs);
    EXPECT_EQ(ended.integrity, "ok\n");
    EXPECT_EQ(ended.dump, after_.dump);
  }

  OldDatabase old_;
  faults::Disk disk_;
  faults::Vfs vfs_{"lp-migration"};
  std::vector<faults::Disk> moments_;
  FoundOnDisk before_;
  FoundOnDisk after_;
  std::set<std::string> versions_;
  std::set<Operation> operations_;  // on the database, that moments were the last before
};

TEST_F(MigrationOnDisk, that_loses_power_before_any_operation_goes_on_to_the_same_end) {
  faults::Vfs rebooted("lp-migration-rebooted");
  std::set<std::uint64_t> seen;
  std::uint64_t seed = 0;
  for (const faults::Disk& moment : moments_) {
    for (const auto& state : faults::crash_states(moment, {4, ++seed})) {
      if (!seen.insert(state.disk.durable_hash()).second) continue;
      SCOPED_TRACE("before change " + std::to_string(seed));
      rebooted.restore(state.disk);
      expect_goes_on(rebooted);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(seen.size(), 100U);
  EXPECT_EQ(versions_, (std::set<std::string>{"2\n", "3\n", "4\n", "5\n", "6\n"}));
}

// What a machine may answer so that SQLite hears of it: a short read it takes for the file's end.
std::vector<IoPlan> plans_that_are_told() {
  std::vector<IoPlan> plans;
  for (IoPlan plan : faults::allowed_plans()) {
    if (plan.kind == IoKind::short_read || plan.kind == IoKind::power_loss) continue;
    for (const bool sticky : {false, true}) {
      plan.sticky = sticky;
      plans.push_back(plan);
    }
  }
  return plans;
}

TEST_F(MigrationOnDisk, that_fails_at_any_operation_says_so_and_goes_on_to_the_same_end) {
  int refused = 0;
  std::set<std::string> kinds;
  for (IoPlan plan : plans_that_are_told()) {
    for (plan.hit = 1;; ++plan.hit) {
      SCOPED_TRACE(faults::sentence(plan));
      faults::Vfs vfs("lp-migration-failing");
      vfs.restore(disk_);
      vfs.arm(plan);
      const std::string refusal = migrate_on(vfs, old_.clock);
      const bool came = vfs.fired() > 0;
      vfs.disarm();
      EXPECT_EQ(refusal.find("cannot be migrated"), std::string::npos) << refusal;
      if (!came) {
        EXPECT_EQ(refusal, "");
        break;
      }
      if (!refusal.empty()) ++refused;
      kinds.insert(std::string(faults::word(plan.kind)));
      expect_goes_on(vfs);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_EQ(versions_, (std::set<std::string>{"2\n", "3\n", "4\n", "5\n", "6\n"}));
  EXPECT_EQ(kinds,
            (std::set<std::string>{"busy", "cannot_open", "disk_full", "io_error", "read_only"}));
}

// Refused for a time, a row that belongs to none, and a value of the wrong kind.
constexpr std::array bad_rows{"UPDATE ops SET next_attempt_at = 'tomorrow' WHERE id = 't3'",
                              "UPDATE op_dependencies SET depends_on_op_id = 'z'",
                              "UPDATE artifacts SET body = 1.5 WHERE id = 'x'"};

TEST_F(MigrationOnDisk, of_a_bad_row_leaves_the_file_to_the_byte_whenever_power_is_lost) {
  for (const char* spoil : bad_rows) {
    SCOPED_TRACE(spoil);
    OldDatabase bad(old_);
    bad.run(spoil);
    std::vector<faults::Disk> moments;
    faults::Vfs vfs("lp-migration-bad");
    vfs.watch([&](Operation operation, Role role, const faults::Disk& now) {
      if (!faults::changes_disk(operation)) return;
      moments.push_back(now);
      if (role == Role::database) operations_.insert(operation);
    });
    const auto expect_refused = [&](const faults::Disk& from) {
      vfs.restore(from);
      EXPECT_NE(migrate_on(vfs, old_.clock).find("cannot be migrated"), std::string::npos);
      EXPECT_TRUE(bytes_on(vfs.snapshot()) == bytes_on(disk_with(bad)));
    };
    {
      const SmallCache small;
      expect_refused(disk_with(bad));
    }
    vfs.watch({});
    EXPECT_GT(moments.size(), 20U);
    std::uint64_t seed = 0;
    for (const faults::Disk& moment : moments) {
      for (const auto& state : faults::crash_states(moment, {4, ++seed})) {
        expect_refused(state.disk);
      }
    }
  }
  EXPECT_TRUE(operations_.contains(Operation::write)) << "some of it was written by then";
}

TEST_F(MigrationOnDisk, of_a_bad_row_leaves_the_file_to_the_byte_whatever_fails) {
  OldDatabase bad(old_);
  bad.run(bad_rows[1]);
  const faults::Disk disk = disk_with(bad);
  const std::string bytes = bytes_on(disk);
  faults::Vfs vfs("lp-migration-bad-failing");
  for (IoPlan plan : plans_that_are_told()) {
    bool came = true;
    for (plan.hit = 1; came && !HasFailure(); ++plan.hit) {
      SCOPED_TRACE(faults::sentence(plan));
      vfs.restore(disk);
      vfs.arm(plan);
      EXPECT_NE(migrate_on(vfs, old_.clock), "");
      came = vfs.fired() > 0;
      vfs.disarm();
      EXPECT_NE(migrate_on(vfs, old_.clock).find("cannot be migrated"), std::string::npos);
      EXPECT_TRUE(bytes_on(vfs.snapshot()) == bytes);
    }
  }
}

}  // namespace
}  // namespace leaseproof::engine::store
