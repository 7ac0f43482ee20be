// Checks that what is read beside the observation is the same on either side of the pipe.
#include "scenarios/pipe/readings_codec.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/pipe/protocol.hpp"

namespace leaseproof::scenarios {
namespace {

TEST(ReadingsCodec, readings_read_back_as_they_were_written) {
  properties::Readings readings;
  readings.waiting_approval = 1;
  readings.reconciling = 2;
  readings.work["a"] = {.workflow = "w",
                        .kind = "task",
                        .input = R"({"n":1})",
                        .max_attempts = 3,
                        .deadline_us = 7,
                        .context = "null",
                        .dispatched_hash = {},
                        .status = model::OpStatus::waiting_approval,
                        .generation = 2,
                        .attempts = 1,
                        .checkpoints = {{"page", "null"}, {"word", R"(["x"])"}}};
  readings.work["b"].workflow = "w";
  readings.work["b"].input = "null";
  readings.work["b"].dispatched_hash = "abc";
  readings.expiry_us = 12;
  readings.due_queues[{"paris", "slow"}] = 13;
  readings.requests.push_back(
      {"a", 1, model::ApprovalStatus::approved, "h", R"("draft")", "paul", 9, "olga", 8});
  readings.requests.push_back({"a", 2, model::ApprovalStatus::pending, "i", "[]", "", 9, {}, {}});
  readings.unknown.push_back({"b", "key", model::Contract::queryable});
  readings.cursors[INT64_MAX] = 5;
  readings.cursors[0] = 2;
  std::string line = readings_line(4, readings);
  line.pop_back();
  const auto read = read_readings(line, 4);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(properties::first_difference(readings, *read), "");
  EXPECT_EQ(read->work, readings.work);
  EXPECT_EQ(read->cursors, readings.cursors);
  EXPECT_EQ(read->expiry_us, readings.expiry_us);
  EXPECT_EQ(read->due_queues, readings.due_queues);
  const auto request = read_request(request_line(1, asked_for(readings, 100)));
  ASSERT_TRUE(request) << request.error();
  const auto& asked = std::get<ReadingsRequest>(request->what);
  EXPECT_EQ(asked.ops, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(asked.since_us, std::vector<std::int64_t>{0}) << "the other is past a double";
  EXPECT_FALSE(read_readings(R"({"id": 4, "outcome": "ok", "waiting_approval": 0})", 4));
}

}  // namespace
}  // namespace leaseproof::scenarios
