// Checks the failure experiments of the research workflow: real processes that leave at a point
// without a goodbye, on real files, and what each later command then tells. Rules of the engine
// itself are checked in engine/ and properties/; models over HTTP in http_job_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/lab/fault.hpp"
#include "scenarios/lab/lab_fixture_test.hpp"

namespace leaseproof::scenarios::lab {
namespace {

using Experiment = Lab;

constexpr const char* brief = " --lease-seconds 0.8";

TEST_F(Experiment, the_normal_path_is_accepted_and_scores_no_meaning) {
  expect_exit(0, "memory-put");
  expect_exit(0, "submit");
  const Json ran = told("run");
  EXPECT_EQ(ran.at("status"), "succeeded");
  EXPECT_EQ(ran.at("steps_committed"), Json({"collect", "draft", "verify", "publish"}));
  const Json job = inspected();
  EXPECT_EQ(job.at("attempts"), 1);
  EXPECT_EQ(job.at("receipts").size(), 1U);
  const Json verdict = told("evaluate");
  EXPECT_EQ(verdict.at("passed"), true);
  EXPECT_EQ(verdict.at("semantic_support"), "not_scored");
  EXPECT_EQ(verdict.at("model_quality"), "not_scored");
}

// Experiment A.
TEST_F(Experiment, a_process_that_leaves_after_collect_is_resumed_there_when_its_lease_is_over) {
  expect_exit(0, "submit");
  expect_exit(75, "run --lease-seconds 2 --fault after_collect");
  const Json crashed = inspected();
  EXPECT_EQ(crashed.at("status"), "running");
  EXPECT_TRUE(crashed.at("steps").at("collect").is_object());
  EXPECT_TRUE(crashed.at("steps").at("draft").is_null());
  const Json early = told("run");
  EXPECT_EQ(early.at("claimed"), false);
  EXPECT_EQ(early.at("status"), "running");
  EXPECT_EQ(early.at("lease"), crashed.at("lease"));
  run_until("succeeded");
  const Json job = inspected();
  EXPECT_EQ(job.at("attempts"), 2);
  EXPECT_EQ(job.at("steps").at("collect"), crashed.at("steps").at("collect"));
  expect_accepted();
}

// Experiment B.
TEST_F(Experiment, a_report_that_was_written_before_the_crash_is_not_written_again) {
  expect_exit(0, "submit");
  expect_exit(75, std::string("run --fault after_effect") + brief);
  const Json crashed = inspected();
  EXPECT_TRUE(crashed.at("steps").at("verify").is_object());
  EXPECT_TRUE(crashed.at("steps").at("publish").is_null());
  EXPECT_EQ(crashed.at("receipts").size(), 1U);
  run_until("succeeded");
  const Json job = inspected();
  EXPECT_EQ(job.at("receipts"), crashed.at("receipts"));
  EXPECT_EQ(job.at("steps").at("publish").at("deduplicated"), true);
  EXPECT_EQ(job.at("steps").at("publish").at("receipt"), job.at("receipts")[0].at("receipt"));
  expect_accepted();
}

TEST_F(Experiment, a_report_that_never_left_is_sent_by_the_next_claim) {
  expect_exit(0, "submit");
  expect_exit(75, std::string("run --fault before_effect") + brief);
  EXPECT_EQ(inspected().at("receipts").size(), 0U);
  run_until("succeeded");
  EXPECT_EQ(inspected().at("steps").at("publish").at("deduplicated"), false);
  expect_accepted();
}

TEST_F(Experiment, a_job_survives_a_crash_at_each_point) {
  for (const std::string_view word : model::Words<Fault>::all) {
    if (word == "after_request") continue;
    const std::string job = fmt::format(" --job {}", word);
    expect_exit(0, "submit" + job);
    expect_exit(75, fmt::format("run --lease-seconds 0.6 --fault {}{}", word, job));
    run_until("succeeded", job);
    EXPECT_EQ(lab("evaluate" + job).exit, 0) << word;
    EXPECT_EQ(told("inspect" + job).at("receipts").size(), 1U) << word;
  }
}

TEST_F(Experiment, a_crash_after_the_request_for_approval_leaves_the_request) {
  expect_exit(0, "submit --approval");
  expect_exit(75, "run --fault after_request");
  EXPECT_EQ(status(), "waiting_approval");
}

TEST_F(Experiment, a_third_claim_is_the_last) {
  expect_exit(0, "submit");
  for (int claim = 1; claim <= 3; ++claim) {
    repeat_until(75, "run --lease-seconds 0.4 --fault after_claim");
    EXPECT_EQ(inspected().at("attempts"), claim);
  }
  repeat_until(1, "run");
  const Json job = inspected();
  EXPECT_EQ(job.at("status"), "failed");
  EXPECT_EQ(job.at("error"), "deadline_or_attempt_budget");
  EXPECT_EQ(job.at("attempts"), 3);
  expect_exit(1, "evaluate");
}

TEST_F(Experiment, a_fault_that_is_not_reached_is_said_to_be_so) {
  expect_exit(0, "submit");
  const cli::Ended ran = lab("run --fault after_request");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.err.find("after_request was not reached"), std::string::npos) << ran.err;
}

TEST_F(Experiment, nothing_starts_after_the_deadline) {
  expect_exit(0, "submit --deadline-seconds 0.000001");
  expect_exit(1, "run");
  EXPECT_EQ(inspected().at("error"), "deadline_or_attempt_budget");
  EXPECT_EQ(inspected().at("attempts"), 0);
}

TEST_F(Experiment, what_a_time_out_left_unknown_is_sent_again_under_the_same_key) {
  expect_exit(0, "submit");
  service()->tell(model::ServiceMode::timeout_after);
  const Json ran = told("run");
  EXPECT_EQ(ran.at("status"), "ready");
  EXPECT_EQ(ran.at("error"), "publish_timeout");
  run_until("succeeded");
  EXPECT_EQ(inspected().at("steps").at("publish").at("deduplicated"), true);
  expect_accepted();
}

TEST_F(Experiment, a_job_is_pinned_to_its_memory_and_ends_when_that_is_revoked) {
  expect_exit(0, "memory-put --text 'the first'");
  expect_exit(0, "submit");
  expect_exit(0, "memory-put --text 'the second'");
  expect_exit(75, std::string("run --fault after_draft") + brief);
  const Json job = inspected();
  EXPECT_EQ(job.at("memory"), "the first");
  EXPECT_NE(job.at("steps").at("draft").at("summary").get<std::string>().find("the first"),
            std::string::npos);
  EXPECT_EQ(engine()->revoke_context({"team"}).word, model::Word::ok);
  run_until("failed");
  EXPECT_EQ(inspected().at("error"), "context_invalid");
  EXPECT_EQ(inspected().at("receipts").size(), 0U);
}

TEST_F(Experiment, a_memory_that_is_over_stops_the_job) {
  expect_exit(0, "memory-put --ttl-seconds 0.000001");
  expect_exit(0, "submit");
  expect_exit(1, "run");
  EXPECT_EQ(inspected().at("error"), "context_invalid");
}

TEST_F(Experiment, another_input_under_the_same_id_is_refused_and_changes_nothing) {
  expect_exit(0, "submit --approval");
  const Json before = inspected();
  expect_exit(0, "submit --approval --deadline-seconds 5");
  write("sources.json", R"([{"id": "S1", "title": "t", "text": "one. two."}])");
  for (const char* other :
       {"submit", "submit --approval --scope other", "submit --approval --sources sources.json",
        "submit --approval --provider api --model m --endpoint https://example.com/v1"}) {
    expect_one_line(std::string("lab ") + other, 2, "identity_conflict");
  }
  EXPECT_EQ(inspected(), before);
  expect_exit(0, "submit --job another --sources sources.json");
  expect_exit(0, "run --job another");
  EXPECT_EQ(told("inspect --job another").at("steps").at("draft").at("summary"), "one. [S1]");
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
