// Checks `expect` and `finally`: containment, exact lists, null for absent, and the sentence that
// names the difference. How they are read from a file is checked in codec_test.cpp.
#include "scenarios/expectation.hpp"

#include <gtest/gtest.h>

#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {
namespace {

using model::Outcome;
using model::Word;

properties::Step expecting(const std::string& expect) {
  properties::Step step;
  step.action = model::Refresh{};
  step.expect = expect;
  return step;
}

model::Observation state() {
  model::Observation observation;
  model::WorkflowView& workflow = observation.workflows["w"];
  workflow.status = model::WorkflowStatus::failed;
  workflow.counts[static_cast<std::size_t>(model::OpStatus::blocked)] = 1;
  model::OpView& op = observation.ops["a"];
  op.workflow = "w";
  op.status = model::OpStatus::blocked;
  op.generation = 2;
  op.result = R"({"list":[1,2],"n":123456789012345678901234567890})";
  op.checkpoints["s"] = "null";
  op.effect = model::EffectView{};
  observation.ops["b"].lease = model::LeaseView{"A", 1, 30};
  observation.writes["k"] = 2;
  observation.events = 7;
  return observation;
}

std::string difference_of(const std::string& expected, const Json& observed) {
  return difference(embedded(expected), observed);
}

TEST(Expectation, an_empty_expectation_holds) {
  EXPECT_EQ(check_expect(expecting(""), Outcome(Word::busy)), "");
  EXPECT_EQ(check_finally("", state()), "");
}

TEST(Expectation, a_word_is_the_outcome) {
  EXPECT_EQ(check_expect(expecting("\"ok\""), Outcome(Word::ok)), "");
  EXPECT_EQ(check_expect(expecting("\"ok\""), Outcome::invalid("no such op")),
            "expected 'ok', the engine answered 'invalid' (no such op)");
}

TEST(Expectation, an_object_is_contained_in_the_answer) {
  const Outcome answer(Word::ok, model::Refreshed{1, 0, 2, 0, 0});
  EXPECT_EQ(check_expect(expecting(R"({"recovered":1,"blocked":2})"), answer), "");
  EXPECT_EQ(check_expect(expecting(R"({"blocked":3})"), answer),
            "in the answer 'ok', blocked: expected 3, observed 2");
  EXPECT_EQ(check_expect(expecting(R"({"op":"a"})"), answer),
            "in the answer 'ok', op: expected \"a\", observed nothing");
}

TEST(Expectation, counts_may_be_one_object_or_a_field_each) {
  model::StatusCounts counts;
  counts.counts[static_cast<std::size_t>(model::OpStatus::ready)] = 2;
  const Outcome answer(Word::ok, counts);
  EXPECT_EQ(check_expect(expecting(R"({"counts":{"ready":2,"failed":0}})"), answer), "");
  EXPECT_EQ(check_expect(expecting(R"({"ready":2,"failed":0})"), answer), "");
  EXPECT_NE(check_expect(expecting(R"({"ready":1})"), answer), "");
}

TEST(Expectation, a_list_is_exact_and_null_means_absent) {
  const Json observed{{"list", {1, 2}}, {"gone", nullptr}, {"here", 0}};
  EXPECT_EQ(difference_of(R"({"list":[1,2],"gone":null,"never":null})", observed), "");
  EXPECT_EQ(difference_of(R"({"list":[1]})", observed), "list: expected [1], observed [1,2]");
  EXPECT_EQ(difference_of(R"({"here":null})", observed), "here: expected nothing, observed 0");
  EXPECT_EQ(difference_of(R"({"never":{}})", observed), "never: expected {}, observed nothing");
}

TEST(Expectation, the_observed_state_can_be_expected_in_part) {
  const Outcome answer(Word::ok, state());
  properties::Step step =
      expecting(R"({"ops":{"a":{"status":"blocked","lease":null,"next_attempt_us":null},)"
                R"("b":{"lease":{"owner":"A"}},"zz":null},
          "workflows":{"w":{"counts":{"blocked":1}}},"service":{"writes":{"k":2}},
          "events":{"count":7}})");
  step.action = model::Observe{};
  EXPECT_EQ(check_expect(step, answer), "");
  step.expect = R"({"ops":{"b":{"lease":null}}})";
  EXPECT_EQ(check_expect(step, answer),
            "in the answer 'ok', ops.b.lease: expected nothing, observed "
            "{\"expires_us\":30,\"generation\":1,\"owner\":\"A\"}");
}

TEST(Expectation, finally_names_each_field_of_trace_4) {
  EXPECT_EQ(check_finally(R"({"status":{"a":"blocked","zz":null},"generation":{"a":2},)"
                          R"("attempts":{"a":0},"error":{"a":null},
       "result":{"a":{"list":[1,2],"n":123456789012345678901234567890},"b":null},
       "artifacts":{"a":{}},"checkpoints":{"a":{"s":null}},
       "approval":{"a":null},"effect":{"a":"none","b":null},"workflow":{"w":"failed"},
       "counts":{"w":{"blocked":1}},
       "writes":2,"events":7,"blocked_left":true})",
                          state()),
            "");
  EXPECT_EQ(check_finally(R"({"status":{"a":"ready"}})", state()),
            "after the last step, status.a: expected \"ready\", observed \"blocked\"");
  EXPECT_EQ(check_finally(R"({"effect":{"a":{"status":"refused"}}})", state()),
            "after the last step, effect.a.status: expected \"refused\", observed \"none\"");
  EXPECT_NE(check_finally(R"({"result":{"a":{"n":123456789012345678901234567891}}})", state()), "");
  EXPECT_NE(check_finally(R"({"blocked_left":false})", state()), "");
  EXPECT_NE(check_finally(R"({"writes":1})", state()), "");
}

TEST(Reply, only_the_parts_that_differ_are_shown) {
  const Json before{{"a", {{"x", 1}, {"y", 2}}}, {"b", 1}, {"c", {1}}};
  const Json after{{"a", {{"x", 1}, {"y", 3}}}, {"c", {1, 2}}, {"d", 4}};
  const auto [was, is] = differing(before, after);
  EXPECT_EQ(canonical(was), R"({"a":{"y":2},"b":1,"c":[1],"d":null})");
  EXPECT_EQ(canonical(is), R"({"a":{"y":3},"b":null,"c":[1,2],"d":4})");
}

}  // namespace
}  // namespace leaseproof::scenarios
