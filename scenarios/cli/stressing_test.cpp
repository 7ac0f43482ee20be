// Checks that stress and the verdict of its journal see each planted bug of concurrency, by what it
// breaks, and nothing where none is planted. What comes up in one stress is up to the machine, so
// each bug has many. Does not check what the command prints (program_test.cpp).
#include "scenarios/cli/stressing.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenarios/cli/engines.hpp"

namespace leaseproof::scenarios::cli {
namespace {

using properties::ConcurrencyBug;

TEST(BugsOfConcurrency, have_names_of_their_own_and_say_who_suffers) {
  std::set<std::string_view> names;
  for (const auto& row : properties::concurrency_bugs()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.suffering.empty() || row.source.empty() || row.planted.empty()) << row.name;
    EXPECT_TRUE(is_concurrency_bug(std::string(row.name)).empty());
  }
  EXPECT_NE(std::string::npos, is_concurrency_bug("one_at_a_tine").find("one_at_a_time"));
}

class ABugOfConcurrency : public testing::TestWithParam<std::size_t> {};

TEST_P(ABugOfConcurrency, is_caught_by_stress_and_verify) {
  const Folder folder;
  StressHunt hunt;
  hunt.folder = folder.path();
  const HuntedMutant hunted =
      hunt_concurrency_bug(properties::concurrency_bugs()[GetParam()], hunt);
  EXPECT_EQ(Catch::violation, hunted.end) << hunted.by << " after " << hunted.run << " stresses";
  std::printf("%s: %s in stress %lld, after %.1f s\n", hunted.name.c_str(), hunted.by.c_str(),
              static_cast<long long>(hunted.run), hunted.ms / 1e3);
}

INSTANTIATE_TEST_SUITE_P(Stress, ABugOfConcurrency,
                         testing::Range<std::size_t>(0, properties::concurrency_bugs().size()),
                         [](const auto& row) {
                           return std::string(properties::concurrency_bugs()[row.param].name);
                         });

TEST(WithoutABug, the_same_stresses_are_clean) {
  const Folder folder;
  StressHunt hunt;
  hunt.folder = folder.path();
  for (std::int64_t number = 0; number < 3; ++number) {
    const JudgedStress judged = judged_stress(plan_of_hunt(hunt, ConcurrencyBug::none, number));
    EXPECT_EQ("", judged.invariant()) << judged.why();
  }
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
