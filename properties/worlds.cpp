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
  return {"fan_in",
          "Two branches and what waits for both; expiry, retry, cancel, a crash, busy.",
          std::move(world),
          {.crashes = 1, .busies = 1}};
}

NamedWorld chain() {
  World world = world_of({ensure("w", {op("a"), op("b", {{"a"}}), op("c", {{"b"}})})});
  world.retries = true;
  world.cancels = true;
  world.failures = {FailKind::permanent};
  return {"chain", "Three ops in a row that fail for good: blocked through two levels, reopened.",
          std::move(world)};
}

NamedWorld optional_branch() {
  World world = world_of({ensure("w", {op("a"), op("b"), op("f", {{"a"}, optional("b")})})});
  world.failures = {FailKind::permanent};
  world.retries = true;
  return {"optional_branch",
          "A finalizer that must wait for one branch and may do without the other.",
          std::move(world)};
}

NamedWorld one_op() {
  World world = world_of({ensure("w", {op("a")})});
  world.heartbeats_us = {10 * second};
  world.checkpoints = true;
  world.retries = true;
  world.cancels = true;
  world.artifacts = {{"page", "text"}};
  world.failures = {FailKind::retryable, FailKind::permanent};
  // Heartbeats go on for ever.
  world.horizon_us = 30 * second;
  return {"one_op",
          "One op with heartbeats and checkpoints, whoever makes them; a crash, busy.",
          std::move(world),
          {.crashes = 1, .busies = 1}};
}

NamedWorld failing_disk() {
  World world = world_of({ensure("w", {op("a"), op("b", {{"a"}})})});
  world.workers = {"A"};
  return {"failing_disk",
          "Two ops on a disk that loses its power and refuses a commit.",
          std::move(world),
          {.losses = 1, .refusals = 1}};
}

NamedWorld last_error() {
  OpSpec spec = op("a");
  spec.max_attempts = 3;
  World world = world_of({ensure("w", {std::move(spec)})});
  world.workers = {"A"};
  world.error = "broken";
  return {"last_error", "An op that says what went wrong, is tried again, and expires.",
          std::move(world)};
}

NamedWorld deadline() {
  OpSpec spec = op("a");
  spec.deadline_us = 12 * second;
  World world = world_of({ensure("w", {std::move(spec), op("b", {{"a"}})})});
  world.checkpoints = true;
  world.retries = true;
  return {"deadline", "An op that has to be done by a point in time, and one that waits for it.",
          std::move(world)};
}

NamedWorld queue() {
  World world =
      world_of({model::Queue{"default", "default", 1, 0, 0}, ensure("w", {op("a"), op("b")})});
  world.cancels = true;
  return {"queue", "Two ops in a queue that lets one run at a time.", std::move(world)};
}

NamedWorld two_sites() {
  std::vector<OpSpec> ops{op("a"), op("b"), op("c")};
  ops[0].site = ops[1].site = "paris";
  World world = world_of({model::Queue{"default", "default", 1, 0, 0},
                          model::Queue{"default", "paris", 1, 0, 0}, ensure("w", std::move(ops))});
  world.max_generation = 1;
  return {"two_sites",
          "One queue at two sites: each has room of its own.",
          std::move(world),
          {},
          {"oldest_due_retry", "next_ready_queue"}};
}

NamedWorld bucket() {
  World world =
      world_of({model::Queue{"default", "default", 2, 1, 1}, ensure("w", {op("a"), op("b")})});
  world.horizon_us = 20 * second;
  return {"bucket", "Two ops in a queue that lets one begin a second.", std::move(world)};
}

NamedWorld two_buckets() {
  OpSpec there = op("b");
  there.site = "paris";
  World world = world_of({model::Queue{"default", "default", 2, 1, 1},
                          model::Queue{"default", "paris", 2, 1, 1},
                          ensure("w", {op("a"), std::move(there)})});
  world.failures.clear();
  world.workers = {"A"};
  world.horizon_us = 12 * second;
  return {"two_buckets",
          "One queue at two sites: each spends tokens of its own.",
          std::move(world),
          {},
          {"spend_token"}};
}

NamedWorld settings() {
  const model::Queue small{"default", "default", 2, 1, 1};
  model::Queue wide = small;
  wide.burst = 2;
  World world = world_of({small, ensure("w", {op("a"), op("b")})});
  world.failures.clear();
  world.anytime = {small, wide};
  world.horizon_us = 12 * second;
  return {"settings", "A bucket whose settings are sent again, and changed.", std::move(world)};
}

NamedWorld identity() {
  World world = world_of({ensure("w", {op("a")})});
  world.anytime = {ensure("w", {op("a")}), ensure("w", {op("a")}), ensure("w", {op("a")})};
  std::get<model::Ensure>(world.anytime[1]).identity = "1";
  std::get<model::Ensure>(world.anytime[2]).package = "other";
  world.cancels = true;
  return {"identity",
          "A workflow that is asked for again, by the same run and by others.",
          std::move(world),
          {.crashes = 1}};
}

