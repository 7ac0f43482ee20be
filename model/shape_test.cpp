// Checks that every ill-formed call is `invalid`, says so in one sentence, and comes before
// `not_found`; and that least values themselves are accepted. Does not check graphs; graph_test.cpp
// does.
#include "model/shape.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

constexpr std::int64_t widest = std::numeric_limits<std::int64_t>::max();

// The op's fault after `change`, without the op's name in front of it.
std::string fault_of(const std::function<void(OpSpec&)>& change) {
  OpSpec spec = op_spec("a");
  change(spec);
  return shape_fault(spec);
}

TEST(Shape, an_op_with_a_bad_value_is_named) {
  EXPECT_EQ(fault_of([](OpSpec& s) { s.max_attempts = 0; }),
            "op \"a\": max_attempts must be at least 1");
  EXPECT_EQ(fault_of([](OpSpec& s) { s.id = ""; }), "an op's id is empty");
}

TEST(Shape, every_bad_value_of_an_op_is_found) {
  const std::vector<std::function<void(OpSpec&)>> faults{
      [](OpSpec& s) { s.site = ""; },
      [](OpSpec& s) { s.queue = ""; },
      [](OpSpec& s) { s.context = ""; },
      [](OpSpec& s) { s.deadline_us = -1; },
      [](OpSpec& s) { s.needs = {requires_op("")}; },
      [](OpSpec& s) {
        s.needs = {requires_op("b"), prefers_op("b")};
      },
      [](OpSpec& s) { s.retry.delays_us = {}; },
      [](OpSpec& s) {
        s.retry.delays_us = {5, 0};
      },
      [](OpSpec& s) {
        s.retry = {DelayPolicy::linear, {}, 0, 2, 1};
      },
      [](OpSpec& s) {
        s.retry = {DelayPolicy::linear, {}, 1, 2, 0};
      },
      [](OpSpec& s) {
        s.retry = {DelayPolicy::full_jitter, {}, 1, 2, 0};
      },
      [](OpSpec& s) {
        s.retry = {DelayPolicy::exponential, {}, 1, 0, 1};
      },
      [](OpSpec& s) { s.effect = EffectSpec{Contract::idempotent, false, -1, "", "", ""}; },
      [](OpSpec& s) { s.effect = EffectSpec{Contract::queryable, false, 1, "", "", ""}; },
      [](OpSpec& s) { s.effect = EffectSpec{Contract::opaque, false, 1, "", "", ""}; },
      [](OpSpec& s) { s.effect = EffectSpec{Contract::opaque, true, 0, "", "", "paul"}; },
      [](OpSpec& s) { s.effect = EffectSpec{Contract::opaque, true, 0, "", "team", ""}; }};
  for (std::size_t i = 0; i < faults.size(); ++i) EXPECT_NE(fault_of(faults[i]), "") << i;
}

TEST(Shape, least_values_are_accepted) {
  EXPECT_EQ(fault_of([](OpSpec& s) {
              s.max_attempts = 1;
              s.deadline_us = 0;
              s.kind = "";
              s.retry = {DelayPolicy::linear, {}, 1, 0, 1};
            }),
            "");
  EXPECT_EQ(fault_of([](OpSpec& s) {
              s.retry = {DelayPolicy::exponential, {}, 1, 1, 1};
              s.effect = EffectSpec{Contract::idempotent, true, 1, "", "team", "paul"};
            }),
            "");
}

