// Checks who gets which op, how long a lease lasts, and checkpoints. Does not check queue limits
// (queue_test.cpp) nor what ends an attempt (completion_test.cpp).
#include <gtest/gtest.h>

#include <string>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

OpSpec at_place(std::string id, std::string site, std::string queue) {
  OpSpec spec = op_spec(std::move(id));
  spec.site = std::move(site);
  spec.queue = std::move(queue);
  return spec;
}

std::string leased_op(Story& story, std::optional<std::string> queue,
                      std::optional<std::string> site) {
  Lease call;
  call.worker = "A";
  call.queue = std::move(queue);
  call.site = std::move(site);
  const Outcome outcome = story.tell(call);
  return outcome.word == Word::leased ? std::get<Leased>(outcome.detail).op : "none";
}

TEST(Lease, takes_the_oldest_ready_op_by_created_then_id) {
  Story story;
  story.now_us = 10;
  story.ensure({op_spec("c"), op_spec("b")}, "w");
  story.now_us = 5;
  story.ensure({op_spec("z")}, "v");
  story.refresh();
  EXPECT_EQ(story.lease(), Outcome(Word::leased, Leased{"z", 1, 30'000'005}));
  EXPECT_EQ(story.lease(), Outcome(Word::leased, Leased{"b", 1, 30'000'005}));
  EXPECT_EQ(story.lease(), Outcome(Word::leased, Leased{"c", 1, 30'000'005}));
  EXPECT_EQ(story.lease(), Outcome(Word::none));
}

TEST(Lease, starts_a_generation_and_an_attempt) {
  Story story;
  story.begin_running(op_spec("a"));
  const OpView& view = story.op("a").view;
  EXPECT_EQ(view.status, OpStatus::running);
  EXPECT_EQ(view.generation, 1);
  EXPECT_EQ(view.attempts, 1);
  EXPECT_EQ(view.lease, (LeaseView{"A", 1, 30'000'000}));
}

TEST(Lease, names_the_owner_that_the_worker_gives) {
  Story story;
  story.ensure({op_spec("a")});
  story.refresh();
  Lease call;
  call.worker = "A";
  call.owner = "shared";
  story.tell(call);
  EXPECT_EQ(story.op("a").view.lease->owner, "shared");
}

TEST(Lease, an_expected_op_does_not_steer) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b")});
  story.refresh();
  Lease call;
  call.expected_op = "b";
  EXPECT_EQ(std::get<Leased>(story.tell(call).detail).op, "a");
}

TEST(Lease, a_pending_op_is_not_taken) {
  Story story;
  story.ensure({op_spec("a")});
  EXPECT_EQ(story.lease(), Outcome(Word::none));
}

TEST(Lease, an_op_is_taken_from_the_microsecond_at_which_it_is_due) {
  Story story;
  story.begin_running(op_spec("a"));
  story.fail("a", FailKind::retryable);
  story.now_us = 1'999'999;
  EXPECT_EQ(story.lease(), Outcome(Word::none));
  story.now_us = 2'000'000;
  EXPECT_EQ(story.lease().word, Word::leased);
  EXPECT_EQ(story.op("a").view.next_attempt_us, std::nullopt);
}

TEST(Lease, an_older_op_that_is_not_due_holds_nobody_up) {
  Story story;
  story.begin_running(op_spec("a"));
  story.fail("a", FailKind::retryable);
  story.ensure({op_spec("b")}, "v");
  story.refresh();
  EXPECT_EQ(std::get<Leased>(story.lease().detail).op, "b");
}

TEST(Lease, considers_everything_the_queue_of_the_default_site_or_the_whole_site) {
  Story story;
  const auto prepare = [&] {
    story = Story();
    story.ensure({at_place("a", "oslo", "mail"), at_place("b", "oslo", "post"),
                  at_place("c", "default", "mail")});
    story.refresh();
  };
  prepare();
  EXPECT_EQ(leased_op(story, {}, {}), "a");
  prepare();
  EXPECT_EQ(leased_op(story, "mail", {}), "c");
  EXPECT_EQ(leased_op(story, "post", {}), "none");
  EXPECT_EQ(leased_op(story, "post", "oslo"), "b");
  EXPECT_EQ(leased_op(story, {}, "oslo"), "a");
  EXPECT_EQ(leased_op(story, {}, "oslo"), "none");
}

TEST(Lease, a_candidate_past_its_deadline_fails_and_the_next_is_taken) {
  Story story;
  OpSpec late = op_spec("a");
  late.deadline_us = 5;
  story.ensure({late, op_spec("b")});
  story.refresh();
  story.now_us = 5;
  EXPECT_EQ(std::get<Leased>(story.lease().detail).op, "b");
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(story.op("a").view.error, "deadline_or_attempt_budget");
  EXPECT_EQ(story.op("a").view.attempts, 0);
}

