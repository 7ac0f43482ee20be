// Checks that every interleaving of the small worlds holds on the real engine, and pins how many
// there are; that what is told apart by its key alone is what an unreduced search finds; and that a
// planted bug is found with the fewest moves. Does not check large worlds nor effects.
#include "properties/exhaustive.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/node_key.hpp"
#include "properties/engine_sut.hpp"
#include "properties/mutants.hpp"
#include "properties/runner.hpp"
#include "properties/worlds.hpp"

namespace leaseproof::properties {
namespace {

ExhaustiveOptions options_of(const NamedWorld& named) {
  ExhaustiveOptions options;
  options.world = named.world;
  options.crashes = named.crashes;
  options.busies = named.busies;
  return options;
}

ExhaustiveOptions options_of(std::string_view name) { return options_of(*find_world(name)); }

struct Counts {
  std::string_view world;
  std::size_t states;
  std::size_t transitions;
  std::size_t crashes;
  std::size_t depth;
};

class EveryInterleaving : public testing::TestWithParam<Counts> {};

TEST_P(EveryInterleaving, holds_on_the_engine) {
  const Counts& pinned = GetParam();
  const ExhaustiveResult found =
      search_exhaustively(engine_for_branching(), options_of(pinned.world));
  EXPECT_FALSE(found.counterexample)
      << (found.counterexample ? found.counterexample->violation.why : "");
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(pinned.states, found.states);
  EXPECT_EQ(pinned.transitions, found.transitions);
  EXPECT_EQ(pinned.crashes, found.crashes);
  EXPECT_EQ(pinned.depth, found.depth);
  EXPECT_GT(found.calls, found.states);
}

std::string name_of(const testing::TestParamInfo<Counts>& info) {
  return std::string(info.param.world);
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryInterleaving,
    testing::Values(Counts{"chain", 723, 11550, 0, 28},
                    Counts{"optional_branch", 3614, 58791, 0, 27},
                    Counts{"one_op", 4656, 146482, 4830, 12},
                    Counts{"deadline", 1064, 16489, 0, 16}, Counts{"queue", 155, 1638, 0, 12},
                    Counts{"bucket", 8614, 98227, 0, 15}, Counts{"two_sites", 552, 6233, 0, 12},
                    Counts{"two_workflows", 1127, 15245, 0, 12},
                    Counts{"emitting", 409, 4044, 444, 13}, Counts{"context", 344, 3715, 0, 9},
                    Counts{"clock_back", 358, 3358, 0, 22}),
    name_of);

TEST(TheExhaustiveSearch, finds_the_same_with_two_jobs_as_with_one) {
  ExhaustiveOptions options = options_of("optional_branch");
  const ExhaustiveResult one = search_exhaustively(engine_for_branching(), options);
  options.jobs = 2;
  const ExhaustiveResult two = search_exhaustively(engine_for_branching(), options);
  EXPECT_TRUE(two.complete());
  EXPECT_EQ(one.states, two.states);
  EXPECT_EQ(one.transitions, two.transitions);
  EXPECT_EQ(one.calls, two.calls);
  EXPECT_EQ(one.depth, two.depth);
}

TEST(TheExhaustiveSearch, says_what_it_has_not_expanded) {
  ExhaustiveOptions options = options_of("chain");
  options.most_depth = 5;
  const ExhaustiveResult found = search_exhaustively({}, options);
  EXPECT_FALSE(found.complete());
  EXPECT_EQ(5U, found.depth);
  EXPECT_GT(found.waiting, 0U);
}

// Every node by itself, told apart by all that is in it.
std::unordered_set<model::NodeKey> keys_without_reduction(const model::World& world,
                                                          std::size_t& nodes) {
  std::deque<model::Node> all{model::begin(world)};
  std::unordered_multimap<std::size_t, std::size_t> seen{{model::hash_value(all.front()), 0}};
  std::unordered_set<model::NodeKey> keys;
  model::MoveList moves(world);
  for (std::size_t at = 0; at < all.size(); ++at) {
    keys.insert(model::key_of(world, all[at]));
    for (const model::Move& move : moves.of(all[at])) {
      model::Node next = all[at];
      model::play(next, all[at], move);
      const std::size_t hash = model::hash_value(next);
      const auto [first, last] = seen.equal_range(hash);
      bool known = false;
      for (auto i = first; i != last; ++i) known = known || all[i->second] == next;
      if (known) continue;
      seen.emplace(hash, all.size());
      all.push_back(std::move(next));
    }
  }
  nodes = all.size();
  return keys;
}

class Reduction : public testing::TestWithParam<std::string_view> {};

// What differs only in what the key leaves out has the same moves to the same states: else one of
// them, left out, would have led to a key that is missed.
TEST_P(Reduction, reaches_what_the_unreduced_search_reaches) {
  ExhaustiveOptions options = options_of(GetParam());
  options.crashes = 0;
  options.busies = 0;
  std::size_t nodes = 0;
  const auto keys = keys_without_reduction(options.world, nodes);
  const ExhaustiveResult reduced = search_exhaustively({}, options);
  EXPECT_TRUE(reduced.complete());
  EXPECT_EQ(keys.size(), reduced.states);
  EXPECT_GT(nodes, keys.size());
}

INSTANTIATE_TEST_SUITE_P(Of, Reduction,
                         testing::Values("fan_in", "chain", "deadline", "queue", "two_workflows",
                                         "context"),
                         [](const auto& row) { return std::string(row.param); });

struct Shortest {
  std::string_view bug;
  std::string_view world;
  std::size_t steps;
  std::string_view invariant;
};

class PlantedBug : public testing::TestWithParam<Shortest> {};

TEST_P(PlantedBug, is_found_with_the_fewest_steps_and_by_nothing_shorter) {
  const Shortest& pinned = GetParam();
  const MakeRig make = engine_for_branching(mutated(*find_mutant(pinned.bug)));
  ExhaustiveOptions options = options_of(pinned.world);
  const ExhaustiveResult found = search_exhaustively(make, options);
  ASSERT_TRUE(found.counterexample);
  EXPECT_TRUE(found.counterexample->reproducible);
  EXPECT_EQ(pinned.invariant, found.counterexample->violation.invariant);
  EXPECT_EQ(pinned.steps, found.counterexample->steps.size());
  // A bug of the beginning needs no move at all.
  if (const std::size_t set_up = options.world.setup.size(); pinned.steps > set_up) {
    options.most_depth = pinned.steps - set_up - 1;
    EXPECT_FALSE(search_exhaustively(make, options).counterexample);
  }
  // On the engine as it is, the same steps hold.
  const Rig rig = engine_for_branching()();
  Runner runner(*rig.sut, *rig.clock);
  EXPECT_FALSE(runner.run(found.counterexample->config, found.counterexample->steps));
}

INSTANTIATE_TEST_SUITE_P(
    Of, PlantedBug,
    testing::Values(Shortest{"completion_without_ownership", "fan_in", 5, "no_stale_commit"},
                    Shortest{"failure_by_any_token", "fan_in", 7, "no_stale_commit"},
                    Shortest{"blocking_stops_at_one_level", "chain", 5, "no_blocked_left"},
                    Shortest{"heartbeat_revives_expired_lease", "one_op", 5, "no_stale_commit"},
                    Shortest{"queue_cap_off_by_one", "queue", 1, "queue_caps"},
                    Shortest{"lease_ignores_the_deadline", "deadline", 4, "budgets"}),
    [](const auto& row) { return std::string(row.param.bug); });

}  // namespace
}  // namespace leaseproof::properties
