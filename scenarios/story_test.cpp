// Checks how a run is told to a person: steps, answers, changes and the table.
#include "scenarios/story.hpp"

#include <gtest/gtest.h>

namespace leaseproof::scenarios {
namespace {

using Phrases = std::vector<std::string>;

TEST(Story, a_step_is_told_in_the_words_of_the_trace) {
  properties::Step step;
  model::Complete complete;
  complete.by = {"A", "a", 1};
  complete.result = R"({"n":1})";
  complete.emit.resize(2);
  complete.emit[0].id = "c";
  complete.emit[1].id = "d";
  complete.emit[1].needs = {{"c", true}, {"b", false}};
  step.action = complete;
  step.skew_us = -5;
  EXPECT_EQ(told(step), R"(complete A a emit=[c, d(c, b?)] handle=1 result={"n":1} skew_us=-5)");

  step.fault.emplace();
  step.fault->plan.point = faults::point_of(faults::Call::complete, faults::Place::begin);
  step.fault->plan.kind = faults::Kind::interleave;
  step.fault->steps.resize(1);
  step.fault->steps[0].action = model::Refresh{};
  EXPECT_NE(told(step).find("!interleave at engine/complete/begin | refresh"), std::string::npos);
}

TEST(Story, an_answer_leaves_out_its_zeros) {
  EXPECT_EQ(told(model::Outcome(model::Word::ok, model::Refreshed{1, 0, 0, 0, 2})),
            "ok readied=2 recovered=1");
  EXPECT_EQ(told(model::Outcome::invalid("op 'x' is unknown")), "invalid (op 'x' is unknown)");
}

TEST(Story, changes_are_one_phrase_each) {
  model::Observation before;
  before.workflows["w"] = {};
  before.ops["a"].status = model::OpStatus::ready;
  model::Observation after = before;
  model::OpView& op = after.ops["a"];
  op.status = model::OpStatus::running;
  op.generation = 1;
  op.attempts = 1;
  op.lease = model::LeaseView{"A", 1, 30};
  after.ops["b"].status = model::OpStatus::pending;
  after.workflows["w"].cancel_requested = true;
  EXPECT_EQ(changes(before, after),
            (Phrases{"workflow w asked to cancel", "a ready → running",
                     "a lease of A, generation 1, until 30", "a attempts 0 → 1", "+ b pending"}));
  EXPECT_EQ(changes(after, after), Phrases{});
}

TEST(Story, the_broken_step_is_marked) {
  const std::vector<StoryLine> story{{0, "refresh", "ok", {"a pending → ready"}},
                                     {30, "lease A", "leased op=a", {}}};
  const std::string text = table(story, 1);
  EXPECT_NE(text.find("\n>  2           30  lease A  leased op=a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   1            0  refresh  ok\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a pending → ready\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace leaseproof::scenarios
