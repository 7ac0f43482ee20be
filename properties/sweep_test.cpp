// Checks that a sweep comes by every kind of fault and every state of a loss of power, finds
// nothing in the engine as it is, and finds what is planted. The rules themselves are the runner's.
#include "properties/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

namespace leaseproof::properties {
namespace {

using faults::Kind;

StepSweep swept(const Case& whole, StorageBug bug = StorageBug::none) {
  SweepOptions options;
  options.bug = bug;
  options.states_a_moment = 12;
  Sweep sweep(options);
  StepSweep sum;
  for (std::size_t at = 0; at < whole.steps.size() && !sum.counterexample; ++at) {
    sum.add(sweep.step(whole, at));
  }
  return sum;
}

std::string story_of(const StepSweep& sum) {
  return sum.counterexample ? sum.counterexample->violation.why : std::string();
}

TEST(TheSweep, finds_nothing_and_has_come_by_every_kind_of_fault) {
  const StepSweep sum = swept(small_case());
  EXPECT_FALSE(sum.counterexample) << story_of(sum);
  EXPECT_EQ(sum.fell_back, 0);
  EXPECT_GT(sum.crash_states, 150);
  std::set<std::pair<faults::Point, Kind>> tried;
  for (const auto& [cell, runs] : sum.cells) tried.emplace(cell.point, cell.kind);
  for (std::size_t i = 0; i < faults::vfs_point_count; ++i) {
    const auto point = static_cast<faults::Point>(faults::vfs_open + i);
    const auto operation = faults::operation_of(point);
    for (std::size_t k = 0; k < faults::kind_words.size(); ++k) {
      const auto kind = static_cast<Kind>(k);
      if (!faults::allows(point, kind)) continue;
      if (faults::is_end(kind) && !faults::changes_disk(*operation)) continue;
      // Before a file is opened, cut or deleted stands what stood before another operation.
      if (kind == Kind::power_loss && operation != faults::Operation::write &&
          operation != faults::Operation::sync) {
        continue;
      }
      EXPECT_TRUE(tried.contains({point, kind}))
          << faults::point_names[point] << " " << faults::word(kind);
    }
  }
}

TEST(TheSweep, lets_normal_lose_the_newest_calls_and_nothing_else) {
  Case whole = small_case();
  whole.config.synchronous = Synchronous::normal;
  const StepSweep sum = swept(whole);
  EXPECT_FALSE(sum.counterexample) << story_of(sum);
  EXPECT_GT(sum.fell_back, 0);
}

// The canary of this part.
TEST(TheSweep, catches_an_engine_that_does_not_sync) {
  Case whole = small_case();
  whole.config.synchronous = Synchronous::off;
  EXPECT_TRUE(swept(whole).counterexample);
}

TEST(TheSweep, catches_each_seeded_bug_of_the_storage) {
  for (const StorageBugRow& row : storage_bugs()) {
    EXPECT_TRUE(swept(small_case(), row.bug).counterexample) << row.name;
  }
}

TEST(TheSweep, tries_the_same_twice) {
  const Case whole = small_case();
  Sweep first({});
  Sweep second({});
  for (const std::size_t at : {4U, 6U}) {
    const StepSweep one = first.step(whole, at);
    const StepSweep other = second.step(whole, at);
    EXPECT_GT(one.runs, 0);
    EXPECT_EQ(one.runs, other.runs);
    EXPECT_EQ(one.cells, other.cells);
    EXPECT_EQ(one.crash_states, other.crash_states);
  }
}

}  // namespace
}  // namespace leaseproof::properties
