// Checks refresh rule by rule and its fixed point (SEMANTICS 3, I3). Does not check what an
// operator reopens; operator_test.cpp does.
#include <gtest/gtest.h>

#include "model/lifecycle.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

Refreshed recovered(std::int64_t n) {
  Refreshed counts;
  counts.recovered = n;
  return counts;
}

// Moves an op as no call does, keeping what is derived.
void force(Story& story, const std::string& id, OpStatus status) {
  auto& counts = story.state.workflows.edit("w").counts;
  --counts[static_cast<std::size_t>(story.status(id))];
  ++counts[static_cast<std::size_t>(status)];
  story.op(id).view.status = status;
}

TEST(Refresh, readies_what_needs_nothing) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  EXPECT_EQ(story.refresh().readied, 1);
  EXPECT_EQ(story.status("a"), OpStatus::ready);
  EXPECT_EQ(story.status("b"), OpStatus::pending);
}

TEST(Refresh, of_nothing_new_changes_nothing) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  story.refresh();
  const State before = story.state;
  EXPECT_EQ(story.refresh(), Refreshed{});
  EXPECT_EQ(story.state, before);
}

TEST(Refresh, recovers_a_lease_at_its_expiry_and_not_before) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 29'999'999;
  EXPECT_EQ(story.refresh(), recovered(0));
  story.now_us = 30'000'000;
  EXPECT_EQ(story.refresh(), recovered(1));
  EXPECT_EQ(story.status("a"), OpStatus::ready);
  EXPECT_EQ(story.op("a").view.next_attempt_us, std::nullopt);
  EXPECT_EQ(story.op("a").view.error, std::nullopt);
  EXPECT_EQ(story.op("a").view.generation, 1);
}

TEST(Refresh, a_crash_on_the_last_attempt_fails_as_a_report_would) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.max_attempts = 1;
  story.begin_running(spec);
  story.now_us = 30'000'000;
  EXPECT_EQ(story.refresh().recovered, 1);
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(story.op("a").view.error, "deadline_or_attempt_budget");
}

TEST(Refresh, a_crash_after_the_deadline_fails) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 30'000'000;
  story.begin_running(spec);
  story.now_us = 30'000'000;
  story.refresh();
  EXPECT_EQ(story.status("a"), OpStatus::failed);
}

TEST(Refresh, a_deadline_alone_moves_nothing) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 1;
  story.ensure({spec});
  story.now_us = 5;
  EXPECT_EQ(story.refresh().readied, 1);
}

TEST(Refresh, an_expired_request_fails_its_op) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.now_us = default_approval_ttl_us - 1;
  EXPECT_EQ(story.refresh().expired, 0);
  story.now_us = default_approval_ttl_us;
  EXPECT_EQ(story.refresh().expired, 1);
  EXPECT_EQ(story.status("p"), OpStatus::failed);
  EXPECT_EQ(story.op("p").view.error, "approval_expired");
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::expired);
}

TEST(Refresh, an_approved_request_does_not_expire_by_itself) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.decide("p");
  story.now_us = default_approval_ttl_us;
  EXPECT_EQ(story.refresh().expired, 0);
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::approved);
}

TEST(Refresh, blocks_all_levels_below_a_failed_required_need) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c", {requires_op("b")}),
                op_spec("d", {prefers_op("a"), requires_op("c")})});
  story.refresh();
  story.lease();
  story.fail("a", FailKind::permanent);
  EXPECT_EQ(story.refresh().blocked, 3);
  for (const auto* id : {"b", "c", "d"}) EXPECT_EQ(story.status(id), OpStatus::blocked) << id;
  EXPECT_EQ(story.op("b").view.error, std::nullopt);
}

TEST(Refresh, a_crash_and_what_it_blocks_are_seen_in_one_call) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.max_attempts = 1;
  story.ensure({spec, op_spec("b", {requires_op("a")}), op_spec("c", {requires_op("b")})});
  story.refresh();
  story.lease();
  story.now_us = 30'000'000;
  const Refreshed counts = story.refresh();
  EXPECT_EQ(counts.recovered, 1);
  EXPECT_EQ(counts.blocked, 2);
}

TEST(Refresh, an_optional_need_has_only_to_be_settled) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c", {prefers_op("b")})});
  story.refresh();
  story.lease();
  EXPECT_EQ(story.status("c"), OpStatus::pending);
  story.fail("a", FailKind::permanent);
  const Refreshed counts = story.refresh();
  EXPECT_EQ(counts.blocked, 1);
  EXPECT_EQ(counts.readied, 1);
  EXPECT_EQ(story.status("c"), OpStatus::ready) << "blocked is settled";
}

TEST(Refresh, a_canceled_need_blocks) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  force(story, "a", OpStatus::canceled);
  EXPECT_EQ(story.refresh().blocked, 1);
}

