// Checks that a fair schedule that remembers what it has played answers what one without a memory
// answers, and that it tells when nothing settles. Does not check that worlds settle; explorer_test
// does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/explorer.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

World two_ops_and_an_effect() {
  World world;
  Ensure call;
  call.workflow = "w";
  call.identity = "{}";
  call.ops = {effect_spec("a", Contract::queryable), op_spec("b", {requires_op("a")})};
  for (OpSpec& op : call.ops) op.max_attempts = 2;
  world.setup = {call};
  world.cancels = true;
  world.failures = {FailKind::permanent, FailKind::unknown};
  return world;
}

std::vector<Node> first_nodes(const World& world, std::size_t count) {
  std::vector<Node> nodes{begin(world)};
  MoveList moves(world);
  for (std::size_t at = 0; nodes.size() < count; ++at) {
    const Node from = nodes[at];
    for (const Move& move : moves.of(from)) {
      Node next = from;
      if (play(next, from, move).edited) nodes.push_back(next);
    }
  }
  return nodes;
}

constexpr std::size_t most_steps = 1'000;

TEST(FairSchedule, answers_the_same_with_a_memory_as_without) {
  const World world = two_ops_and_an_effect();
  FairSchedule remembering(world, most_steps);
  std::size_t longest = 0;
  for (const Node& node : first_nodes(world, 500)) {
    const Settling with = remembering.settle(node);
    const Settling without = FairSchedule(world, most_steps).settle(node);
    EXPECT_EQ(with.fault, "");
    EXPECT_EQ(with.steps, without.steps);
    longest = std::max(longest, with.steps);
  }
  EXPECT_GT(longest, 10U);
}

TEST(FairSchedule, tells_when_it_takes_too_long_also_on_a_way_it_knows) {
  const World world = two_ops_and_an_effect();
  constexpr std::size_t few_steps = 10;
  FairSchedule remembering(world, few_steps);
  std::size_t too_long = 0;
  const std::vector<Node> nodes = first_nodes(world, 500);
  for (const Node& node : nodes) {
    const Settling with = remembering.settle(node);
    EXPECT_EQ(with.fault, FairSchedule(world, few_steps).settle(node).fault);
    if (!with.fault.empty()) {
      EXPECT_EQ(with.fault, "I3: too many steps to settle");
      ++too_long;
    }
  }
  EXPECT_GT(too_long, 0U);
  EXPECT_LT(too_long, nodes.size());
}

TEST(FairSchedule, tells_when_nothing_can_happen_any_more) {
  const World world = two_ops_and_an_effect();
  Node stuck = begin(world);
  // No call could make this: an op that waits for itself.
  Op& op = stuck.state.ops.edit("b");
  OpSpec spec = *op.spec;
  spec.needs = {requires_op("b")};
  op.spec = Immutable<OpSpec>(spec);
  const std::string fault = FairSchedule(world, most_steps).settle(stuck).fault;
  EXPECT_EQ(fault, "I3: an op is not settled and nothing can happen any more");
}

}  // namespace
}  // namespace leaseproof::model
