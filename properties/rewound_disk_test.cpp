// Checks that a case on a simulated disk which was brought back beneath an open engine does to it
// what it does on a new one: else a fault planned for the n-th operation of a step would strike
// elsewhere when the case is replayed by itself. Does not check the disk (faults/vfs_test.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults/io_plan.hpp"
#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {
namespace {

constexpr std::uint64_t case_count = 120;

// An engine on a simulated disk, and what it does to it.
class Watched {
 public:
  using Operations = std::vector<std::pair<faults::Operation, faults::Role>>;

  Operations play(const Case& drawn) {
    Operations operations;
    Runner runner(sut_, clock_);
    runner.begin(drawn.config);
    options_.vfs->watch([&](faults::Operation operation, faults::Role role, const faults::Disk&) {
      operations.emplace_back(operation, role);
    });
    for (const Step& step : drawn.steps) {
      const auto violation = runner.step(step);
      EXPECT_FALSE(violation);
      if (violation) break;
    }
    options_.vfs->watch({});
    return operations;
  }

 private:
  EngineSutOptions options_ = on_simulated_disk();
  SimClock clock_;
  EngineSut sut_{clock_, options_};
};

TEST(TheRewoundDisk, has_the_same_operations_done_to_it_as_a_new_one) {
  Watched rewound;
  std::uint64_t with_faults = 0;
  for (std::uint64_t seed = 1; seed <= case_count; ++seed) {
    DrawOptions options;
    options.faults = seed % 2 == 0;
    options.disk = options.faults;
    const Case drawn = draw_case(seed, options);
    for (const Step& step : drawn.steps) with_faults += step.fault ? 1 : 0;
    const auto operations = rewound.play(drawn);
    EXPECT_EQ(Watched().play(drawn), operations) << "seed " << seed;
    EXPECT_FALSE(operations.empty()) << "seed " << seed;
  }
  EXPECT_GT(with_faults, case_count);
}

}  // namespace
}  // namespace leaseproof::properties
