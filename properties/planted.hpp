// A bug planted in the model as an engine, the row that has to find it and the story in which it
// shows: for tests of the invariants.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
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
  model::Op& changed = state.ops.at(id);
  auto& counts = state.workflows.at(changed.view.workflow).counts;
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

// Exactly the named row speaks.
inline void expect_found(const Planted& plant) {
  SimClock clock;
  ModelSut sut(clock, plant.bug);
  RunnerOptions options;
  options.compare_with_model = plant.compare;
  options.decode = sut.decoder();
  Runner runner(sut, clock, options);
  const std::optional<Violation> found = runner.run({}, plant.steps);
  ASSERT_TRUE(found) << plant.bug_name << " was not found";
  EXPECT_EQ(found->invariant, plant.invariant) << plant.bug_name << ": " << found->why;
  EXPECT_EQ(runner.tally().violated[*find_invariant(plant.invariant)], 1) << plant.bug_name;
}

// The story is sound: without the bug nothing is found in it.
inline void expect_clean(const Planted& plant) {
  SimClock clock;
  ModelSut sut(clock);
  RunnerOptions options;
  options.decode = sut.decoder();
  Runner runner(sut, clock, options);
  const std::optional<Violation> found = runner.run({}, plant.steps);
  EXPECT_FALSE(found) << plant.bug_name << ": " << found->invariant << ": " << found->why;
}

}  // namespace leaseproof::properties
