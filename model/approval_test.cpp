// Checks request_approval and decide, guard by guard in their order (SEMANTICS 3 and 5). Does not
// check how a dispatch spends an approval; effect_test.cpp does.
#include <gtest/gtest.h>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

constexpr const char* hash_of_request_1 =
    "7eb47dfe0a5724bb36b93b0cb28b7e97988764f5bcbaa3742359f1d565c5c1aa";

Story waiting() {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  return story;
}

Decide approve_by(Actor actor) {
  Decide call;
  call.op = "p";
  call.actor = std::move(actor);
  return call;
}
const Actor rita{"rita", {"reviewer"}, {"team"}};

TEST(RequestApproval, waits_without_a_lease_and_is_bound_to_the_envelope) {
  Story story;
  story.begin_running(approval_spec("p"));
  EXPECT_EQ(story.request_approval("p"), Outcome(Word::waiting, Waiting{hash_of_request_1}));
  const OpView& view = story.op("p").view;
  EXPECT_EQ(view.status, OpStatus::waiting_approval);
  EXPECT_EQ(view.lease, std::nullopt);
  EXPECT_EQ(view.attempts, 1);
  EXPECT_EQ(view.approval, (ApprovalView{1, ApprovalStatus::pending, hash_of_request_1}));
}

TEST(RequestApproval, is_not_needed_without_an_effect_that_asks_for_it) {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  EXPECT_EQ(story.request_approval("e"), Outcome(Word::not_needed));
  Story plain;
  plain.begin_running(op_spec("a"));
  EXPECT_EQ(plain.request_approval("a"), Outcome(Word::not_needed));
}

TEST(RequestApproval, one_live_approval_is_enough) {
  Story story = waiting();
  story.decide("p");
  story.lease();
  EXPECT_EQ(story.request_approval("p", 2), Outcome(Word::approval_exists));
  EXPECT_EQ(story.status("p"), OpStatus::running);
}

TEST(RequestApproval, an_approval_that_ran_out_gives_way_to_a_new_request) {
  Story story = waiting();
  story.decide("p");
  story.now_us = default_approval_ttl_us;
  story.lease();
  EXPECT_EQ(story.request_approval("p", 2).word, Word::waiting);
  EXPECT_EQ(story.op("p").view.approval->request_no, 2);
  EXPECT_NE(story.op("p").view.approval->hash, hash_of_request_1);
}

TEST(RequestApproval, is_refused_once_the_effect_was_dispatched) {
  Story story = waiting();
  story.decide("p");
  story.lease();
  story.dispatch("p", 2);
  EXPECT_EQ(story.request_approval("p", 2), Outcome(Word::effect_dispatched));
}

TEST(RequestApproval, needs_an_attempt_for_the_run_after_it) {
  Story story;
  OpSpec spec = approval_spec("p");
  spec.max_attempts = 1;
  spec.deadline_us = 0;
  story.ensure({spec});
  story.op("p").deadline_us = 5;
  story.refresh();
  story.lease();
  story.now_us = 5;
  EXPECT_EQ(story.request_approval("p"), Outcome(Word::deadline_or_attempt_budget))
      << "and is judged before the deadline";
  EXPECT_EQ(story.status("p"), OpStatus::failed);
  EXPECT_EQ(story.op("p").view.error, "deadline_or_attempt_budget");
}

TEST(RequestApproval, after_the_deadline_ends_the_op) {
  Story story;
  OpSpec spec = approval_spec("p");
  spec.deadline_us = 5;
  story.begin_running(spec);
  story.now_us = 5;
  EXPECT_EQ(story.request_approval("p").word, Word::deadline_exceeded);
  EXPECT_EQ(story.op("p").view.approval, std::nullopt);
}

TEST(Decide, an_approval_makes_the_op_ready_and_due) {
  Story story = waiting();
  EXPECT_EQ(story.decide("p"), Outcome(Word::ok));
  EXPECT_EQ(story.status("p"), OpStatus::ready);
  EXPECT_EQ(story.op("p").view.next_attempt_us, std::nullopt);
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::approved);
}

TEST(Decide, a_rejection_ends_the_op) {
  Story story = waiting();
  EXPECT_EQ(story.decide("p", false), Outcome(Word::ok));
  EXPECT_EQ(story.status("p"), OpStatus::failed);
  EXPECT_EQ(story.op("p").view.error, "approval_rejected");
  EXPECT_EQ(story.op("p").view.approval->status, ApprovalStatus::rejected);
}

TEST(Decide, an_op_without_any_request_is_not_found) {
  Story story;
  story.begin_running(approval_spec("p"));
  EXPECT_EQ(story.decide("p"), Outcome(Word::not_found));
}

TEST(Decide, is_for_reviewers_of_the_scope_who_did_not_ask) {
  const Actor refused[] = {{"rita", {}, {"team"}},
                           {"rita", {"operator"}, {"team"}},
                           {"rita", {"reviewer"}, {"other"}},
                           {"paul", {"reviewer"}, {"team"}}};
  for (const Actor& actor : refused) {
    Story story = waiting();
    const State before = story.state;
    EXPECT_EQ(story.tell(approve_by(actor)), Outcome(Word::forbidden));
    EXPECT_EQ(story.state, before);
  }
}

TEST(Decide, the_hash_must_be_that_of_the_newest_request) {
  Story story = waiting();
  Decide call = approve_by(rita);
  call.hash = "0";
  EXPECT_EQ(story.tell(call), Outcome(Word::wrong_hash));
  call.hash = hash_of_request_1;
  call.stale_hash = true;
  EXPECT_EQ(story.tell(call), Outcome(Word::wrong_hash));
  call.stale_hash = false;
  EXPECT_EQ(story.tell(call), Outcome(Word::ok));
}

TEST(Decide, forbidden_comes_before_wrong_hash_and_that_before_expired) {
  Story story = waiting();
  story.now_us = default_approval_ttl_us;
  Decide call = approve_by({"paul", {}, {}});
  call.stale_hash = true;
  EXPECT_EQ(story.tell(call).word, Word::forbidden);
  call.actor = rita;
  EXPECT_EQ(story.tell(call).word, Word::wrong_hash);
  call.stale_hash = false;
  EXPECT_EQ(story.tell(call).word, Word::expired);
}

TEST(Decide, at_the_expiry_it_is_too_late_before_and_after_a_refresh) {
  Story story = waiting();
  story.now_us = default_approval_ttl_us;
  const State before = story.state;
  EXPECT_EQ(story.decide("p"), Outcome(Word::expired));
  EXPECT_EQ(story.state, before);
  story.refresh();
  EXPECT_EQ(story.decide("p"), Outcome(Word::expired));
}

TEST(Decide, a_decision_is_made_once_and_the_answer_names_it) {
  Story story = waiting();
  story.decide("p");
  EXPECT_EQ(story.decide("p"),
            Outcome(Word::already_decided, AlreadyDecided{ApprovalStatus::approved}));
  EXPECT_EQ(story.decide("p", false),
            Outcome(Word::already_decided, AlreadyDecided{ApprovalStatus::approved}));
  Story rejected = waiting();
  rejected.decide("p", false);
  EXPECT_EQ(rejected.decide("p"),
            Outcome(Word::already_decided, AlreadyDecided{ApprovalStatus::rejected}));
}

}  // namespace
}  // namespace leaseproof::model