NamedWorld two_workflows() {
  World world = world_of({ensure("v", {op("a")}), ensure("w", {op("b")})});
  // Some moments have one digit more than others.
  world.lease_us = 9 * second;
  world.cancels = true;
  world.retries = true;
  return {"two_workflows", "Two workflows side by side, each of which may be canceled.",
          std::move(world)};
}

NamedWorld emitting() {
  World world = world_of({ensure("w", {op("a")})});
  world.emits["a"] = {op("b", {{"a"}})};
  world.cancels = true;
  return {"emitting", "An op whose completion makes another.", std::move(world), {.crashes = 1}};
}

NamedWorld context() {
  OpSpec spec = op("a");
  spec.context = "memory";
  World world =
      world_of({model::ContextPut{"memory", "null", 30 * second},
                model::ContextPut{"memory", "null", 12 * second}, ensure("w", {std::move(spec)})});
  world.revocations = true;
  world.checkpoints = true;
  return {"context", "An op made under a context that expires or is revoked.", std::move(world)};
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
          std::move(world)};
}

model::EffectSpec effect_of(model::Contract contract) {
  model::EffectSpec effect;
  effect.contract = contract;
  effect.scope = "team";
  effect.requester = "paul";
  return effect;
}

World effect_world(model::EffectSpec effect) {
  OpSpec spec = op("a");
  spec.effect = std::move(effect);
  World world = world_of({ensure("w", {std::move(spec)})});
  world.workers = {"A"};
  world.failures = {FailKind::retryable, FailKind::permanent, FailKind::unknown};
  return world;
}

NamedWorld idempotent() {
  return {"idempotent",
          "A write that may be sent again under its key; a crash.",
          effect_world(effect_of(model::Contract::idempotent)),
          {.crashes = 1}};
}

NamedWorld forgetful() {
  model::EffectSpec effect = effect_of(model::Contract::idempotent);
  effect.retention_us = 15 * second;
  World world = effect_world(std::move(effect));
  world.settings.clock_slack_us = 2;
  return {"forgetful",
          "A service that forgets its keys, and clocks that differ.",
          std::move(world),
          {},
          {"expired_leases"}};
}

NamedWorld queryable() {
  World world = effect_world(effect_of(model::Contract::queryable));
  world.retries = true;
  world.cancels = true;
  return {"queryable",
          "A write that is asked for where it may have happened; retry, cancel.",
          std::move(world),
          {.crashes = 1},
          {"begin_dispatch"}};
}

NamedWorld opaque() {
  World world = effect_world(effect_of(model::Contract::opaque));
  world.cancels = true;
  return {"opaque",
          "A write of which only a person can find out; cancel.",
          std::move(world),
          {.crashes = 1}};
}

NamedWorld late_effect() {
  World world = effect_world(effect_of(model::Contract::idempotent));
  std::get<model::Ensure>(world.setup.front()).ops.front().deadline_us = 12 * second;
  return {"late_effect",
          "A write that may have happened when its deadline passes.",
          std::move(world),
          {},
          {"fail_ready"}};
}

NamedWorld resent() {
  World world = effect_world(effect_of(model::Contract::idempotent));
  world.failures = {FailKind::permanent, FailKind::unknown};
  world.retries = true;
  world.max_generation = 3;
  return {"resent",
          "A write that was sent twice, shown not to have happened, and sent again.",
          std::move(world),
          {},
          {"mark_unsure", "refuse_effect", "dispatch_again"}};
}

NamedWorld two_effects() {
  World world = effect_world(effect_of(model::Contract::idempotent));
  auto& ops = std::get<model::Ensure>(world.setup.front()).ops;
  for (OpSpec& spec : ops) spec.max_attempts = 1;
  ops.push_back(ops.front());
  ops.back().id = "b";
  world.failures = {FailKind::permanent, FailKind::unknown};
  // Time does not pass here.
  world.horizon_us = 0;
  return {"two_effects", "Two writes of one workflow, of which nothing may touch the other.",
          std::move(world)};
}

NamedWorld approval() {
  model::EffectSpec effect = effect_of(model::Contract::idempotent);
  effect.approval = true;
  World world = effect_world(std::move(effect));
  world.payloads = {"\"p\"", "\"q\""};
  world.approval_ttl_us = 15 * second;
  world.rejections = true;
  world.retries = true;
  world.cancels = true;
  world.failures = {FailKind::retryable, FailKind::permanent};
  world.reviewers.push_back({"paul", {"reviewer"}, {"team"}});
  return {"approval",
          "A write that somebody else must have approved, and another that nobody has.",
          std::move(world),
          {},
          {"approval_covers", "decide_request", "end_request"}};
}

}  // namespace

const std::vector<NamedWorld>& worlds() {
  // Those that are searched sooner first.
  static const std::vector<NamedWorld> all{
      identity(),    last_error(), failing_disk(), queue(),           context(),
      clock_back(),  emitting(),   chain(),        late_effect(),     two_buckets(),
      two_effects(), resent(),     approval(),     deadline(),        two_workflows(),
      opaque(),      forgetful(),  settings(),     optional_branch(), idempotent(),
      one_op(),      queryable(),  two_sites(),    bucket(),          fan_in()};
  return all;
}

const NamedWorld* find_world(std::string_view name) {
  for (const NamedWorld& row : worlds()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace leaseproof::properties
