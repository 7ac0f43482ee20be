// Checks that in each of these small worlds every reachable state keeps the laws and can be settled
// by a fair schedule, and pins how many there are: a rule that changes changes a count. Does not
// check large states nor the texts of answers; the tests of the rooms do.
#include "model/explorer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

// Two attempts, five microseconds apart; a lease lasts ten.
OpSpec brief(OpSpec spec) {
  spec.max_attempts = 2;
  spec.retry.delays_us = {5};
  return spec;
}

Action ensure(std::vector<OpSpec> ops, std::string workflow = "w") {
  Ensure call;
  call.workflow = std::move(workflow);
  call.identity = "{}";
  for (OpSpec& op : ops) call.ops.push_back(brief(std::move(op)));
  return call;
}

World world_of(std::vector<Action> setup) {
  World world;
  world.setup = std::move(setup);
  world.retries = true;
  world.cancels = true;
  world.failures = {FailKind::retryable, FailKind::permanent};
  return world;
}

World effect_world(EffectSpec effect) {
  OpSpec spec = op_spec("e");
  spec.effect = std::move(effect);
  World world = world_of({ensure({spec})});
  world.failures = {FailKind::retryable, FailKind::permanent, FailKind::unknown};
  return world;
}

EffectSpec contract(Contract contract, std::int64_t retention_us = 0) {
  EffectSpec effect;
  effect.contract = contract;
  effect.retention_us = retention_us;
  return effect;
}

struct Counts {
  std::size_t states;
  std::size_t transitions;
  std::size_t depth;
  std::size_t slowest_settling;
};

void expect_counts(const World& world, const Counts& counts) {
  const Exploration found = explore(world);
  std::string path;
  for (const std::string& move : found.path) path += "\n  " + move;
  EXPECT_EQ(found.breach, "") << path;
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.states, counts.states);
  EXPECT_EQ(found.transitions, counts.transitions);
  EXPECT_EQ(found.depth, counts.depth);
  EXPECT_EQ(found.slowest_settling, counts.slowest_settling);
}

TEST(Explorer, one_op_with_heartbeats_and_checkpoints) {
  World world = world_of({ensure({op_spec("a")})});
  world.heartbeats_us = {world.lease_us};
  world.checkpoints = true;
  expect_counts(world, {1'335, 29'471, 17, 9});
}

TEST(Explorer, one_op_under_a_clock_that_steps_back) {
  World world = world_of({ensure({op_spec("a")})});
  world.heartbeats_us = {world.lease_us};
  world.clock_steps_back = true;
  world.horizon_us = 20;
  expect_counts(world, {8'025, 130'587, 40, 9});
}

TEST(Explorer, one_op_with_a_deadline) {
  OpSpec spec = op_spec("a");
  spec.deadline_us = 12;
  World world = world_of({ensure({spec})});
  world.checkpoints = true;
  expect_counts(world, {1'480, 27'447, 18, 14});
}

TEST(Explorer, two_ops_in_a_row) {
  expect_counts(world_of({ensure({op_spec("a"), op_spec("b", {requires_op("a")})})}),
                {3'594, 71'347, 28, 12});
}

TEST(Explorer, two_workflows_side_by_side) {
  World world = world_of({ensure({op_spec("a")}, "v"), ensure({op_spec("b")}, "w")});
  world.horizon_us = 10;
  world.retries = false;
  expect_counts(world, {1'744, 25'611, 13, 18});
}

TEST(Explorer, a_finalizer_that_one_branch_must_reach_and_one_may) {
  World world = world_of({ensure({op_spec("a"), op_spec("b", {requires_op("a")}),
                                  op_spec("c", {prefers_op("a"), requires_op("b")})})});
  world.horizon_us = 12;
  world.failures = {FailKind::permanent};
  expect_counts(world, {1'665, 29'231, 31, 15});
}

TEST(Explorer, a_queue_with_a_cap_and_a_bucket) {
  World world =
      world_of({Queue{"default", "default", 1, 200'000, 1}, ensure({op_spec("a"), op_spec("b")})});
  world.horizon_us = 16;
  world.retries = false;
  expect_counts(world, {955, 12'008, 16, 27});
}

TEST(Explorer, an_op_that_emits_another) {
  World world = world_of({ensure({op_spec("a")})});
  world.emits["a"] = {brief(op_spec("b", {requires_op("a")}))};
  world.horizon_us = 16;
  expect_counts(world, {2'034, 39'640, 27, 9});
}

TEST(Explorer, a_context_that_expires_or_is_revoked) {
  OpSpec spec = op_spec("a");
  spec.context = "memory";
  World world = world_of({ContextPut{"memory", "null", 12}, ensure({spec})});
  world.revocations = true;
  expect_counts(world, {1'876, 25'492, 19, 15});
}

TEST(Explorer, an_idempotent_effect) {
  expect_counts(effect_world(contract(Contract::idempotent)), {21'753, 473'643, 24, 16});
}

TEST(Explorer, an_idempotent_effect_that_the_service_forgets) {
  expect_counts(effect_world(contract(Contract::idempotent, 15)), {18'941, 396'321, 24, 23});
}

TEST(Explorer, a_forgetting_service_whose_clock_is_off) {
  World world = effect_world(contract(Contract::idempotent, 15));
  world.settings.clock_slack_us = 2;
  expect_counts(world, {28'107, 590'218, 26, 24});
}

TEST(Explorer, an_idempotent_effect_with_two_payloads) {
  World world = effect_world(contract(Contract::idempotent));
  world.payloads = {"1", "2"};
  world.horizon_us = 16;
  expect_counts(world, {17'980, 425'999, 22, 16});
}

TEST(Explorer, an_idempotent_effect_under_a_lease_that_is_shortened) {
  World world = effect_world(contract(Contract::idempotent));
  world.heartbeats_us = {1};
  world.horizon_us = 12;
  world.failures = {FailKind::unknown};
  expect_counts(world, {20'444, 400'498, 27, 21});
}

TEST(Explorer, a_queryable_effect) {
  expect_counts(effect_world(contract(Contract::queryable)), {7'741, 155'365, 20, 14});
}

TEST(Explorer, an_opaque_effect) {
  expect_counts(effect_world(contract(Contract::opaque)), {6'810, 137'867, 20, 14});
}

TEST(Explorer, an_effect_that_needs_approval) {
  EffectSpec effect = contract(Contract::queryable);
  effect.approval = true;
  effect.scope = "team";
  effect.requester = "paul";
  World world = effect_world(effect);
  world.payloads = {"1", "2"};
  world.rejections = true;
  expect_counts(world, {10'252, 322'293, 22, 19});
}

TEST(Explorer, tells_when_it_did_not_finish) {
  ExploreOptions options;
  options.most_states = 10;
  const Exploration found = explore(world_of({ensure({op_spec("a")})}), options);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.states, 10U);
}

// With a slack below zero the model believes that a permit has ended while it has not: the explorer
// must see the write that comes after the close.
TEST(Explorer, finds_the_shortest_way_to_a_broken_law) {
  World world = effect_world(contract(Contract::queryable));
  world.settings.clock_slack_us = -100;
  const Exploration found = explore(world);
  EXPECT_EQ(found.breach.substr(0, 4), "I10:");
  EXPECT_EQ(found.path.size(), 6U);
}

}  // namespace
}  // namespace leaseproof::model