TEST(Refresh, a_reconciling_need_neither_blocks_nor_readies) {
  Story story;
  OpSpec below = op_spec("z", {requires_op("e")});
  story.ensure({effect_spec("e", Contract::opaque), below});
  story.refresh();
  story.lease();
  story.dispatch("e");
  story.now_us = 30'000'000;
  const Refreshed counts = story.refresh();
  EXPECT_EQ(counts, recovered(1));
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.status("z"), OpStatus::pending);
}

// Rule (4) meets nothing that a call of today leaves behind: retry reopens by itself.
TEST(Refresh, reopens_a_blocked_op_without_a_stopping_need) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  story.refresh();
  force(story, "b", OpStatus::blocked);
  const Refreshed counts = story.refresh();
  EXPECT_EQ(counts.unblocked, 1);
  EXPECT_EQ(story.status("b"), OpStatus::pending);
}

TEST(Refresh, what_it_reopens_it_may_also_ready_and_that_is_one_event) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b")});
  story.refresh();
  force(story, "b", OpStatus::blocked);
  const std::int64_t before = story.state.last_seq;
  const Refreshed counts = story.refresh();
  EXPECT_EQ(counts.unblocked, 1);
  EXPECT_EQ(counts.readied, 1);
  EXPECT_EQ(story.status("b"), OpStatus::ready);
  EXPECT_EQ(story.state.last_seq, before + 1);
}

TEST(Refresh, reopens_all_levels_in_one_call) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c", {requires_op("b")})});
  story.refresh();
  force(story, "b", OpStatus::blocked);
  force(story, "c", OpStatus::blocked);
  EXPECT_EQ(story.refresh().unblocked, 2);
  EXPECT_EQ(story.status("c"), OpStatus::pending);
}

TEST(Refresh, workflows_come_in_the_order_of_their_last_changes) {
  Story story;
  story.now_us = 10;
  story.ensure({op_spec("a")}, "young");
  story.now_us = 5;
  story.ensure({op_spec("b")}, "old");
  story.refresh();
  EXPECT_LT(story.state.workflows.at("old").last_seq, story.state.workflows.at("young").last_seq);
}

TEST(Recovery, of_a_dispatched_effect_depends_on_whether_it_may_be_sent_again) {
  struct Case {
    EffectSpec effect;
    OpStatus becomes;
  };
  EffectSpec forgetting{Contract::idempotent, false, 30'000'000, "", "", ""};
  EffectSpec remembering{Contract::idempotent, false, 30'000'001, "", "", ""};
  const Case cases[] = {{{Contract::idempotent, false, 0, "", "", ""}, OpStatus::ready},
                        {remembering, OpStatus::ready},
                        {forgetting, OpStatus::reconciling},
                        {{Contract::queryable, false, 0, "", "", ""}, OpStatus::reconciling},
                        {{Contract::opaque, false, 0, "", "", ""}, OpStatus::reconciling}};
  for (const Case& c : cases) {
    Story story;
    OpSpec spec = op_spec("e");
    spec.effect = c.effect;
    story.begin_running(spec);
    story.dispatch("e");
    story.now_us = 30'000'000;
    EXPECT_EQ(story.refresh().recovered, 1);
    EXPECT_EQ(story.status("e"), c.becomes);
    EXPECT_TRUE(story.op("e").unsure);
    EXPECT_EQ(story.op("e").view.error, std::nullopt) << "recovery leaves it";
  }
}

TEST(Recovery, of_an_approved_write_never_sends_it_again) {
  Story story;
  OpSpec spec = approval_spec("p");
  spec.effect->contract = Contract::idempotent;
  story.begin_running(spec);
  story.request_approval("p");
  story.decide("p");
  story.lease();
  story.dispatch("p", 2);
  story.now_us = 30'000'000;
  story.refresh();
  EXPECT_EQ(story.status("p"), OpStatus::reconciling);
}

TEST(Recovery, with_an_unknown_write_and_no_attempt_left_reconciles_and_says_why) {
  Story story;
  OpSpec spec = effect_spec("e", Contract::idempotent);
  spec.max_attempts = 1;
  story.begin_running(spec);
  story.dispatch("e");
  story.now_us = 30'000'000;
  story.refresh();
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.op("e").view.error, "deadline_or_attempt_budget");
}

TEST(Recovery, allows_for_the_slack_of_the_clocks) {
  for (const std::int64_t slack : {0, 1}) {
    Story story;
    story.state.settings.clock_slack_us = slack;
    OpSpec spec = effect_spec("e", Contract::idempotent);
    spec.effect->retention_us = 30'000'001;
    story.begin_running(spec);
    story.dispatch("e");
    story.now_us = 30'000'000;
    story.refresh();
    EXPECT_EQ(story.status("e"), slack == 0 ? OpStatus::ready : OpStatus::reconciling);
  }
}

}  // namespace
}  // namespace leaseproof::model
