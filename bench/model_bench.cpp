// What the model costs by itself, without any engine: a call on a state that was forked for it, a
// move of a small world with the laws judged, and every state of such a world. Rates are items a
// second on one thread; a world and its counts are the same in each run.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "model/explorer.hpp"
#include "model/node_key.hpp"
#include "model/rules.hpp"
#include "model/world.hpp"
#include "properties/exhaustive.hpp"
#include "properties/worlds.hpp"

namespace leaseproof::bench {
namespace {

using model::Node;

// Two branches and what waits for both, until 12 µs: a start that fails may be tried again.
model::World fan_in() {
  model::World world = properties::find_world("fan_in")->world;
  world.lease_us = 10;
  world.horizon_us = 12;
  auto& ensure = std::get<model::Ensure>(world.setup.front());
  for (model::OpSpec& op : ensure.ops) op.retry.delays_us = {5};
  return world;
}

// One op whose write may be sent again.
model::World effect() {
  model::World world;
  model::Ensure ensure;
  ensure.workflow = "w";
  ensure.identity = "{}";
  model::OpSpec& op = ensure.ops.emplace_back();
  op.id = "e";
  op.max_attempts = 2;
  op.retry.delays_us = {5};
  op.effect.emplace().contract = model::Contract::idempotent;
  world.setup.emplace_back(std::move(ensure));
  world.retries = true;
  world.cancels = true;
  world.failures = {model::FailKind::retryable, model::FailKind::permanent,
                    model::FailKind::unknown};
  return world;
}

// The first nodes of a world, breadth first.
std::vector<Node> reached(const model::World& world, std::size_t count) {
  std::vector<Node> nodes{model::begin(world)};
  std::unordered_set<model::NodeKey> known{model::key_of(world, nodes.front())};
  model::MoveList moves(world);
  for (std::size_t at = 0; at < nodes.size() && nodes.size() < count; ++at) {
    const Node node = nodes[at];
    for (const model::Move& move : moves.of(node)) {
      Node next = node;
      model::play(next, node, move);
      if (known.insert(model::key_of(world, next)).second) nodes.push_back(std::move(next));
    }
  }
  return nodes;
}

constexpr std::size_t node_count = 2'000;

// Each call that can be made in each node, on a state forked for it.
void model_transitions(benchmark::State& state, const model::World& world) {
  struct Calls {
    Node node;
    std::vector<std::pair<model::Action, model::Given>> calls;
  };
  std::vector<Calls> all;
  model::MoveList moves(world);
  std::int64_t count = 0;
  for (Node& node : reached(world, node_count)) {
    Calls& one = all.emplace_back();
    for (const model::Move& move : moves.of(node)) {
      const auto* call = std::get_if<model::CallMove>(&move);
      if (call != nullptr) one.calls.emplace_back(*call->action, *call->given);
    }
    one.node = std::move(node);
    count += static_cast<std::int64_t>(one.calls.size());
  }
  for (auto _ : state) {
    for (const Calls& one : all) {
      for (const auto& [action, given] : one.calls) {
        model::State forked = one.node.state;
        benchmark::DoNotOptimize(model::apply(forked, action, given));
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * count);
}

// The same as the searches do it: the moves are listed, each is played, the laws are judged.
void model_moves(benchmark::State& state, const model::World& world) {
  const std::vector<Node> nodes = reached(world, node_count);
  model::MoveList moves(world);
  std::int64_t count = 0;
  for (auto _ : state) {
    for (const Node& node : nodes) {
      Node next = node;
      for (const model::Move& move : moves.of(node)) {
        const model::Played played = model::play(next, node, move);
        benchmark::DoNotOptimize(played);
        if (played.edited) next = node;
        ++count;
      }
    }
  }
  state.SetItemsProcessed(count);
}

void count_search(benchmark::State& state, std::size_t states, std::size_t transitions) {
  state.SetItemsProcessed(static_cast<std::int64_t>(states) * state.iterations());
  state.counters["transitions_per_second"] =
      benchmark::Counter(static_cast<double>(transitions) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["states"] = static_cast<double>(states);
}

// Every state of the world, told apart by all that is in it.
void model_unique_states(benchmark::State& state, const model::World& world, bool settling) {
  model::ExploreOptions options;
  options.settling = settling;
  model::Exploration found;
  for (auto _ : state) {
    found = model::explore(world, options);
    if (!found.complete || !found.breach.empty()) state.SkipWithError("the world does not hold");
  }
  count_search(state, found.states, found.transitions);
}

// Every state of the world, told apart by its key: `leaseproof explore --engine model`.
void model_alone(benchmark::State& state, const model::World& world) {
  properties::ExhaustiveOptions options;
  options.world = world;
  properties::ExhaustiveResult found;
  for (auto _ : state) {
    found = properties::search_exhaustively({}, options);
    if (!found.complete()) state.SkipWithError("the world does not hold");
  }
  count_search(state, found.states, found.transitions);
}

#define LP_WORLD(world)                                                                         \
  BENCHMARK_CAPTURE(model_transitions, world, world())->Unit(benchmark::kMillisecond);          \
  BENCHMARK_CAPTURE(model_moves, world, world())->Unit(benchmark::kMillisecond);                \
  BENCHMARK_CAPTURE(model_unique_states, world, world(), false)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(model_unique_states, world##_and_how_each_settles, world(), true)           \
      ->Unit(benchmark::kMillisecond);                                                          \
  BENCHMARK_CAPTURE(model_alone, world, world())->Unit(benchmark::kMillisecond)
LP_WORLD(fan_in);
LP_WORLD(effect);
#undef LP_WORLD

}  // namespace
}  // namespace leaseproof::bench
