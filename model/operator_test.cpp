// Checks retry and cancel. Does not check reconcile and close; effect_test.cpp does.
#include <gtest/gtest.h>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

Outcome reopened(std::int64_t n) { return {Word::ok, Reopened{n}}; }
Outcome canceled(std::int64_t n, std::int64_t reconciling) {
  return {Word::ok, CancelCounts{n, reconciling}};
}

// a has failed; b, c and d are blocked behind it, c only through b; x is blocked by y as well.
Story failed_at_the_root() {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c", {requires_op("b")}),
                op_spec("d", {requires_op("a"), prefers_op("c")}), op_spec("y"),
                op_spec("x", {requires_op("a"), requires_op("y")})});
  story.refresh();
  story.lease();
  story.lease();
  story.fail("a", FailKind::permanent);
  story.fail("y", FailKind::permanent);
  story.refresh();
  return story;
}

TEST(Retry, begins_anew_but_keeps_the_generation) {
  Story story;
  story.begin_running(op_spec("a"));
  story.fail("a", FailKind::permanent);
  EXPECT_EQ(story.tell(Retry{"a", {}}), reopened(0));
  const OpView& view = story.op("a").view;
  EXPECT_EQ(view.status, OpStatus::ready);
  EXPECT_EQ(view.attempts, 0);
  EXPECT_EQ(view.generation, 1);
  EXPECT_EQ(view.error, std::nullopt);
  EXPECT_EQ(view.next_attempt_us, std::nullopt);
}

TEST(Retry, reopens_every_level_that_nothing_else_stops) {
  Story story = failed_at_the_root();
  const std::int64_t before = story.state.last_seq;
  EXPECT_EQ(story.tell(Retry{"a", {}}), reopened(3));
  for (const auto* id : {"b", "c", "d"}) EXPECT_EQ(story.status(id), OpStatus::pending) << id;
  EXPECT_EQ(story.status("x"), OpStatus::blocked);
  EXPECT_EQ(story.state.last_seq, before + 4);
  EXPECT_EQ(story.refresh(), Refreshed{}) << "reopened is not ready";
}

TEST(Retry, is_for_failed_ops_only) {
  Story story;
  story.ensure({op_spec("a")});
  EXPECT_EQ(story.tell(Retry{"a", {}}), Outcome(Word::not_failed));
  story.refresh();
  EXPECT_EQ(story.tell(Retry{"a", {}}), Outcome(Word::not_failed));
  story.lease();
  story.complete("a");
  EXPECT_EQ(story.tell(Retry{"a", {}}), Outcome(Word::not_failed));
}

TEST(Retry, does_not_bring_back_what_is_being_canceled) {
  Story story = failed_at_the_root();
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.tell(Retry{"a", {}}), Outcome(Word::workflow_canceled));
  EXPECT_EQ(story.status("a"), OpStatus::failed);
}

TEST(Retry, needs_a_deadline_ahead_or_a_new_one) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 10;
  story.begin_running(spec);
  story.fail("a", FailKind::permanent);
  story.now_us = 10;
  EXPECT_EQ(story.tell(Retry{"a", {}}), Outcome(Word::deadline_passed));
  EXPECT_EQ(story.tell(Retry{"a", 10}), Outcome(Word::deadline_passed));
  EXPECT_EQ(story.tell(Retry{"a", 11}), reopened(0));
  EXPECT_EQ(story.op("a").deadline_us, 11);
  EXPECT_EQ(story.lease().word, Word::leased);
  story.now_us = 11;
  EXPECT_EQ(story.complete("a", 2).word, Word::deadline_exceeded);
}

TEST(Retry, a_canceled_workflow_comes_before_a_passed_deadline) {
  Story story = failed_at_the_root();
  story.op("a").deadline_us = 0;
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.tell(Retry{"a", {}}).word, Word::workflow_canceled);
}

TEST(Retry, voids_an_approval_whether_expired_or_not) {
  for (const std::int64_t now : {1, 200'000'000}) {
    Story story;
    story.begin_running(approval_spec("p"));
    story.request_approval("p");
    story.decide("p");
    story.lease();
    story.fail("p", FailKind::permanent, 2);
    story.now_us = now;
    story.tell(Retry{"p", {}});
    EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::void_);
  }
}

TEST(Cancel, ends_every_op_that_may_still_run) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b"), op_spec("c", {requires_op("a")})});
  story.refresh();
  story.lease();
  EXPECT_EQ(story.tell(Cancel{"w"}), canceled(3, 0));
  for (const auto* id : {"a", "b", "c"}) EXPECT_EQ(story.status(id), OpStatus::canceled) << id;
  EXPECT_EQ(story.op("a").view.generation, 2);
  EXPECT_EQ(story.op("c").view.generation, 1);
  EXPECT_EQ(story.op("a").view.lease, std::nullopt);
  EXPECT_EQ(story.workflow(), WorkflowStatus::canceled);
}

TEST(Cancel, leaves_settled_ops_and_their_history_alone) {
  Story story = failed_at_the_root();
  const OpView before = story.op("a").view;
  EXPECT_EQ(story.tell(Cancel{"w"}), canceled(4, 0));
  EXPECT_EQ(story.op("a").view, before);
}

TEST(Cancel, of_a_finished_workflow_changes_nothing) {
  Story story;
  story.begin_running(op_spec("a"));
  story.complete("a");
  const State before = story.state;
  EXPECT_EQ(story.tell(Cancel{"w"}), Outcome(Word::already_settled));
  EXPECT_EQ(story.state, before);
}

TEST(Cancel, a_second_time_changes_nothing) {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  story.dispatch("e");
  EXPECT_EQ(story.tell(Cancel{"w"}), canceled(0, 1));
  const State before = story.state;
  EXPECT_EQ(story.tell(Cancel{"w"}), canceled(0, 0));
  EXPECT_EQ(story.state, before);
}

TEST(Cancel, of_a_workflow_that_only_reconciles_is_remembered) {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  story.dispatch("e");
  story.fail("e", FailKind::unknown);
  const std::int64_t before = story.state.last_seq;
  EXPECT_EQ(story.tell(Cancel{"w"}), canceled(0, 0));
  EXPECT_TRUE(story.state.workflows.at("w").cancel_requested);
  EXPECT_EQ(story.state.last_seq, before + 1);
}

TEST(Cancel, reconciles_what_may_have_been_written_and_fences_its_worker_off) {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  story.dispatch("e");
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.op("e").view.generation, 2);
  EXPECT_EQ(story.op("e").view.error, std::nullopt);
  EXPECT_EQ(story.complete_with_receipt("e").word, Word::lease_lost);
  EXPECT_EQ(story.workflow(), WorkflowStatus::running);
}

TEST(Cancel, takes_a_live_approval_with_it) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::canceled);
  EXPECT_EQ(story.decide("p"),
            Outcome(Word::already_decided, AlreadyDecided{ApprovalStatus::canceled}));
}

TEST(Cancel, an_approval_that_ran_out_is_not_live) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.decide("p");
  story.now_us = default_approval_ttl_us;
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::approved);
}

TEST(Cancel, other_workflows_go_on) {
  Story story;
  story.ensure({op_spec("a")}, "w");
  story.ensure({op_spec("b")}, "v");
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.status("b"), OpStatus::pending);
}

}  // namespace
}  // namespace leaseproof::model
