// Checks dispatch, the failures of a dispatched effect, reconcile and close (SEMANTICS 3 and 6).
// Does not check recovery after a crash (refresh_test.cpp) nor that the service holds one write
// (explorer_test.cpp).
#include <gtest/gtest.h>

#include "model/canonical.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

constexpr std::int64_t expiry = default_lease_us;

Story running(Contract contract, std::int64_t retention_us = 0) {
  Story story;
  OpSpec spec = effect_spec("e", contract);
  spec.effect->retention_us = retention_us;
  story.begin_running(spec);
  return story;
}

Story approved() {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.decide("p");
  story.lease();
  return story;
}

Story reconciling(Contract contract = Contract::queryable) {
  Story story = running(contract);
  story.dispatch("e");
  story.fail("e", FailKind::unknown);
  return story;
}

TEST(Dispatch, answers_the_key_and_the_end_of_the_permit) {
  Story story = running(Contract::queryable);
  EXPECT_EQ(story.dispatch("e"),
            Outcome(Word::dispatching, Dispatching{operation_key("e"), expiry}));
  EXPECT_EQ(story.op("e").view.effect,
            (EffectView{EffectStatus::dispatching, operation_key("e"), {}}));
}

TEST(Dispatch, a_permit_ends_before_the_service_forgets_the_key) {
  Story story = running(Contract::idempotent, 100);
  story.state.settings.clock_slack_us = 7;
  story.now_us = 10;
  EXPECT_EQ(std::get<Dispatching>(story.dispatch("e").detail).call_before_us, 10 + 100 - 7);
}

TEST(Dispatch, of_an_op_without_an_effect_is_invalid_after_all_guards) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_EQ(story.dispatch("a", 2).word, Word::lease_lost);
  EXPECT_EQ(story.dispatch("a").word, Word::invalid);
}

TEST(Dispatch, after_the_deadline_ends_the_op) {
  Story story = running(Contract::queryable);
  story.op("e").deadline_us = 5;
  story.now_us = 5;
  EXPECT_EQ(story.dispatch("e").word, Word::deadline_exceeded);
  EXPECT_EQ(story.status("e"), OpStatus::failed);
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::none);
}

TEST(Dispatch, again_is_allowed_only_where_the_service_deduplicates) {
  for (const Contract contract : {Contract::queryable, Contract::opaque}) {
    Story story = running(contract);
    story.dispatch("e");
    EXPECT_EQ(story.dispatch("e"), Outcome(Word::resend_closed));
    EXPECT_EQ(story.status("e"), OpStatus::reconciling);
    EXPECT_EQ(story.op("e").view.error, "resend_closed");
    EXPECT_EQ(story.op("e").view.lease, std::nullopt);
  }
  Story story = running(Contract::idempotent);
  story.dispatch("e");
  story.now_us = 5;
  story.heartbeat("e");
  EXPECT_EQ(story.dispatch("e"),
            Outcome(Word::dispatching, Dispatching{operation_key("e"), expiry + 5}));
  EXPECT_EQ(story.op("e").dispatched_at_us, 0);
  EXPECT_TRUE(story.op("e").unsure);
}

TEST(Dispatch, again_is_judged_at_the_leases_expiry) {
  for (const std::int64_t retention : {expiry, expiry + 1}) {
    Story story = running(Contract::idempotent, retention);
    story.dispatch("e");
    const Word expected = retention == expiry ? Word::resend_closed : Word::dispatching;
    EXPECT_EQ(story.dispatch("e").word, expected);
  }
}

TEST(Dispatch, again_must_carry_the_same_payload) {
  Story story = running(Contract::idempotent);
  story.dispatch("e", 1, "1");
  EXPECT_EQ(story.dispatch("e", 1, "2"), Outcome(Word::payload_conflict));
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.op("e").view.error, "payload_conflict");
}

TEST(Dispatch, after_a_refusal_may_carry_another_payload) {
  Story story = running(Contract::queryable);
  story.dispatch("e", 1, "1");
  story.fail("e", FailKind::retryable);
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::refused);
  story.now_us = 2'000'000;
  story.lease();
  EXPECT_EQ(story.dispatch("e", 2, "2").word, Word::dispatching);
  EXPECT_EQ(story.op("e").dispatched_at_us, 2'000'000);
  EXPECT_FALSE(story.op("e").unsure);
}

TEST(ApprovedDispatch, spends_the_approval) {
  Story story = approved();
  EXPECT_EQ(story.dispatch("p", 2).word, Word::dispatching);
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::spent);
}

TEST(ApprovedDispatch, without_an_approval_changes_nothing) {
  Story story;
  story.begin_running(approval_spec("p"));
  const State before = story.state;
  EXPECT_EQ(story.dispatch("p"), Outcome(Word::approval_required));
  EXPECT_EQ(story.state, before);
}

