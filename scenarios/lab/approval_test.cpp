// Checks what a reviewer and an operator can bring about in the lab, with real processes on real
// files: approval, rejection, reconciliation, closing, cancellation. Who an actor is, a local
// fixture says; that is not checked here, and is no login.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "scenarios/lab/lab_fixture_test.hpp"

namespace leaseproof::scenarios::lab {
namespace {

using Review = Lab;

// Experiment D.
TEST_F(Review, a_draft_waits_for_its_reviewer_and_is_published_by_the_next_run) {
  waiting_job();
  const Json waiting = inspected();
  EXPECT_TRUE(waiting.at("steps").at("verify").is_object());
  EXPECT_TRUE(waiting.at("steps").at("publish").is_null());
  EXPECT_TRUE(waiting.at("lease").is_null());
  const Json& approval = waiting.at("approval");
  EXPECT_EQ(approval.at("envelope").at("action"), "report.publish/v1");
  EXPECT_EQ(approval.at("envelope").at("target"), "local-report-store");
  EXPECT_EQ(approval.at("payload").at("summary"), waiting.at("steps").at("draft").at("summary"));
  EXPECT_EQ(told("run").at("claimed"), false);

  expect_exit(0, "approve --hash " + hash());
  EXPECT_EQ(inspected().at("attempts"), 1) << "waiting takes no claim";
  expect_exit(0, "run");
  const Json job = inspected();
  EXPECT_EQ(job.at("status"), "succeeded");
  EXPECT_EQ(job.at("attempts"), 2);
  EXPECT_EQ(job.at("approval").at("status"), "spent");
  EXPECT_EQ(job.at("approval").at("decided_by"), "reviewer");
  EXPECT_EQ(job.at("receipts")[0].at("payload"), approval.at("payload"));
  expect_accepted();
}

TEST_F(Review, only_the_hash_that_was_shown_and_another_actor_than_the_requester_decide) {
  waiting_job();
  expect_one_line("lab approve --hash " + std::string(64, '0'), 2, "wrong_hash");
  expect_one_line("lab approve --actor researcher --hash " + hash(), 2, "forbidden");
  EXPECT_EQ(status(), "waiting_approval");
  expect_exit(0, "approve --hash " + hash());
  expect_one_line("lab reject --hash " + hash(), 2, "already_decided");
}

TEST_F(Review, a_rejection_ends_the_job_for_good) {
  waiting_job();
  expect_exit(0, "reject --hash " + hash());
  expect_one_line("lab approve --hash " + hash(), 2, "already_decided");
  expect_exit(1, "run");
  const Json job = inspected();
  EXPECT_EQ(job.at("error"), "approval_rejected");
  EXPECT_EQ(job.at("receipts").size(), 0U);
}

TEST_F(Review, a_request_that_nobody_decided_in_time_ends_the_job) {
  expect_exit(0, "submit --approval");
  expect_exit(0, "run --approval-seconds 0.000001");
  expect_one_line("lab approve --hash " + hash(), 2, "expired");
  expect_exit(1, "run");
  EXPECT_EQ(inspected().at("error"), "approval_expired");
}

TEST_F(Review, who_decides_too_late_is_not_sent_to_decide_again) {
  expect_exit(0, "submit --approval");
  expect_exit(0, "run --approval-seconds 0.000001");
  const cli::Ended late = lab("approve --hash " + hash());
  EXPECT_NE(late.err.find("submit another job"), std::string::npos) << late.err;
  EXPECT_EQ(late.err.find("lab approve"), std::string::npos) << late.err;
}

// Experiment E: the report exists, and its worker is dead.
TEST_F(Review, a_written_report_whose_worker_died_is_confirmed_without_a_fresh_write) {
  waiting_job();
  expect_exit(0, "approve --hash " + hash());
  expect_exit(75, "run --lease-seconds 1.5 --fault after_effect");
  expect_one_line("lab reconcile", 2, "not_reconciling");
  repeat_until(0, "reconcile");
  const Json job = inspected();
  EXPECT_EQ(job.at("status"), "effect_confirmed");
  EXPECT_EQ(job.at("steps").at("publish").at("fresh_write_performed"), false);
  EXPECT_EQ(job.at("steps").at("publish").at("receipt"), job.at("receipts")[0].at("receipt"));
  EXPECT_EQ(job.at("receipts").size(), 1U);
  EXPECT_EQ(told("run").at("claimed"), false);
  expect_accepted();
}

// Experiment E, the other side: only the injector knows that nothing was sent.
TEST_F(Review, a_dispatch_without_a_receipt_stays_unknown_until_a_person_closes_it) {
  waiting_job();
  expect_exit(0, "approve --hash " + hash());
  expect_exit(75, "run --lease-seconds 2 --fault before_effect");
  expect_exit(0, "cancel");
  expect_one_line("lab close --did-not-happen --evidence 'ticket 7'", 2, "permit_open");
  expect_exit(4, "reconcile");
  EXPECT_EQ(told("reconcile").at("answer").at("outcome"), "unknown");
  EXPECT_EQ(told("run").at("claimed"), false);
  EXPECT_EQ(status(), "reconciling");
  EXPECT_EQ(inspected().at("receipts").size(), 0U);

  expect_one_line("lab close --evidence e", 2, "--happened");
  expect_one_line("lab close --did-not-happen --evidence ''", 2, "evidence_required");
  repeat_until(0, "close --did-not-happen --evidence 'ticket 7'");
  EXPECT_EQ(status(), "canceled");
  expect_one_line("lab close --happened --evidence e", 2, "not_reconciling");
}

TEST_F(Review, nobody_needs_a_worker_to_see_that_a_dead_ones_dispatch_is_unknown) {
  waiting_job();
  expect_exit(0, "approve --hash " + hash());
  expect_exit(75, "run --lease-seconds 0.8 --fault before_effect");
  repeat_until(4, "reconcile");
  EXPECT_EQ(status(), "reconciling");
}

TEST_F(Review, a_cancellation_before_the_dispatch_ends_the_job_without_a_report) {
  expect_exit(0, "submit");
  expect_exit(75, "run --fault after_verify");
  const cli::Ended canceled = lab("cancel");
  EXPECT_EQ(canceled.exit, 0) << canceled.err;
  EXPECT_NE(canceled.out.find("nothing was published"), std::string::npos) << canceled.out;
  EXPECT_EQ(status(), "canceled");
  EXPECT_EQ(told("run").at("claimed"), false);
  EXPECT_EQ(inspected().at("receipts").size(), 0U);
  expect_one_line("lab cancel", 2, "already_settled");
}

TEST_F(Review, a_cancellation_after_the_dispatch_takes_nothing_back_and_says_so) {
  expect_exit(0, "submit");
  expect_exit(75, "run --fault after_effect");
  const cli::Ended canceled = lab("cancel");
  EXPECT_NE(canceled.out.find("nothing was rolled back"), std::string::npos) << canceled.out;
  EXPECT_EQ(status(), "reconciling");
  expect_exit(0, "reconcile");
  EXPECT_EQ(status(), "effect_confirmed");
  EXPECT_EQ(inspected().at("receipts").size(), 1U);
}

TEST_F(Review, a_second_cancellation_does_not_say_that_nothing_was_published) {
  expect_exit(0, "submit");
  expect_exit(75, "run --fault before_effect");
  for (int i = 0; i < 2; ++i) {
    const cli::Ended canceled = lab("cancel");
    EXPECT_EQ(canceled.exit, 0) << canceled.err;
    EXPECT_NE(canceled.out.find("nothing was rolled back"), std::string::npos) << canceled.out;
  }
  EXPECT_EQ(status(), "reconciling");
}

TEST_F(Review, a_cancellation_of_what_the_last_claim_left_unknown_says_so) {
  expect_exit(0, "submit");
  for (const char* fault : {"after_claim", "after_claim", "after_effect"}) {
    repeat_until(75, std::string("run --lease-seconds 0.4 --fault ") + fault);
  }
  run_until("reconciling");
  const cli::Ended canceled = lab("cancel");
  EXPECT_EQ(canceled.exit, 0) << canceled.err;
  EXPECT_NE(canceled.out.find("nothing was rolled back"), std::string::npos) << canceled.out;
  EXPECT_EQ(inspected().at("receipts").size(), 1U);
}

TEST_F(Review, a_report_of_an_earlier_database_is_not_reconciled_with_a_job_that_sent_none) {
  expect_exit(0, "submit");
  expect_exit(0, "run");
  for (const char* name : {"lab.sqlite", "lab.sqlite-wal", "lab.sqlite-shm"}) {
    std::filesystem::remove(path(name));
  }
  expect_exit(0, "submit");
  EXPECT_EQ(inspected().at("receipts").size(), 1U);
  expect_one_line("lab reconcile", 2, "not_reconciling");
}

TEST_F(Review, what_was_not_asked_for_cannot_be_decided) {
  expect_exit(0, "submit");
  expect_one_line("lab approve --hash " + std::string(64, '0'), 2, "has not asked");
  expect_one_line("lab reconcile", 2, "not_reconciling");
  expect_one_line("lab close --happened --evidence e", 2, "not_reconciling");
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
