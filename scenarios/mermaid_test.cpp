// Checks that a diagram stays one valid diagram whatever names hold, and what it shows of an
// interleaving. Mermaid itself is not run here.
#include "scenarios/mermaid.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "properties/model_sut.hpp"
#include "properties/story.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios {
namespace {

using namespace properties::story;

Replay on_the_model(std::vector<properties::Step> steps) {
  Scenario scenario;
  scenario.steps = std::move(steps);
  properties::Rig rig;
  rig.clock = std::make_unique<properties::SimClock>();
  rig.sut = std::make_unique<properties::ModelSut>(*rig.clock);
  return replay(scenario, rig);
}

// Each line after the first begins with a word of the grammar, and blocks are closed.
void expect_valid(const std::string& diagram) {
  std::istringstream lines(diagram);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "sequenceDiagram");
  int open = 0;
  while (std::getline(lines, line)) {
    ASSERT_EQ(line.substr(0, 4), "    ") << line;
    line = line.substr(4);
    if (line == "end") {
      --open;
      continue;
    }
    if (line.starts_with("rect rgb(")) {
      ++open;
      continue;
    }
    const bool message = line.find("->>") < line.find(' ') || line.find("--x") < line.find(' ');
    EXPECT_TRUE(message || line.starts_with("participant ") || line.starts_with("Note ")) << line;
    // What ends a statement or begins a comment stands only in an entity.
    for (std::size_t at = line.find(';'); at != std::string::npos; at = line.find(';', at + 1)) {
      const std::size_t begin = line.rfind('#', at);
      ASSERT_NE(begin, std::string::npos) << line;
      EXPECT_EQ(line.find_first_not_of("0123456789", begin + 1), at) << line;
    }
    EXPECT_EQ(line.find('%'), std::string::npos) << line;
  }
  EXPECT_EQ(open, 0);
}

TEST(Mermaid, what_it_takes_for_its_own_is_written_as_an_entity) {
  EXPECT_EQ(mermaid_text("a; b # c"), "a#59; b #35; c");
  EXPECT_EQ(mermaid_text("say \"x\" at 5:3 %%{init}"), "say #34;x#34; at 5#58;3 #37;#37;{init}");
  EXPECT_EQ(mermaid_text("a<br>b"), "a#60;br#62;b");
  EXPECT_EQ(mermaid_text("a\nb"), "a#10;b");
  EXPECT_EQ(mermaid_text("größe → {\"n\":1}"), "größe → {#34;n#34;#58;1}");
}

TEST(Mermaid, end_is_a_keyword_only_as_a_word_of_its_own) {
  EXPECT_EQ(mermaid_text("end"), "#101;nd");
  EXPECT_EQ(mermaid_text("the End."), "the #69;nd.");
  EXPECT_EQ(mermaid_text("ended, spend, end_1, endé"), "ended, spend, end_1, endé");
}

TEST(Mermaid, hostile_names_stay_inside_their_message) {
  const std::string name = "end;#\"\nrect %%{ <b> participant x as y";
  const Replay run = on_the_model({ensure(name, {op("end"), op("a;b", {"end"})}), refresh(),
                                   lease(name), complete(name, "end")});
  ASSERT_EQ(run.verdict, Verdict::ok) << run.reason;
  const std::string diagram = mermaid(run.course, nullptr);
  expect_valid(diagram);
  EXPECT_NE(diagram.find("participant p1 as #101;nd#59;#35;#34;"), std::string::npos) << diagram;
}

TEST(Mermaid, an_interleaving_runs_between_a_call_and_its_answer) {
  const Replay run =
      on_the_model({ensure("w", {op("a")}), refresh(), lease("A"),
                    interleaved(complete("A", "a"), faults::Call::complete, faults::Place::begin,
                                {advance(30'000'000), refresh(), lease("B")})});
  const std::string diagram = mermaid(run.course, nullptr);
  expect_valid(diagram);
  std::size_t at = 0;
  for (const char* part :
       {"participant p1 as A\n", "participant p2 as B\n", "participant engine as engine\n",
        "p1->>engine: 4 complete A a result=1\n",
        "Note over p1: stands still before its transaction",
        "Note over p4: 4.1 advance 30 s, now 30 s\n", "p2->>engine: 4.3 lease B\n",
        "engine-->>p2: 4.3 leased a expires=60 s generation=2", "engine-->>p1: 4 lease_lost\n",
        "Note over engine: the newest lease of a is B's"}) {
    at = diagram.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << diagram;
  }
}

TEST(Mermaid, the_broken_step_is_highlighted) {
  const Replay run = on_the_model({ensure("w", {op("a")}), refresh()});
  properties::Violation violation;
  violation.invariant = "queue_caps";
  violation.why = "one; two";
  violation.step = 1;
  const std::string diagram = mermaid(run.course, &violation);
  expect_valid(diagram);
  const std::size_t rect = diagram.find("rect rgb(");
  EXPECT_LT(rect, diagram.find(": 2 refresh")) << diagram;
  EXPECT_GT(rect, diagram.find(": 1 ensure w")) << diagram;
  EXPECT_NE(diagram.find("queue_caps is broken#58; one#59; two\n    end\n"), std::string::npos)
      << diagram;
  violation.step = 2;
  const std::string after = mermaid(run.course, &violation);
  expect_valid(after);
  EXPECT_NE(after.find("rect rgb(255, 221, 221)\n    Note over engine: queue_caps is broken"),
            std::string::npos)
      << after;
}

TEST(Mermaid, a_call_of_the_service_goes_to_the_service_and_a_crash_ends_in_a_cross) {
  const Replay run = on_the_model({ensure("w", {effect_op("p", model::Contract::idempotent)}),
                                   refresh(), lease("A"), dispatch("A", "p"), call("A", "p"),
                                   with_fault(complete("A", "p"), faults::Call::complete,
                                              faults::Place::committed, faults::Kind::crash)});
  const std::string diagram = mermaid(run.course, nullptr);
  expect_valid(diagram);
  EXPECT_NE(diagram.find("p1->>service: 5 call A p\n"), std::string::npos) << diagram;
  EXPECT_NE(diagram.find("engine--xp1: 6 crashed\n"), std::string::npos) << diagram;
}

}  // namespace
}  // namespace leaseproof::scenarios