TEST(Shape, every_ill_formed_call_is_invalid_and_changes_nothing) {
  OpSpec bad = op_spec("a");
  bad.max_attempts = 0;
  const WorkerHandle nobody{"A", "missing", 0};
  const WorkerHandle unnamed{"A", "", 0};
  const std::vector<Action> calls{Start{"", "default", "null", {}},
                                  Start{"w", "", "null", {}},
                                  Start{"w", "default", "null", {bad}},
                                  Ensure{"", "default", "{}", "null", {}},
                                  Ensure{"w", "", "{}", "null", {}},
                                  Ensure{"w", "default", "{}", "null", {bad}},
                                  Queue{"", "default", 0, 0, 0},
                                  Queue{"q", "", 0, 0, 0},
                                  Queue{"q", "default", -1, 0, 0},
                                  Queue{"q", "default", 0, -1, 0},
                                  Queue{"q", "default", 0, 1, -1},
                                  Queue{"q", "default", 0, 0, 1},
                                  Queue{"q", "default", 0, 1, widest / 1'000'000 + 1},
                                  ContextPut{"", "null", 1},
                                  ContextPut{"s", "null", 0},
                                  ContextPut{"s", "null", widest},
                                  ContextRevoke{""},
                                  Lease{"A", {}, "", {}, {}, 1},
                                  Lease{"A", {}, {}, "", {}, 1},
                                  Lease{"A", {}, {}, {}, {}, 0},
                                  Lease{"A", {}, {}, {}, {}, widest},
                                  Heartbeat{nobody, 0},
                                  Heartbeat{nobody, widest},
                                  Heartbeat{unnamed, 1},
                                  Checkpoint{nobody, "", "null"},
                                  Checkpoint{unnamed, "step", "null"},
                                  RequestApproval{nobody, "null", 0},
                                  RequestApproval{nobody, "null", widest},
                                  RequestApproval{unnamed, "null", 1},
                                  Decide{},
                                  Dispatch{unnamed, "null"},
                                  Complete{unnamed, "null", {}, {}, {}},
                                  Complete{nobody, "null", -1, {}, {}},
                                  Complete{nobody, "null", {}, {{"", "text"}}, {}},
                                  Complete{nobody, "null", {}, {{"page", "1"}, {"page", "1"}}, {}},
                                  Complete{nobody, "null", {}, {}, {bad}},
                                  Fail{unnamed, FailKind::retryable, {}},
                                  Retry{"", {}},
                                  Retry{"missing", -1},
                                  Cancel{""},
                                  Reconcile{""},
                                  Close{},
                                  Snapshot{""},
                                  SnapshotsSince{"r", 0}};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Story story;
    story.now_us = 1;
    const Outcome outcome = story.tell(calls[i]);
    EXPECT_EQ(outcome.word, Word::invalid) << i << " " << do_word(calls[i]);
    EXPECT_NE(outcome.why, "") << i;
    EXPECT_EQ(story.state, State{}) << i;
  }
}

TEST(Shape, a_sum_that_just_fits_64_bits_is_accepted) {
  Story story;
  story.now_us = 1;
  EXPECT_EQ(story.tell(Lease{"A", {}, {}, {}, {}, widest - 1}).word, Word::none);
  EXPECT_EQ(story.tell(ContextPut{"s", "null", widest - 1}).word, Word::ok);
  EXPECT_EQ(story.tell(Queue{"q", "default", 0, 1, widest / 1'000'000}).word, Word::ok);
  story.now_us = -5;
  EXPECT_EQ(story.tell(Lease{"A", {}, {}, {}, {}, widest}).word, Word::none);
}

TEST(Shape, a_missing_op_or_workflow_is_not_found) {
  const WorkerHandle nobody{"A", "missing", 0};
  const std::vector<Action> calls{Heartbeat{nobody, 1},
                                  Checkpoint{nobody, "step", "null"},
                                  RequestApproval{nobody, "null", 1},
                                  Decide{"missing", true, false, {}, {}},
                                  Dispatch{nobody, "null"},
                                  Complete{nobody, "null", {}, {}, {}},
                                  Fail{nobody, FailKind::retryable, {}},
                                  Retry{"missing", {}},
                                  Cancel{"missing"},
                                  Reconcile{"missing"},
                                  Close{"missing", false, "", {}},
                                  Snapshot{"missing"},
                                  ContextRevoke{"missing"}};
  for (const Action& call : calls) {
    Story story;
    EXPECT_EQ(story.tell(call).word, Word::not_found) << do_word(call);
    EXPECT_EQ(story.state, State{});
  }
}

}  // namespace
}  // namespace leaseproof::model
