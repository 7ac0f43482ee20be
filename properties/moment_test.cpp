// Checks that cases go on from where their steps lead, and that the moment of a violation is found
// where it was planted. How likely a violation is in truth is not checked.
#include "properties/moment.hpp"

#include <gtest/gtest.h>

#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/judgement.hpp"
#include "properties/mutants.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;

MakeRig with_bug(std::string_view name) { return engine_in_memory(mutated(*find_mutant(name))); }

std::vector<Step> stale_completion() {
  return {ensure("w", {op("a")}), refresh(), lease("A"), advance(30'000'000), refresh(), lease("B"),
          complete("A", "a")};
}

MomentOptions few() {
  MomentOptions options;
  options.continuations = 60;
  options.more = 6;
  return options;
}

TEST(Continuation, keeps_the_steps_and_goes_on_from_where_they_lead) {
  const Case begun{{}, stale_completion()};
  std::size_t fitting = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Case whole = continue_case(begun, 5, seed, {});
    ASSERT_EQ(whole.steps.size(), begun.steps.size() + 5);
    for (std::size_t i = 0; i < begun.steps.size(); ++i) {
      EXPECT_EQ(whole.steps[i].action, begun.steps[i].action);
    }
    // Drawn from nothing, no step could know of this op and who holds it.
    for (std::size_t i = begun.steps.size(); i < whole.steps.size(); ++i) {
      const model::WorkerHandle* by = handle_of(whole.steps[i].action);
      if (by != nullptr && by->op == "a" && (by->worker == "A" || by->worker == "B")) ++fitting;
    }
  }
  EXPECT_GT(fitting, 20U);
}

TEST(Continuation, is_a_function_of_its_seed_and_steps) {
  const Case begun{{}, stale_completion()};
  const auto actions = [&](std::uint64_t seed) {
    std::vector<model::Action> all;
    for (const Step& step : continue_case(begun, 8, seed, {}).steps) all.push_back(step.action);
    return all;
  };
  EXPECT_EQ(actions(3), actions(3));
  EXPECT_NE(actions(3), actions(4));
}

TEST(Continuation, gives_no_id_away_twice) {
  const Case begun{{}, {ensure("w1", {op("a"), op("b"), op("c")})}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Case whole = continue_case(begun, 12, seed, {});
    for (std::size_t i = 1; i < whole.steps.size(); ++i) {
      const auto* ensured = std::get_if<model::Ensure>(&whole.steps[i].action);
      if (ensured == nullptr || ensured->workflow == "w1" || ensured->ops.empty()) continue;
      for (const model::OpSpec& spec : ensured->ops) {
        EXPECT_FALSE(spec.id == "a" || spec.id == "b" || spec.id == "c") << seed;
      }
    }
  }
}

TEST(Moment, is_certain_once_the_violation_is_there_and_rises_where_the_ground_was_laid) {
  const Case failing{{}, stale_completion()};
  const auto violated =
      violated_after(with_bug("completion_without_ownership"), failing, "no_stale_commit", few());
  ASSERT_EQ(violated.size(), failing.steps.size() + 1);
  EXPECT_EQ(violated.back(), 60);
  EXPECT_LT(violated.front(), 20);
  EXPECT_GT(violated[6], violated[1]);
  EXPECT_EQ(violated, violated_after(with_bug("completion_without_ownership"), failing,
                                     "no_stale_commit", few()));
}

TEST(Moment, is_nowhere_on_an_engine_without_the_bug) {
  const auto violated =
      violated_after(engine_in_memory(), {{}, stale_completion()}, "no_stale_commit", few());
  EXPECT_EQ(violated, std::vector<std::int64_t>(8, 0));
  EXPECT_EQ(steepest_step(violated), 0U);
}

TEST(Moment, counts_the_same_invariant_only) {
  const auto violated = violated_after(with_bug("completion_without_ownership"),
                                       {{}, stale_completion()}, "queue_caps", few());
  EXPECT_EQ(violated.back(), 0);
}

TEST(Moment, is_the_first_of_the_steepest_rises) {
  EXPECT_EQ(steepest_step({}), 0U);
  EXPECT_EQ(steepest_step({5, 5, 3}), 0U);
  EXPECT_EQ(steepest_step({1, 4, 4, 7, 5}), 1U);
  EXPECT_EQ(steepest_step({0, 2, 9, 10}), 2U);
}

TEST(Moment, can_be_stopped_between_prefixes) {
  MomentOptions options = few();
  int asked = 0;
  options.stop = [&asked] { return ++asked > 2; };
  EXPECT_EQ(
      violated_after(engine_in_memory(), {{}, stale_completion()}, "queue_caps", options).size(),
      2U);
}

}  // namespace
}  // namespace leaseproof::properties
