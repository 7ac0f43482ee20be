// Checks complete and fail of ops without approval, and what a completion emits. Does not check
// delays (delay_test.cpp) nor the workflow that results (view_test.cpp).
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "model/sha256.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

TEST(Complete, writes_result_and_artifacts_and_ends_the_lease) {
  Story story;
  story.begin_running(op_spec("a"));
  Complete call;
  call.by.op = "a";
  call.result = R"({"n":1})";
  call.artifacts = {{"page", "text"}};
  EXPECT_EQ(story.by_worker(call, 1), Outcome(Word::ok));
  const OpView& view = story.op("a").view;
  EXPECT_EQ(view.status, OpStatus::succeeded);
  EXPECT_EQ(view.result, R"({"n":1})");
  EXPECT_EQ(view.artifacts.at("page"), sha256_hex("text"));
  EXPECT_EQ(view.lease, std::nullopt);
}

TEST(Complete, the_token_that_completed_may_ask_again_and_no_other) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 30'000'000;
  story.refresh();
  story.lease();
  story.complete("a", 2);
  const State before = story.state;
  story.now_us = 90'000'000;
  EXPECT_EQ(story.complete("a", 2).word, Word::already_completed);
  EXPECT_EQ(story.complete("a", 1).word, Word::lease_lost);
  EXPECT_EQ(story.complete("a", 0).word, Word::lease_lost);
  EXPECT_EQ(story.state, before);
}

TEST(Complete, a_canceled_op_was_completed_by_nobody) {
  Story story;
  story.begin_running(op_spec("a"));
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.complete("a").word, Word::lease_lost);
}

TEST(Complete, a_time_of_completion_decides_nothing) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 30'000'000;
  Complete call;
  call.by.op = "a";
  call.completed_at_us = 1;
  EXPECT_EQ(story.by_worker(call, 1).word, Word::lease_lost);
}

TEST(Complete, after_the_deadline_ends_the_op_without_a_result) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 10;
  story.begin_running(spec);
  story.now_us = 10;
  EXPECT_EQ(story.complete("a").word, Word::deadline_exceeded);
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(story.op("a").view.result, std::nullopt);
}

TEST(Complete, emits_pending_ops_into_its_own_workflow) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 7;
  EXPECT_EQ(
      story.complete("a", 1, {op_spec("c", {requires_op("b")}), op_spec("b", {requires_op("a")})}),
      Outcome(Word::ok));
  EXPECT_EQ(story.status("c"), OpStatus::pending);
  EXPECT_EQ(story.op("b").view.workflow, "w");
  EXPECT_EQ(story.op("b").created_us, 7);
  EXPECT_EQ(story.refresh().readied, 1);
  EXPECT_EQ(story.status("b"), OpStatus::ready);
}

TEST(Complete, a_bad_emitted_op_is_invalid_and_the_lease_stands) {
  Story story;
  story.begin_running(op_spec("z"));
  story.ensure({op_spec("a"), op_spec("other")}, "v");
  const State before = story.state;
  OpSpec unknown_scope = op_spec("b");
  unknown_scope.context = "never put";
  const std::vector<std::vector<OpSpec>> bad{
      {op_spec("other")},
      {op_spec("a")},
      {op_spec("b"), op_spec("b")},
      {op_spec("b", {requires_op("x")})},
      {op_spec("b", {requires_op("other")})},
      {op_spec("b", {requires_op("b")})},
      {op_spec("b", {requires_op("c")}), op_spec("c", {prefers_op("b")})},
      {unknown_scope}};
  for (const auto& emit : bad) {
    const Outcome outcome = story.complete("z", 1, emit);
    EXPECT_EQ(outcome.word, Word::invalid) << emit.front().id;
    EXPECT_NE(outcome.why, "");
  }
  EXPECT_EQ(story.state, before);
  EXPECT_EQ(story.complete("z").word, Word::ok);
}

TEST(Complete, judges_an_emitted_graph_only_after_every_guard) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_EQ(story.complete("a", 9, {op_spec("b", {requires_op("x")})}).word, Word::lease_lost);
  story.complete("a");
  EXPECT_EQ(story.complete("a", 1, {op_spec("a")}).word, Word::already_completed);
}

TEST(Complete, has_one_event_for_itself_and_one_for_each_emitted_op) {
  Story story;
  story.begin_running(op_spec("a"));
  const std::int64_t before = story.state.last_seq;
  story.complete("a", 1, {op_spec("b"), op_spec("c")});
  EXPECT_EQ(story.state.last_seq, before + 3);
}

TEST(Fail, retryable_schedules_the_next_attempt) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 5;
  EXPECT_EQ(story.fail("a", FailKind::retryable),
            Outcome(Word::retry_scheduled, RetryScheduled{2'000'005}));
  EXPECT_EQ(story.status("a"), OpStatus::ready);
  EXPECT_EQ(story.op("a").view.next_attempt_us, 2'000'005);
  EXPECT_EQ(story.op("a").view.lease, std::nullopt);
}

TEST(Fail, keeps_the_callers_words_or_else_the_kind) {
  Story story;
  story.begin_running(op_spec("a"));
  story.by_worker(Fail{{"A", "a", 0}, FailKind::retryable, "no route"}, 1);
  EXPECT_EQ(story.op("a").view.error, "no route");
  story.now_us = 2'000'000;
  story.lease();
  story.fail("a", FailKind::unknown, 2);
  EXPECT_EQ(story.op("a").view.error, "unknown");
}

TEST(Fail, permanent_ends_the_op_at_once) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_EQ(story.fail("a", FailKind::permanent), Outcome(Word::failed));
  EXPECT_EQ(story.status("a"), OpStatus::failed);
}

TEST(Fail, unknown_without_a_dispatched_effect_is_taken_as_retryable) {
  Story story;
  story.begin_running(effect_spec("e", Contract::opaque));
  EXPECT_EQ(story.fail("e", FailKind::unknown).word, Word::retry_scheduled);
}

TEST(Fail, the_last_attempt_is_not_retried) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.max_attempts = 1;
  story.begin_running(spec);
  EXPECT_EQ(story.fail("a", FailKind::retryable), Outcome(Word::failed));
}

TEST(Fail, a_retry_must_be_due_before_the_deadline) {
  for (const std::int64_t deadline : {2'000'000, 2'000'001}) {
    Story story;
    OpSpec spec = op_spec("a");
    spec.deadline_us = deadline;
    story.begin_running(spec);
    const Word expected = deadline == 2'000'000 ? Word::failed : Word::retry_scheduled;
    EXPECT_EQ(story.fail("a", FailKind::retryable).word, expected);
  }
}

TEST(Fail, after_the_deadline_still_keeps_the_callers_words) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 1;
  story.begin_running(spec);
  story.now_us = 1;
  EXPECT_EQ(story.fail("a", FailKind::retryable), Outcome(Word::failed));
  EXPECT_EQ(story.op("a").view.error, "retryable");
}

TEST(Fail, a_retry_whose_time_leaves_64_bits_is_failed) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.retry.delays_us = {std::numeric_limits<std::int64_t>::max()};
  story.begin_running(spec);
  story.now_us = 1;
  EXPECT_EQ(story.fail("a", FailKind::retryable), Outcome(Word::failed));
}

}  // namespace
}  // namespace leaseproof::model
