// Checks that each law catches a state or a step that breaks it. Does not check that the model
// keeps the laws; explorer_test.cpp does.
#include "model/laws.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

std::size_t at(OpStatus status) { return static_cast<std::size_t>(status); }

const SiteQueue a_queue{"default", "default"};

// A status that no rule gave; the counts follow it.
void force(State& state, const std::string& id, OpStatus to) {
  Op& op = state.ops[id];
  auto& counts = state.workflows["w"].counts;
  --counts[at(op.view.status)];
  ++counts[at(to)];
  op.view.status = to;
}

Story running_with_a_cap() {
  Story story;
  story.tell(Queue{"default", "default", 1, 0, 0});
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  story.refresh();
  story.lease();
  return story;
}

Story dispatched() {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  story.dispatch("e");
  return story;
}

TEST(StateLaws, a_state_of_the_model_breaks_none) {
  EXPECT_EQ(state_fault(running_with_a_cap().state), "");
  EXPECT_EQ(state_fault(dispatched().state), "");
}

TEST(StateLaws, every_broken_state_is_caught_under_its_name) {
  struct Case {
    std::string id;
    std::function<void(State&)> damage;
  };
  const std::vector<Case> cases{
      {"I4", [](State& s) { s.ops["a"].view.lease.reset(); }},
      {"I4",
       [](State& s) {
         s.ops["b"].view.lease = LeaseView{"A", 0, 1};
       }},
      {"I4", [](State& s) { ++s.ops["a"].view.lease->generation; }},
      {"I4", [](State& s) { s.ops["a"].view.next_attempt_us = 1; }},
      {"I8", [](State& s) { s.ops["a"].view.attempts = 4; }},
      {"I5", [](State& s) { force(s, "b", OpStatus::ready); }},
      {"I9", [](State& s) { force(s, "b", OpStatus::waiting_approval); }},
      {"I12", [](State& s) { s.ops["b"].view.result = "1"; }},
      {"I12", [](State& s) { s.ops["b"].view.artifacts["n"] = "0"; }},
      {"I12", [](State& s) { force(s, "b", OpStatus::failed); }},
      {"I14", [](State& s) { ++s.workflows["w"].counts[at(OpStatus::pending)]; }},
      {"I7", [](State& s) { ++s.queues.edit(a_queue).running; }}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const State lawful = running_with_a_cap().state;
    State state = lawful;
    cases[i].damage(state);
    EXPECT_EQ(state_fault(state).substr(0, cases[i].id.size() + 1), cases[i].id + ":") << i;
    EXPECT_EQ(state_fault(state, lawful), state_fault(state)) << i;
  }
}

// What damages an op that nothing was done to is found by the ops that depend on it.
TEST(StateLaws, a_state_is_judged_against_one_of_which_it_has_other_ops) {
  const State lawful = running_with_a_cap().state;
  Story story;
  story.state = lawful;
  story.ensure({op_spec("c")}, "v");
  EXPECT_EQ(state_fault(story.state, lawful), "");
  story.op("c").view.result = "1";
  EXPECT_EQ(state_fault(story.state, lawful).substr(0, 4), "I12:");
  story.state = lawful;
  story.state.ops.erase("b");
  EXPECT_EQ(state_fault(story.state, lawful).substr(0, 4), "I14:");
  story.state.ops["c"] = lawful.ops.at("b");
  EXPECT_EQ(state_fault(story.state, lawful), "");
  ++story.state.workflows["w"].counts[at(OpStatus::failed)];
  EXPECT_EQ(state_fault(story.state, lawful).substr(0, 4), "I14:");
}

TEST(StateLaws, more_running_than_the_cap_is_caught) {
  Story story = running_with_a_cap();
  story.complete("a");
  story.ensure({op_spec("c"), op_spec("d")}, "v");
  story.tell(Queue{"default", "default", 2, 0, 0});
  story.refresh();
  story.lease();
  story.lease();
  ASSERT_EQ(state_fault(story.state), "");
  story.state.queues.edit(a_queue).max_in_flight = 1;
  EXPECT_EQ(state_fault(story.state).substr(0, 3), "I7:");
}