TEST(Lease, a_candidate_without_attempts_fails_even_if_nothing_else_is_there) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  story.decide("p");
  story.op("p").view.attempts = 3;
  EXPECT_EQ(story.lease(), Outcome(Word::none));
  EXPECT_EQ(story.status("p"), OpStatus::failed);
  EXPECT_EQ(story.op("p").view.error, "deadline_or_attempt_budget");
}

TEST(Lease, a_candidate_whose_write_is_unknown_is_reconciled_instead_of_failed) {
  Story story;
  OpSpec spec = effect_spec("e", Contract::idempotent);
  spec.deadline_us = 30'000'001;
  story.begin_running(spec);
  story.dispatch("e");
  story.now_us = 30'000'000;
  story.refresh();
  ASSERT_EQ(story.status("e"), OpStatus::ready);
  story.now_us = 30'000'001;
  EXPECT_EQ(story.lease(), Outcome(Word::none));
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.op("e").view.error, "deadline_or_attempt_budget");
}

TEST(Lease, an_error_is_kept_until_the_op_is_done) {
  Story story;
  story.begin_running(op_spec("a"));
  story.fail("a", FailKind::retryable);
  story.now_us = 2'000'000;
  story.lease();
  EXPECT_EQ(story.op("a").view.error, "retryable");
  story.complete("a", 2);
  EXPECT_EQ(story.op("a").view.error, std::nullopt);
}

TEST(Heartbeat, counts_from_now_and_never_from_the_old_expiry) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 10;
  EXPECT_EQ(story.heartbeat("a"), Outcome(Word::extended, Extended{30'000'010}));
  EXPECT_EQ(story.heartbeat("a"), Outcome(Word::extended, Extended{30'000'010}));
  EXPECT_EQ(story.op("a").view.lease->expires_us, 30'000'010);
}

TEST(Heartbeat, may_shorten_a_lease) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_EQ(story.by_worker(Heartbeat{{"A", "a", 0}, 1}, 1), Outcome(Word::extended, Extended{1}));
}

TEST(Heartbeat, is_an_event_even_when_it_extends_nothing) {
  Story story;
  story.begin_running(op_spec("a"));
  const std::int64_t before = story.state.last_seq;
  story.heartbeat("a");
  EXPECT_EQ(story.state.last_seq, before + 1);
}

TEST(Ownership, ends_exactly_at_expiry_for_every_verb) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.now_us = 29'999'999;
  EXPECT_EQ(story.heartbeat("p").word, Word::extended);
  story.now_us = 59'999'999;
  const State before = story.state;
  EXPECT_EQ(story.heartbeat("p").word, Word::lease_lost);
  EXPECT_EQ(story.checkpoint("p", "1").word, Word::lease_lost);
  EXPECT_EQ(story.complete_with_receipt("p").word, Word::lease_lost);
  EXPECT_EQ(story.fail("p", FailKind::permanent).word, Word::lease_lost);
  EXPECT_EQ(story.request_approval("p").word, Word::lease_lost);
  EXPECT_EQ(story.dispatch("p").word, Word::lease_lost);
  EXPECT_EQ(story.state, before);
}

TEST(Ownership, is_proved_by_the_newest_generation_and_by_no_other) {
  Story story;
  story.begin_running(op_spec("a"));
  story.now_us = 30'000'000;
  story.refresh();
  story.lease("A");
  const State before = story.state;
  for (const std::int64_t generation : {0, 1, 3}) {
    EXPECT_EQ(story.heartbeat("a", generation).word, Word::lease_lost);
    EXPECT_EQ(story.checkpoint("a", "1", generation).word, Word::lease_lost);
    EXPECT_EQ(story.complete("a", generation).word, Word::lease_lost);
    EXPECT_EQ(story.fail("a", FailKind::retryable, generation).word, Word::lease_lost);
  }
  EXPECT_EQ(story.state, before);
  EXPECT_EQ(story.complete("a", 2).word, Word::ok);
}

TEST(Checkpoint, the_same_step_again_is_told_apart_by_its_payload) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::ok);
  const State before = story.state;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::ok);
  EXPECT_EQ(story.checkpoint("a", "2").word, Word::checkpoint_conflict);
  EXPECT_EQ(story.state, before);
  EXPECT_EQ(story.op("a").view.checkpoints.at("step"), "1");
}

TEST(Checkpoint, outlives_the_attempt_that_made_it) {
  Story story;
  story.begin_running(op_spec("a"));
  story.checkpoint("a", "1");
  story.now_us = 30'000'000;
  story.refresh();
  story.lease();
  EXPECT_EQ(story.checkpoint("a", "2", 2).word, Word::checkpoint_conflict);
}

TEST(Checkpoint, after_the_deadline_ends_the_op) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.deadline_us = 100;
  story.begin_running(spec);
  story.now_us = 99;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::ok);
  story.now_us = 100;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::deadline_exceeded);
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(story.op("a").view.error, "deadline_exceeded");
  EXPECT_EQ(story.op("a").view.lease, std::nullopt);
}

}  // namespace
}  // namespace leaseproof::model
