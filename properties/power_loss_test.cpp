// Checks that the engine, on a disk that loses its power in the middle of a call or after it, has
// every call that it answered and nothing of a call that it did not, or all of it. Does not check
// SQLite itself (faults/power_loss_test.cpp), nor what callers do after a loss.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "faults/crash_states.hpp"
#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {
namespace {

struct Counts {
  int states = 0;
  int between = 0;  // states in the middle of a call that changed something
  int lost = 0;     // cannot be opened, or neither what stood before the call nor what it answered
  std::set<faults::Operation> before;  // what the states in the middle were the last before
};

EngineSutOptions on(const std::shared_ptr<faults::Vfs>& vfs) {
  return {"/engine", "engine on a disk that loses power", {}, vfs};
}

// Plays a drawn case; for each call, looks at the states in which a loss of power before any
// operation of it that changes the disk, or after its answer, may leave the database.
class LosingMachine {
 public:
  explicit LosingMachine(Synchronous synchronous) : synchronous_(synchronous) {}

  Counts play(std::uint64_t seed, std::size_t choices) {
    DrawOptions options;
    options.faults = false;
    Case drawn = draw_case(seed, options);
    drawn.config.synchronous = synchronous_;
    Counts counts;
    std::vector<faults::Disk> during;
    running_->watch([&](faults::Operation operation, faults::Role, const faults::Disk& disk) {
      if (!faults::changes_disk(operation)) return;
      during.push_back(disk);
      counts.before.insert(operation);
    });
    Runner runner(sut_, clock_);
    runner.begin(drawn.config);
    model::Observation before = sut_.observe_in_full();
    for (const Step& step : drawn.steps) {
      during.clear();
      EXPECT_FALSE(runner.step(step)) << "seed " << seed;
      const model::Observation after = sut_.observe_in_full();
      std::set<std::uint64_t> seen;
      during.push_back(running_->snapshot());
      for (std::size_t i = 0; i < during.size(); ++i) {
        const bool answered = i + 1 == during.size();
        if (answered) seen.clear();
        for (const auto& state : faults::crash_states(during[i], {choices, seed + i})) {
          if (!seen.insert(state.disk.durable_hash()).second) continue;
          ++counts.states;
          if (!answered && !(before == after)) ++counts.between;
          rebooted_->restore(state.disk);
          if (!looking_.wake_up()) {
            ++counts.lost;
            continue;
          }
          const model::Observation& found = looking_.observe_in_full();
          if (!(found == after || (!answered && found == before))) ++counts.lost;
        }
      }
      before = after;
    }
    running_->watch({});
    return counts;
  }

 private:
  Synchronous synchronous_;
  SimClock clock_;
  std::shared_ptr<faults::Vfs> running_ = std::make_shared<faults::Vfs>("lp-running");
  std::shared_ptr<faults::Vfs> rebooted_ = std::make_shared<faults::Vfs>("lp-rebooted");
  EngineSut sut_{clock_, on(running_)};
  EngineSut looking_{clock_, on(rebooted_)};
};

TEST(TheEngine, has_after_a_loss_of_power_every_call_that_it_answered) {
  LosingMachine machine(Synchronous::full);
  Counts all;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Counts counts = machine.play(seed, 8);
    EXPECT_EQ(0, counts.lost) << "seed " << seed;
    all.states += counts.states;
    all.between += counts.between;
    all.before.insert(counts.before.begin(), counts.before.end());
  }
  EXPECT_GT(all.states, 200);
  EXPECT_GT(all.between, 100);
  using faults::Operation;
  EXPECT_EQ((std::set{Operation::open, Operation::write, Operation::sync, Operation::truncate,
                      Operation::delete_}),
            all.before);
}

TEST(TheEngine, that_cannot_be_opened_after_a_loss_of_power_says_so_and_may_be_opened_later) {
  const auto vfs = std::make_shared<faults::Vfs>("lp-garbage");
  SimClock clock;
  EngineSut sut(clock, on(vfs));
  const faults::Disk sound = vfs->snapshot();
  faults::Disk garbage = sound;
  const std::vector<std::byte> bytes(4096, std::byte{0x5A});
  for (const char* file : {"/engine/engine.sqlite", "/engine/engine.sqlite-wal"}) {
    const auto found = garbage.find(file);
    if (!found) continue;
    garbage.truncate(*found, 0);
    garbage.write(*found, 0, bytes);
  }
  vfs->restore(garbage);
  EXPECT_FALSE(sut.wake_up());
  vfs->restore(sound);
  EXPECT_TRUE(sut.wake_up());
  EXPECT_TRUE(sut.observe_in_full().workflows.empty());
}

// The canary: with synchronous off an answer is no promise, and the search above sees it broken.
TEST(TheEngine, is_caught_losing_calls_when_it_does_not_sync) {
  EXPECT_GT(LosingMachine(Synchronous::off).play(1, 4).lost, 0);
}

}  // namespace
}  // namespace leaseproof::properties
