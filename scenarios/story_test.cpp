// Checks how a run is told to a person: times, steps, answers, what can be observed and what
// changed. How they are set in lanes is checked in lanes_test.cpp.
#include "scenarios/story.hpp"

#include <gtest/gtest.h>

#include "properties/story.hpp"

namespace leaseproof::scenarios {
namespace {

using Phrases = std::vector<std::string>;

TEST(Story, a_time_is_told_in_the_unit_that_fits_and_is_never_rounded) {
  EXPECT_EQ(told_time(0), "0 s");
  EXPECT_EQ(told_time(30'000'000), "30 s");
  EXPECT_EQ(told_time(1'500'000), "1.5 s");
  EXPECT_EQ(told_time(29'999'999), "29.999999 s");
  EXPECT_EQ(told_time(12'000), "12 ms");
  EXPECT_EQ(told_time(-7), "-7 µs");
  EXPECT_EQ(told_time(INT64_MIN), "-9223372036854.775808 s");
}

TEST(Story, a_step_is_told_in_the_words_of_the_trace) {
  properties::Step step;
  model::Complete complete;
  complete.by = {"A", "a", 1};
  complete.result = R"({"n":1})";
  complete.emit.resize(2);
  complete.emit[0].id = "c";
  complete.emit[0].max_attempts = 1;
  complete.emit[0].deadline_us = 5'000'000;
  complete.emit[1].id = "d";
  complete.emit[1].needs = {{"c", true}, {"b", false}};
  step.action = complete;
  step.skew_us = -5;
  EXPECT_EQ(
      told(step),
      R"(complete A a emit=[c deadline=5 s max_attempts=1, d(c, b?)] handle=1 result={"n":1} skew=-5 µs)");
  EXPECT_EQ(told(properties::story::advance(31'000'000)), "advance 31 s");
}

TEST(Story, what_the_config_says_already_is_not_told_again) {
  properties::Config config;
  config.lease_us = 100;
  EXPECT_EQ(told(properties::story::lease("A", 100), config), "lease A");
  EXPECT_EQ(told(properties::story::lease("A", 100)), "lease A lease=100 µs");
}

TEST(Story, a_fault_is_told_with_its_point) {
  const properties::Step step =
      properties::story::with_fault(properties::story::refresh(), faults::Call::refresh,
                                    faults::Place::commit, faults::Kind::busy, 2);
  EXPECT_EQ(told_fault(*step.fault), "busy at engine/refresh/commit, 2 times");
}

TEST(Story, an_answer_leaves_out_its_zeros) {
  EXPECT_EQ(told(model::Outcome(model::Word::ok, model::Refreshed{1, 0, 0, 0, 2})),
            "ok readied=2 recovered=1");
  EXPECT_EQ(told(model::Outcome::invalid("op 'x' is unknown")), "invalid (op 'x' is unknown)");
  model::Outcome busy(model::Word::busy);
  busy.why = "database /tmp/x is locked";
  EXPECT_EQ(told(busy), "busy");
  EXPECT_EQ(told(model::Outcome(model::Word::leased, model::Leased{"a", 1, 30'000'000})),
            "leased a expires=30 s generation=1");
  model::StatusCounts counts;
  counts.counts[0] = 3;
  EXPECT_EQ(told(model::Outcome(model::Word::ok, counts)), "ok pending=3");
  EXPECT_EQ(told(model::Outcome(model::Word::extended, model::Extended{0})),
            "extended expires=0 s");
}

TEST(Story, names_of_others_stay_on_their_line) {
  EXPECT_EQ(told(properties::story::lease("A\n\x1b[31m")), "lease A\\x0a\\x1b[31m");
  model::Observation after;
  after.ops["a\nb"].status = model::OpStatus::pending;
  EXPECT_EQ(changes({}, after), Phrases{"+ a\\x0ab: pending"});
}

TEST(Story, changes_are_one_line_for_each_thing) {
  model::Observation before;
  before.workflows["w"] = {};
  before.ops["a"].status = model::OpStatus::ready;
  model::Observation after = before;
  model::OpView& op = after.ops["a"];
  op.status = model::OpStatus::running;
  op.generation = 1;
  op.attempts = 1;
  op.lease = model::LeaseView{"A", 1, 30'000'000};
  after.ops["b"].status = model::OpStatus::pending;
  after.workflows["w"].cancel_requested = true;
  EXPECT_EQ(changes(before, after),
            (Phrases{"workflow w: asked to cancel yes",
                     "a: ready → running, generation 0 → 1, attempts 0 → 1, lease A until 30 s",
                     "+ b: pending"}));
  EXPECT_EQ(changes(after, after), Phrases{});
  EXPECT_EQ(changes(after, before).at(1),
            "a: running → ready, generation 1 → 0, attempts 1 → 0, lease gone");
  EXPECT_EQ(changes(after, before).back(), "- b");
}

TEST(Story, ops_that_changed_alike_share_a_line) {
  model::Observation before;
  for (const char* id : {"a", "b", "c"}) before.ops[id].status = model::OpStatus::pending;
  EXPECT_EQ(changes({}, before), Phrases{"+ a, b, c: pending"});
  model::Observation after = before;
  after.workflows["w"].status = model::WorkflowStatus::running;
  after.ops["a"].status = after.ops["c"].status = model::OpStatus::ready;
  EXPECT_EQ(changes(before, after), (Phrases{"+ workflow w: running", "a, c: pending → ready"}));
  // A workflow is none of them, even where its words are the same.
  model::Observation done = after;
  done.workflows["w"].status = model::WorkflowStatus::failed;
  after.ops["b"].status = model::OpStatus::running;
  done.ops["b"].status = model::OpStatus::failed;
  EXPECT_EQ(changes(after, done), (Phrases{"workflow w: running → failed", "b: running → failed"}));
}

TEST(Story, a_lease_of_another_generation_than_its_op_is_told_so) {
  model::Observation after;
  after.ops["a"].generation = 2;
  after.ops["a"].lease = model::LeaseView{"A", 1, 7};
  EXPECT_EQ(changes({}, after),
            Phrases{"+ a: pending, generation 2, lease A of generation 1 until 7 µs"});
}

TEST(Story, writes_of_the_service_are_told_by_op) {
  model::Observation before;
  before.ops["p"].effect = model::EffectView{model::EffectStatus::dispatching, "k1", {}};
  model::Observation after = before;
  after.writes["k1"] = 1;
  after.writes["unknown-key"] = 2;
  EXPECT_EQ(changes(before, after), Phrases{"service: writes of p 1, writes of key unknown-… 2"});
}

}  // namespace
}  // namespace leaseproof::scenarios