TEST(StateLaws, an_unknown_write_must_not_be_hidden) {
  State state = dispatched().state;
  state.ops["e"].view.lease.reset();
  force(state, "e", OpStatus::failed);
  EXPECT_EQ(state_fault(state).substr(0, 4), "I10:");

  state = dispatched().state;
  state.ops["e"].view.lease.reset();
  state.ops["e"].view.effect->status = EffectStatus::refused;
  force(state, "e", OpStatus::reconciling);
  EXPECT_EQ(state_fault(state).substr(0, 4), "I10:");

  state = dispatched().state;
  state.ops["e"].view.effect->status = EffectStatus::confirmed;
  EXPECT_EQ(state_fault(state).substr(0, 4), "I10:");
}

TEST(StateLaws, a_done_op_has_no_error) {
  Story story;
  story.begin_running(op_spec("a"));
  story.complete("a");
  story.op("a").view.error = "late";
  EXPECT_EQ(state_fault(story.state).substr(0, 4), "I12:");
}

TEST(StepLaws, a_refusal_that_changes_something_is_caught) {
  const State before = running_with_a_cap().state;
  State after = before;
  ++after.ops["a"].view.attempts;
  EXPECT_EQ(step_fault(before, Retry{"a", {}}, {}, Word::not_failed, after).substr(0, 4), "I12:");
}

TEST(StepLaws, a_change_without_an_event_is_caught_and_so_is_the_reverse) {
  const State before = running_with_a_cap().state;
  State after = before;
  ++after.ops["a"].view.attempts;
  EXPECT_EQ(step_fault(before, Refresh{}, {}, Word::ok, after).substr(0, 4), "I11:");
}

TEST(StepLaws, a_terminal_op_that_changes_is_caught) {
  Story story = running_with_a_cap();
  story.complete("a");
  for (const auto& damage :
       std::vector<std::function<void(Op&)>>{[](Op& op) { op.view.status = OpStatus::ready; },
                                             [](Op& op) { op.view.result = "2"; }}) {
    State after = story.state;
    ++after.last_seq;
    damage(after.ops["a"]);
    EXPECT_EQ(step_fault(story.state, Refresh{}, {}, Word::ok, after).substr(0, 3), "I6:");
  }
  State without = story.state;
  ++without.last_seq;
  without.ops.erase("a");
  EXPECT_EQ(step_fault(story.state, Refresh{}, {}, Word::ok, without).substr(0, 3), "I6:");
}

TEST(StepLaws, a_generation_that_goes_back_is_caught) {
  const State before = running_with_a_cap().state;
  State after = before;
  ++after.last_seq;
  after.ops["a"].view.generation = 0;
  EXPECT_EQ(step_fault(before, Refresh{}, {}, Word::ok, after).substr(0, 3), "I1:");
}

TEST(StepLaws, a_worker_without_the_lease_that_changes_something_is_caught) {
  const State before = running_with_a_cap().state;
  State after = before;
  ++after.last_seq;
  const Fail call{{"A", "a", 0}, FailKind::permanent, {}};
  Given stale;
  stale.lease_generation = 7;
  EXPECT_EQ(step_fault(before, call, stale, Word::failed, after).substr(0, 3), "I1:");
  Given late;
  late.lease_generation = 1;
  late.now_us = default_lease_us;
  EXPECT_EQ(step_fault(before, call, late, Word::failed, after).substr(0, 3), "I1:");
  late.now_us = default_lease_us - 1;
  EXPECT_EQ(step_fault(before, call, late, Word::failed, after), "");
}

TEST(StepLaws, a_refresh_that_blocks_too_much_or_too_little_is_caught) {
  const State before = running_with_a_cap().state;
  State after = before;
  ++after.last_seq;
  force(after, "b", OpStatus::blocked);
  EXPECT_EQ(step_fault(before, Refresh{}, {}, Word::ok, after).substr(0, 3), "I3:");
  after = before;
  ++after.last_seq;
  after.ops["a"].view.lease.reset();
  force(after, "a", OpStatus::failed);
  EXPECT_EQ(step_fault(before, Refresh{}, {}, Word::ok, after).substr(0, 3), "I3:");
}

TEST(StepLaws, a_start_after_the_deadline_is_caught) {
  Story story = running_with_a_cap();
  story.op("a").deadline_us = 5;
  State after = story.state;
  ++after.last_seq;
  Given given;
  given.now_us = 5;
  const Outcome leased{Word::leased, Leased{"a", 1, 35}};
  EXPECT_EQ(step_fault(story.state, Lease{}, given, leased, after).substr(0, 3), "I8:");
}

}  // namespace
}  // namespace leaseproof::model
