#include "properties/worlds.hpp"

#include <limits>
#include <string>
#include <utility>

namespace leaseproof::properties {

using model::Action;
using model::FailKind;
using model::OpSpec;
using model::World;

namespace {

constexpr std::int64_t second = 1'000'000;

OpSpec op(std::string id, std::vector<model::Need> needs = {}) {
  OpSpec spec;
  spec.id = std::move(id);
  spec.needs = std::move(needs);
  spec.max_attempts = 2;
  spec.retry.delays_us = {5 * second};
  return spec;
}

model::Need optional(std::string id) { return {std::move(id), false}; }

Action ensure(std::string workflow, std::vector<OpSpec> ops) {
  model::Ensure call;
  call.workflow = std::move(workflow);
  call.identity = "{}";
  call.ops = std::move(ops);
  return call;
}

World world_of(std::vector<Action> setup) {
  World world;
  world.setup = std::move(setup);
  world.lease_us = 10 * second;
  world.horizon_us = std::numeric_limits<std::int64_t>::max();
  world.max_generation = 2;
  world.failures = {FailKind::retryable};
  return world;
}

// The configuration that everything has to hold in: two workers, two branches and what waits for
// both.
NamedWorld fan_in() {
  World world = world_of({ensure("w", {op("a"), op("b"), op("f", {{"a"}, {"b"}})})});
  world.retries = true;
  world.cancels = true;
  return {"fan_in", "Two branches and what waits for both; expiry, retry, cancel, a crash, busy.",
          std::move(world), 1, 1};
}

NamedWorld chain() {
  World world = world_of({ensure("w", {op("a"), op("b", {{"a"}}), op("c", {{"b"}})})});
  world.retries = true;
  world.cancels = true;
  world.failures = {FailKind::permanent};
  return {"chain", "Three ops in a row that fail for good: blocked through two levels, reopened.",
          std::move(world), 0, 0};
}

NamedWorld optional_branch() {
  World world = world_of({ensure("w", {op("a"), op("b"), op("f", {{"a"}, optional("b")})})});
  world.failures = {FailKind::permanent};
  world.retries = true;
  return {"optional_branch",
          "A finalizer that must wait for one branch and may do without the other.",
          std::move(world), 0, 0};
}

NamedWorld one_op() {
  World world = world_of({ensure("w", {op("a")})});
  world.heartbeats_us = {10 * second};
  world.checkpoints = true;
  world.retries = true;
  world.cancels = true;
  world.failures = {FailKind::retryable, FailKind::permanent};
  // Heartbeats go on for ever.
  world.horizon_us = 30 * second;
  return {"one_op", "One op with heartbeats and checkpoints, whoever makes them; a crash, busy.",
          std::move(world), 1, 1};
}

NamedWorld deadline() {
  OpSpec spec = op("a");
  spec.deadline_us = 12 * second;
  World world = world_of({ensure("w", {std::move(spec), op("b", {{"a"}})})});
  world.checkpoints = true;
  world.retries = true;
  return {"deadline", "An op that has to be done by a point in time, and one that waits for it.",
          std::move(world), 0, 0};
}

NamedWorld queue() {
  World world =
      world_of({model::Queue{"default", "default", 1, 0, 0}, ensure("w", {op("a"), op("b")})});
  world.cancels = true;
  return {"queue", "Two ops in a queue that lets one run at a time.", std::move(world), 0, 0};
}

NamedWorld two_sites() {
  OpSpec there = op("b");
  there.site = "paris";
  World world = world_of({model::Queue{"default", "default", 1, 0, 0},
                          model::Queue{"default", "paris", 1, 0, 0},
                          ensure("w", {op("a"), std::move(there)})});
  return {"two_sites", "One queue at two sites: each has room of its own.", std::move(world), 0, 0};
}

NamedWorld bucket() {
  World world =
      world_of({model::Queue{"default", "default", 2, 1, 1}, ensure("w", {op("a"), op("b")})});
  world.horizon_us = 20 * second;
  return {"bucket", "Two ops in a queue that lets one begin a second.", std::move(world), 0, 0};
}

NamedWorld two_workflows() {
  World world = world_of({ensure("v", {op("a")}), ensure("w", {op("b")})});
  world.cancels = true;
  world.retries = true;
  return {"two_workflows", "Two workflows side by side, each of which may be canceled.",
          std::move(world), 0, 0};
}

NamedWorld emitting() {
  World world = world_of({ensure("w", {op("a")})});
  world.emits["a"] = {op("b", {{"a"}})};
  world.cancels = true;
  return {"emitting", "An op whose completion makes another.", std::move(world), 1, 0};
}

NamedWorld context() {
  OpSpec spec = op("a");
  spec.context = "memory";
  World world =
      world_of({model::ContextPut{"memory", "null", 12 * second}, ensure("w", {std::move(spec)})});
  world.revocations = true;
  world.checkpoints = true;
  return {"context", "An op made under a context that expires or is revoked.", std::move(world), 0,
          0};
}

NamedWorld clock_back() {
  World world = world_of({ensure("w", {op("a")})});
  world.lease_us = 3;
  world.setup = {ensure("w", {op("a")})};
  std::get<model::Ensure>(world.setup.front()).ops.front().retry.delays_us = {2};
  world.heartbeats_us = {3};
  world.horizon_us = 9;
  world.clock_steps_back = true;
  return {"clock_back", "One op under a clock that steps back microsecond by microsecond.",
          std::move(world), 0, 0};
}

}  // namespace

const std::vector<NamedWorld>& worlds() {
  static const std::vector<NamedWorld> all{
      fan_in(), chain(),     optional_branch(), one_op(),   deadline(), queue(),
      bucket(), two_sites(), two_workflows(),   emitting(), context(),  clock_back()};
  return all;
}

const NamedWorld* find_world(std::string_view name) {
  for (const NamedWorld& row : worlds()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace leaseproof::properties
