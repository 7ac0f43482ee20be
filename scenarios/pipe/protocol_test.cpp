// Checks the lines between harness and program: what is sent is what TRACE 5 says, what was written
// reads back equal, and what cannot be read is told in one line. No program runs here.
#include "scenarios/pipe/protocol.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace leaseproof::scenarios {
namespace {

Json sent(const StepRequest& step) {
  const std::string line = request_line(7, step);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  auto json = parse_json(line);
  EXPECT_TRUE(json) << json.error();
  return json.value_or(Json::object());
}

StepRequest step_of(model::Action action) {
  StepRequest step;
  step.action = std::move(action);
  step.given.now_us = 31'000'000;
  return step;
}

TEST(Protocol, a_lease_is_sent_with_its_defaults_and_without_what_the_harness_expects) {
  model::Lease lease;
  lease.worker = "A";
  lease.expected_op = "a";
  EXPECT_EQ(canonical(sent(step_of(lease))),
            R"({"do":"lease","id":7,"lease_us":30000000,"now_us":31000000,"worker":"A"})");
}

TEST(Protocol, a_worker_call_carries_the_opaque_handle_and_not_our_counting) {
  model::Complete complete;
  complete.by = {"A", "a", 2};
  StepRequest step = step_of(complete);
  step.handle = "proof \"1\"";
  EXPECT_EQ(canonical(sent(step)),
            R"({"do":"complete","handle":"proof \"1\"","id":7,"now_us":31000000,"op":"a",)"
            R"("receipt":null,"result":null,"worker":"A"})");
}

TEST(Protocol, what_the_harness_learned_goes_along) {
  StepRequest reconcile = step_of(model::Reconcile{"a"});
  EXPECT_TRUE(sent(reconcile).at("found").is_null());
  reconcile.given.found = "r";
  EXPECT_EQ(sent(reconcile).at("found"), "r");
  StepRequest page = step_of(model::SnapshotsSince{"reader", 3});
  EXPECT_TRUE(sent(page).at("cursor").is_null());
  page.cursor = R"(["any","thing"])";
  EXPECT_EQ(sent(page).at("cursor").size(), 2U);
}

TEST(Protocol, a_request_reads_back_as_it_was_sent) {
  model::Ensure ensure;
  ensure.workflow = "w";
  ensure.ops.resize(1);
  ensure.ops[0].id = "a";
  ensure.ops[0].effect.emplace();
  ensure.ops[0].effect->contract = model::Contract::opaque;
  StepRequest step = step_of(ensure);
  step.die_at = faults::Place::committed;
  std::string line = request_line(3, step);
  line.pop_back();
  const auto request = read_request(line);
  ASSERT_TRUE(request) << request.error();
  EXPECT_EQ(request->id, 3);
  const auto& read = std::get<StepRequest>(request->what);
  EXPECT_EQ(read.action, model::Action(ensure));
  EXPECT_EQ(read.given, step.given);
  EXPECT_EQ(read.die_at, step.die_at);
}

TEST(Protocol, a_bad_request_is_answered_with_its_id_and_why) {
  const auto error = [](std::string_view line) {
    const auto request = read_request(line);
    EXPECT_FALSE(request) << line;
    return request ? std::string() : request.error();
  };
  EXPECT_NE(error("nonsense").find("no JSON"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "leese"})").find(R"("id":4)"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "refresh"})").find("now_us"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "advance", "by_us": 1, "now_us": 0})").find("never sent"),
            std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "hello", "protocol": "leaseproof-sut/2"})").find("sut/1"),
            std::string::npos);
}

std::string hello_with(const std::string& rest) {
  return R"({"id": 0, "outcome": "ok", "engine": "mylab 1.2", "speaks": ["ensure", "lease"], )" +
         rest + "}";
}

TEST(Protocol, a_hello_tells_what_the_program_can_do) {
  const auto hello = read_hello(hello_with(R"("oracle": "model", "die_at": ["commit"])"), 0);
  ASSERT_TRUE(hello) << hello.error();
  EXPECT_EQ(hello->engine, "mylab 1.2");
  EXPECT_TRUE(hello->speaks.contains("ensure"));
  EXPECT_FALSE(hello->speaks.contains("refresh"));
  EXPECT_FALSE(hello->int64);
  EXPECT_TRUE(hello->die_at.at(static_cast<std::size_t>(faults::Place::commit)));
  EXPECT_FALSE(hello->die_at.at(static_cast<std::size_t>(faults::Place::begin)));
}

