// Checks that the call in the first event of a call is read back, and that what is no such detail
// is refused. That an engine's whole journal replays is judged by invariant I11 in every run.
#include "scenarios/journal_codec.hpp"

#include <gtest/gtest.h>

namespace leaseproof::scenarios {
namespace {

std::optional<properties::DecodedCall> decode(const std::string& detail) {
  properties::JournalEvent event;
  event.detail = detail;
  const auto decoded = decode_journal(event);
  return decoded ? decoded->call : std::nullopt;
}

TEST(Journal, a_worker_call_is_read_without_its_workers_name) {
  const auto call =
      decode(R"({"action":{"do":"complete","op":"a","result":{"n":1},"token":"00ff","now_us":5,)"
             R"("outcome":{"outcome":"ok"}},"from":"running","to":"succeeded"})");
  ASSERT_TRUE(call);
  const auto& complete = std::get<model::Complete>(call->action);
  EXPECT_EQ(complete.by.op, "a");
  EXPECT_EQ(complete.result, R"({"n":1})");
  EXPECT_EQ(call->token, "00ff");
  EXPECT_EQ(call->given.now_us, 5);
  EXPECT_EQ(call->outcome, model::Outcome(model::Word::ok));
}

TEST(Journal, a_receipt_and_what_a_query_found_are_read_where_they_belong) {
  const std::string end = R"(,"now_us":5,"outcome":{"outcome":"ok"}}})";
  const std::string complete = R"({"action":{"do":"complete","op":"a","result":1,"token":"t")";
  const std::string reconcile = R"({"action":{"do":"reconcile","op":"a")";
  const auto completed = decode(complete + R"(,"receipt":"r")" + end);
  ASSERT_TRUE(completed);
  EXPECT_EQ(completed->given.receipt, "r");
  EXPECT_FALSE(completed->given.found);
  const auto found = decode(reconcile + R"(,"found":"r")" + end);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->given.found, "r");
  EXPECT_FALSE(decode(complete + end)->given.receipt);
  EXPECT_FALSE(decode(reconcile + end)->given.found);
  EXPECT_FALSE(decode(complete + R"(,"found":"r")" + end));
  EXPECT_FALSE(decode(reconcile + R"(,"receipt":"r")" + end));
}

TEST(Journal, the_fields_of_an_outcome_tell_its_detail) {
  const auto outcome = [](const std::string& action, const std::string& fields) {
    const auto call =
        decode(R"({"action":{)" + action + R"(,"now_us":5,"outcome":{)" + fields + "}}}");
    return call ? call->outcome : model::Outcome::invalid("not read");
  };
  EXPECT_EQ(outcome(R"("do":"lease","worker":"A","lease_us":3,"token":"t")",
                    R"("outcome":"leased","op":"a","generation":2,"expires_us":8)"),
            model::Outcome(model::Word::leased, model::Leased{"a", 2, 8}));
  EXPECT_EQ(outcome(R"("do":"refresh")",
                    R"("outcome":"ok","recovered":1,"expired":2,"blocked":3,"unblocked":4,)"
                    R"("readied":5)"),
            model::Outcome(model::Word::ok, model::Refreshed{1, 2, 3, 4, 5}));
  EXPECT_EQ(outcome(R"("do":"heartbeat","op":"a","lease_us":3,"token":"t")",
                    R"("outcome":"extended","expires_us":8)"),
            model::Outcome(model::Word::extended, model::Extended{8}));
  EXPECT_EQ(outcome(R"("do":"fail","op":"a","kind":"retryable","token":"t")",
                    R"("outcome":"retry_scheduled","next_attempt_us":8)"),
            model::Outcome(model::Word::retry_scheduled, model::RetryScheduled{8}));
  EXPECT_EQ(outcome(R"("do":"retry","op":"a")", R"("outcome":"ok","reopened":2)"),
            model::Outcome(model::Word::ok, model::Reopened{2}));
  EXPECT_EQ(
      outcome(R"("do":"cancel","workflow":"w")", R"("outcome":"ok","canceled":2,"reconciling":0)"),
      model::Outcome(model::Word::ok, model::CancelCounts{2, 0}));
  EXPECT_EQ(outcome(R"("do":"start","ops":[])", R"("outcome":"created","workflow":"w")"),
            model::Outcome(model::Word::created, model::Identified{"w"}));
}

TEST(Journal, what_tells_no_call_is_refused) {
  for (const char* detail :
       {"", "null", "{}", R"({"action":1})", R"({"action":{"do":"refresh"}})",
        R"({"action":{"do":"refresh","now_us":1,"outcome":{"outcome":"ok"},"more":1}})",
        R"({"action":{"do":"refresh","now_us":1,"outcome":{"outcome":"fine"}}})"}) {
    EXPECT_FALSE(decode(detail)) << detail;
  }
}

}  // namespace
}  // namespace leaseproof::scenarios
