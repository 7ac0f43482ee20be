// Checks that each mechanical check of an evaluation can fail, on documents made bad on purpose.
// Meaning and quality are scored nowhere.
#include "scenarios/lab/evaluation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "engine/values/digest.hpp"

namespace leaseproof::scenarios::lab {
namespace {

Json good_job() {
  const std::string hash = engine::sha256_hex("report");
  return {
      {"job", "j"},
      {"workflow", "report-approved/v1"},
      {"status", "succeeded"},
      {"sources", {{{"id", "S1"}, {"text", "one"}, {"sha256", engine::sha256_hex("one")}}}},
      {"steps",
       {{"collect", Json::object()},
        {"draft", {{"summary", "s"}, {"citations", {"S1"}}}},
        {"verify", Json::object()},
        {"publish", {{"receipt", "r"}, {"deduplicated", false}}}}},
      {"effect", {{"status", "confirmed"}, {"key", "k"}, {"payload_hash", hash}, {"receipt", "r"}}},
      {"approval",
       {{"status", "spent"}, {"payload_hash", hash}, {"envelope", {{"payload_hash", hash}}}}},
      {"receipts", {{{"key", "k"}, {"payload_hash", hash}, {"receipt", "r"}}}}};
}

// The names of the checks that fail once the job is changed so.
std::string failing(const std::function<void(Json&)>& change) {
  Json job = good_job();
  change(job);
  const Json verdict = evaluated(job);
  std::string names;
  for (const Json& check : verdict.at("checks")) {
    if (!check.at("passed").get<bool>()) names += check.at("name").get<std::string>() + " ";
  }
  EXPECT_EQ(verdict.at("passed"), names.empty());
  EXPECT_EQ(verdict.at("semantic_support"), "not_scored");
  EXPECT_EQ(verdict.at("model_quality"), "not_scored");
  return names;
}

TEST(Evaluation, a_good_job_passes) {
  EXPECT_EQ(failing([](Json&) {}), "");
  EXPECT_EQ(failing([](Json& job) { job["status"] = "effect_confirmed"; }), "");
  EXPECT_EQ(failing([](Json& job) {
              job["workflow"] = "report/v1";
              job["approval"] = nullptr;
            }),
            "");
}

TEST(Evaluation, each_check_can_fail) {
  EXPECT_EQ(failing([](Json& job) { job["status"] = "running"; }), "job_is_done ");
  EXPECT_EQ(failing([](Json& job) { job["steps"]["collect"] = nullptr; }),
            "four_steps_are_committed ");
  EXPECT_EQ(failing([](Json& job) { job["sources"][0]["text"] = "two"; }),
            "sources_are_unchanged ");
  EXPECT_EQ(failing([](Json& job) { job["steps"]["draft"]["citations"] = {"S2"}; }),
            "citations_are_known ");
  EXPECT_EQ(failing([](Json& job) { job["effect"]["key"] = "other"; }), "exactly_one_write ");
  EXPECT_EQ(failing([](Json& job) { job["receipts"].push_back(job["receipts"][0]); }),
            "exactly_one_write written_as_dispatched receipt_is_recorded ");
  EXPECT_EQ(failing([](Json& job) { job["receipts"] = Json::array(); }),
            "exactly_one_write written_as_dispatched receipt_is_recorded ");
  EXPECT_EQ(failing([](Json& job) { job["receipts"][0]["payload_hash"] = "other"; }),
            "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["effect"]["payload_hash"] = "other"; }),
            "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["approval"]["payload_hash"] = "other"; }),
            "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["approval"]["envelope"]["payload_hash"] = "other"; }),
            "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["approval"]["status"] = "approved"; }),
            "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["approval"] = nullptr; }), "written_as_dispatched ");
  EXPECT_EQ(failing([](Json& job) { job["effect"]["receipt"] = "other"; }), "receipt_is_recorded ");
  EXPECT_EQ(failing([](Json& job) { job["steps"]["publish"].erase("receipt"); }),
            "receipt_is_recorded ");
}

TEST(Evaluation, a_job_that_has_only_begun_is_judged_without_a_stumble) {
  EXPECT_EQ(failing([](Json& job) {
              for (Json& step : job["steps"]) step = nullptr;
              job["receipts"] = Json::array();
              job["status"] = "ready";
            }),
            "job_is_done four_steps_are_committed citations_are_known exactly_one_write "
            "written_as_dispatched receipt_is_recorded ");
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