TEST(Protocol, rules_that_this_build_cannot_judge_by_are_refused) {
  const auto error = [](const std::string& rest) {
    const auto hello = read_hello(hello_with(rest), 0);
    return hello ? std::string() : hello.error();
  };
  EXPECT_NE(error(R"("oracle": "invariants")").find("not supported"), std::string::npos);
  EXPECT_NE(error(R"("oracle": "model", "recovers": "on_lease")").find("not supported"),
            std::string::npos);
  EXPECT_NE(error(R"("oracle": "modle")").find("did you mean 'model'"), std::string::npos);
  EXPECT_NE(error(R"("oracle": "model", "die_at": ["end"])").find("die_at"), std::string::npos);
}

TEST(Protocol, an_answer_without_its_fields_cannot_be_read) {
  const model::Action refresh = model::Refresh{};
  EXPECT_FALSE(read_reply(R"({"id": 1, "outcome": "ok"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"({"id": 1, "outcome": "okay"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"({"id": 2, "outcome": "busy"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"([1])", 1, refresh));
  const auto busy = read_reply(R"({"id": 1, "outcome": "busy", "why": "locked"})", 1, refresh);
  ASSERT_TRUE(busy) << busy.error();
  EXPECT_EQ(busy->outcome.word, model::Word::busy);
  // The proof of a lease has to come with it.
  EXPECT_FALSE(
      read_reply(R"({"id": 1, "outcome": "leased", "op": "a", "generation": 1, "expires_us": 5})",
                 1, model::Lease{}));
}

TEST(Protocol, an_answer_reads_back_as_it_was_given) {
  properties::Reply reply;
  reply.outcome = {model::Word::leased, model::Leased{"a", 2, 5}};
  reply.handle = "proof";
  std::string line = reply_line(9, reply, model::Lease{});
  line.pop_back();
  const auto read = read_reply(line, 9, model::Lease{});
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->outcome, reply.outcome);
  EXPECT_EQ(read->handle, "proof");

  const auto page =
      read_reply(R"({"id": 1, "outcome": "ok", "workflows": ["w"], "more": true, "cursor": "c7"})",
                 1, model::SnapshotsSince{"r", 1});
  ASSERT_TRUE(page) << page.error();
  EXPECT_EQ(page->cursor, "\"c7\"");
  EXPECT_EQ(page->outcome, model::Outcome(model::Word::ok, model::Page{{"w"}, true}));
}

TEST(Protocol, what_an_observation_does_not_show_is_not_taken_for_absent) {
  const auto seen = read_seen(
      R"({"id": 1, "outcome": "ok", "ops": {"a": {"status": "running", "error": null}}})", 1);
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_TRUE(seen->unseen.workflows);
  EXPECT_FALSE(seen->unseen.ops);
  const auto& missing = seen->unseen.op_fields.at("a");
  EXPECT_TRUE(missing.test(static_cast<std::size_t>(properties::OpField::lease)));
  EXPECT_FALSE(missing.test(static_cast<std::size_t>(properties::OpField::error)));
  EXPECT_FALSE(missing.test(static_cast<std::size_t>(properties::OpField::status)));
  EXPECT_FALSE(read_seen(R"({"id": 1, "outcome": "ok", "ops": {"a": {"state": "running"}}})", 1));
}

TEST(Protocol, an_integer_of_which_a_double_is_not_sure_is_not_for_every_program) {
  model::Heartbeat heartbeat{{"A", "a", 0}, 1'000};
  EXPECT_TRUE(fits_a_double(heartbeat));
  heartbeat.lease_us = most_in_a_double;
  EXPECT_FALSE(fits_a_double(heartbeat)) << "the sum with a moment would not fit";
  EXPECT_FALSE(fits_a_double(model::Advance{INT64_MIN}));
}

}  // namespace
}  // namespace leaseproof::scenarios
