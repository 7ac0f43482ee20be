// A bug planted in the model as an engine, the row that has to find it and the story in which it
// shows: for tests of the invariants.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/invariants.hpp"
#include "properties/model_sut.hpp"
#include "properties/runner.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {

struct Planted {
  const char* invariant;
  const char* bug_name;
  Bug bug;
  std::vector<Step> steps;
  bool compare = false;
};

inline void set_status(model::State& state, const std::string& id, model::OpStatus status) {
  model::Op& changed = state.ops.edit(id);
  auto& counts = state.workflows.edit(changed.view.workflow).counts;
  --counts[static_cast<std::size_t>(changed.view.status)];
  ++counts[static_cast<std::size_t>(status)];
  changed.view.status = status;
  ++state.last_seq;
}

template <class A>
Bug spoiling(
    std::function<void(model::State& after, const model::State& before, model::Outcome&)> spoil) {
  Bug bug;
  bug.spoil = [spoil](model::State& after, const model::State& before, const model::Action& action,
                      const model::Given&, model::Outcome& outcome) {
    if (std::holds_alternative<A>(action)) spoil(after, before, outcome);
  };
  return bug;
}

// The rules, on a state that is bent before and bent back after.
template <class A>
Bug bending(std::function<void(model::State&)> bend,
            std::function<void(model::State&, const model::State&)> back) {
  Bug bug;
  bug.instead = [bend, back](model::State& state, const model::Action& action,
                             const model::Given& given) -> std::optional<model::Outcome> {
    if (!std::holds_alternative<A>(action)) return std::nullopt;
    const model::State before = state;
    bend(state);
    model::Outcome outcome = model::apply(state, action, given);
    back(state, before);
    return outcome;
  };
  return bug;
}

// Those of invariants_outside_test.cpp.
std::vector<Planted> planted_outside();

struct Found {
  std::optional<Violation> violation;
  std::int64_t times = 0;  // how often the named row spoke
};

// Plays the story, with the bug or, compared with the model, without it.
inline Found run_planted(const Planted& plant, bool with_bug) {
  SimClock clock;
  ModelSut sut(clock, with_bug ? plant.bug : Bug{});
  RunnerOptions options;
  options.compare_with_model = plant.compare || !with_bug;
  options.decode = sut.decoder();
  Runner runner(sut, clock, options);
  Found found;
  found.violation = runner.run({}, plant.steps);
  found.times = runner.tally().violated[*find_invariant(plant.invariant)];
  return found;
}

}  // namespace leaseproof::properties