TEST(ApprovedDispatch, of_another_payload_voids_the_approval) {
  Story story = approved();
  EXPECT_EQ(story.dispatch("p", 2, "\"other\""), Outcome(Word::binding_mismatch));
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::void_);
  EXPECT_EQ(story.status("p"), OpStatus::failed);
  EXPECT_EQ(story.op("p").view.error, "binding_mismatch");
}

TEST(ApprovedDispatch, after_the_approval_expired_ends_the_op) {
  Story story = approved();
  story.op("p").view.lease->expires_us = 2 * default_approval_ttl_us;
  story.now_us = default_approval_ttl_us;
  EXPECT_EQ(story.dispatch("p", 2), Outcome(Word::approval_expired_before_dispatch));
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::expired);
  EXPECT_EQ(story.op("p").view.error, "approval_expired_before_dispatch");
}

TEST(ApprovedDispatch, a_mismatch_is_judged_before_the_expiry) {
  Story story = approved();
  story.op("p").view.lease->expires_us = 2 * default_approval_ttl_us;
  story.now_us = default_approval_ttl_us;
  EXPECT_EQ(story.dispatch("p", 2, "\"other\"").word, Word::binding_mismatch);
}

TEST(ApprovedDispatch, a_spent_approval_permits_nothing_more) {
  Story story = approved();
  story.dispatch("p", 2);
  const State before = story.state;
  EXPECT_EQ(story.dispatch("p", 2), Outcome(Word::approval_required));
  EXPECT_EQ(story.state, before);
}

TEST(ApprovedDispatch, a_spent_approval_no_longer_expires) {
  Story story = approved();
  story.op("p").view.lease->expires_us = 2 * default_approval_ttl_us;
  story.dispatch("p", 2);
  story.now_us = default_approval_ttl_us;
  EXPECT_EQ(story.refresh().expired, 0);
  EXPECT_EQ(story.complete_with_receipt("p", 2).word, Word::ok);
}

TEST(ApprovedDispatch, after_a_refusal_needs_a_new_request) {
  Story story = approved();
  story.dispatch("p", 2);
  story.fail("p", FailKind::retryable, 2);
  story.now_us = 4'000'000;
  story.lease();
  EXPECT_EQ(story.dispatch("p", 3), Outcome(Word::approval_required));
}

TEST(EffectCompletion, needs_a_dispatched_effect_and_its_receipt) {
  Story story = running(Contract::queryable);
  EXPECT_EQ(story.complete_with_receipt("e"), Outcome(Word::receipt_required));
  story.dispatch("e");
  EXPECT_EQ(story.complete("e"), Outcome(Word::receipt_required));
  EXPECT_EQ(story.complete_with_receipt("e"), Outcome(Word::ok));
  EXPECT_EQ(story.op("e").view.effect,
            (EffectView{EffectStatus::confirmed, operation_key("e"), "r-1"}));
}

TEST(EffectFailure, retryable_and_permanent_say_that_the_service_refused) {
  Story story = running(Contract::opaque);
  story.dispatch("e");
  EXPECT_EQ(story.fail("e", FailKind::permanent), Outcome(Word::failed));
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::refused);
}

TEST(EffectFailure, unknown_is_retried_only_where_the_service_deduplicates) {
  Story story = running(Contract::idempotent);
  story.dispatch("e");
  EXPECT_EQ(story.fail("e", FailKind::unknown).word, Word::retry_scheduled);
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::dispatching);
  EXPECT_TRUE(story.op("e").unsure);
  EXPECT_EQ(reconciling(Contract::queryable).status("e"), OpStatus::reconciling);
  EXPECT_EQ(reconciling(Contract::opaque).op("e").view.error, "unknown");
}

TEST(EffectFailure, unknown_without_an_attempt_left_reconciles) {
  Story story;
  OpSpec spec = effect_spec("e", Contract::idempotent);
  spec.max_attempts = 1;
  story.begin_running(spec);
  story.dispatch("e");
  EXPECT_EQ(story.fail("e", FailKind::unknown), Outcome(Word::reconciling));
}

TEST(EffectFailure, a_refusal_of_the_second_call_says_nothing_about_the_first) {
  const auto unsure = [] {
    Story story = running(Contract::idempotent);
    story.dispatch("e");
    story.dispatch("e");
    return story;
  };
  Story story = unsure();
  EXPECT_EQ(story.fail("e", FailKind::retryable).word, Word::retry_scheduled);
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::dispatching);
  story = unsure();
  EXPECT_EQ(story.fail("e", FailKind::permanent), Outcome(Word::reconciling));
  EXPECT_EQ(story.op("e").view.error, "permanent");
}

TEST(EffectFailure, after_a_second_dispatch_out_of_retention_is_reconciled) {
  Story story = running(Contract::idempotent, 100);
  story.dispatch("e");
  story.op("e").unsure = true;
  story.now_us = 100;
  EXPECT_EQ(story.fail("e", FailKind::retryable), Outcome(Word::reconciling));
}

