// Checks that a loss of power in the middle of a checkpoint, or of the commit after it, which
// starts the WAL anew, loses no answered call. Does not check faults that SQLite is told of
// (checkpoint_test.cpp).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "engine/checkpoint_fixture_test.hpp"
#include "faults/crash_states.hpp"
#include "faults/vfs.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {
namespace {

using faults::Operation;
using faults::Role;
using model::Word;

struct Moment {
  faults::Disk disk;
  std::size_t answered;  // calls
};

model::Observation seen_by(Engine& engine) {
  return std::get<model::Observation>(engine.observe().detail);
}

TEST(ALossOfPower, in_a_checkpoint_loses_no_answered_call) {
  constexpr std::size_t calls = 8;
  std::vector<Moment> moments;
  std::vector<model::Observation> after;  // so many calls
  std::size_t in_checkpoint = 0;
  faults::Vfs vfs("lp-lossy");
  {
    Caller caller("a", database, vfs.name(), 12);
    after.push_back(seen_by(caller.engine()));
    vfs.watch([&](Operation operation, Role role, const faults::Disk& disk) {
      if (!faults::changes_disk(operation)) return;
      moments.push_back({disk, after.size() - 1});
      if (role == Role::database) ++in_checkpoint;
    });
    for (std::size_t i = 0; i < calls; ++i) {
      ASSERT_EQ(Word::created, caller.start().word);
      after.push_back(seen_by(caller.engine()));
      moments.push_back({vfs.snapshot(), after.size() - 1});
    }
    vfs.watch({});
  }
  EXPECT_GT(in_checkpoint, 30U);

  faults::Vfs rebooted("lp-lossy-rebooted");
  std::uint64_t seed = 0;
  std::size_t states = 0;
  std::set<std::pair<std::uint64_t, std::size_t>> looked_at;
  for (const Moment& moment : moments) {
    for (const auto& state : faults::crash_states(moment.disk, {6, ++seed})) {
      if (!looked_at.emplace(state.disk.durable_hash(), moment.answered).second) continue;
      ++states;
      rebooted.restore(state.disk);
      Caller looking("b", database, rebooted.name());
      const model::Observation found = seen_by(looking.engine());
      const bool next = moment.answered + 1 < after.size() && found == after[moment.answered + 1];
      ASSERT_TRUE(found == after[moment.answered] || next)
          << "after " << moment.answered << " calls";
    }
  }
  EXPECT_GT(states, 100U);
}

}  // namespace
}  // namespace leaseproof::engine