TEST(Reconcile, a_receipt_that_is_found_confirms_without_a_new_write) {
  Story story = reconciling();
  Given given;
  given.found = "r-1";
  EXPECT_EQ(story.tell(Reconcile{"e"}, given), Outcome(Word::confirmed));
  const OpView& view = story.op("e").view;
  EXPECT_EQ(view.status, OpStatus::effect_confirmed);
  EXPECT_EQ(view.effect->receipt, "r-1");
  EXPECT_EQ(view.result, R"({"fresh_write_performed":false,"receipt":"r-1"})");
  EXPECT_EQ(view.error, std::nullopt);
}

TEST(Reconcile, absence_is_no_proof) {
  Story story = reconciling();
  const State before = story.state;
  EXPECT_EQ(story.tell(Reconcile{"e"}), Outcome(Word::unknown));
  EXPECT_EQ(story.state, before);
}

TEST(Reconcile, an_opaque_service_cannot_be_asked) {
  Story story = reconciling(Contract::opaque);
  Given given;
  given.found = "r-1";
  EXPECT_EQ(story.tell(Reconcile{"e"}, given), Outcome(Word::unknown));
}

TEST(Reconcile, is_for_reconciling_ops_only) {
  Story story = running(Contract::queryable);
  EXPECT_EQ(story.tell(Reconcile{"e"}), Outcome(Word::not_reconciling));
  EXPECT_EQ(story.close("e", true), Outcome(Word::not_reconciling));
}

TEST(Close, judges_role_then_evidence_then_permit) {
  Story story = reconciling();
  EXPECT_EQ(story.tell(Close{"e", false, "", {"otto", {"reviewer"}, {}}}).word, Word::forbidden);
  EXPECT_EQ(story.tell(Close{"e", false, "", {"otto", {"operator"}, {}}}).word,
            Word::evidence_required);
  EXPECT_EQ(story.close("e", false).word, Word::permit_open);
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
}

TEST(Close, without_a_write_waits_for_the_permit_and_the_slack) {
  Story story = reconciling();
  story.state.settings.clock_slack_us = 5;
  story.now_us = expiry + 4;
  EXPECT_EQ(story.close("e", false).word, Word::permit_open);
  story.now_us = expiry + 5;
  EXPECT_EQ(story.close("e", false), Outcome(Word::ok));
  EXPECT_EQ(story.status("e"), OpStatus::failed);
  EXPECT_EQ(story.op("e").view.error, "closed_no_effect");
  EXPECT_EQ(story.op("e").view.effect->status, EffectStatus::refused);
}

// A heartbeat may shorten a lease. The permit that was given before it lasts all the same, and
// longer than the one of the next worker.
TEST(Close, without_a_write_waits_for_the_last_permit_of_all) {
  Story story = running(Contract::idempotent);
  story.dispatch("e");
  story.by_worker(Heartbeat{{"A", "e", 0}, 1}, 1);
  story.now_us = 1;
  story.refresh();
  story.tell(Lease{"B", {}, {}, {}, {}, 1});
  EXPECT_EQ(std::get<Dispatching>(story.dispatch("e", 2).detail).call_before_us, 2);
  story.now_us = 2;
  story.refresh();
  story.tell(Cancel{"w"});
  story.now_us = expiry - 1;
  EXPECT_EQ(story.close("e", false).word, Word::permit_open);
  story.now_us = expiry;
  EXPECT_EQ(story.close("e", false).word, Word::ok);
}

TEST(Close, without_a_write_leaves_a_failed_op_that_an_operator_may_retry) {
  Story story = reconciling();
  story.now_us = expiry;
  story.close("e", false);
  EXPECT_EQ(story.tell(Retry{"e", {}}).word, Word::ok);
  story.lease();
  EXPECT_EQ(story.dispatch("e", 2).word, Word::dispatching);
  EXPECT_EQ(story.fail("e", FailKind::permanent, 2), Outcome(Word::failed))
      << "what was closed casts no doubt on the new request";
}

TEST(Close, without_a_write_cancels_where_that_was_asked) {
  Story story = reconciling();
  story.tell(Cancel{"w"});
  story.now_us = expiry;
  story.close("e", false);
  EXPECT_EQ(story.status("e"), OpStatus::canceled);
  EXPECT_EQ(story.workflow(), WorkflowStatus::canceled);
}

TEST(Close, of_a_write_that_happened_confirms_at_once_without_a_receipt) {
  Story story = reconciling();
  EXPECT_EQ(story.close("e", true), Outcome(Word::ok));
  const OpView& view = story.op("e").view;
  EXPECT_EQ(view.status, OpStatus::effect_confirmed);
  EXPECT_EQ(view.effect->status, EffectStatus::confirmed);
  EXPECT_EQ(view.effect->receipt, std::nullopt);
  EXPECT_EQ(view.result, R"({"fresh_write_performed":false,"receipt":null})");
}

}  // namespace
}  // namespace leaseproof::model
