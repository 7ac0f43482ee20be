// Checks the printed explanation byte by byte for one small case with an interleaving and a planted
// bug, and what it shows of faults, of the fair schedule and of states that differ. Guards have
// their own test.
#include "scenarios/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "properties/engine_sut.hpp"
#include "properties/mutants.hpp"
#include "properties/story.hpp"
#include "scenarios/lanes.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios {
namespace {

using namespace properties::story;

const char* const takeover =
    R"({"format": "leaseproof-trace/1", "name": "takeover", "about": "A stands still while B takes over.", "steps": [
  {"do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}]},
  {"do": "refresh"},
  {"do": "lease", "worker": "A"},
  {"do": "complete", "worker": "A", "op": "a", "result": {"n": 1}, "fault": {"at": "engine/complete/begin", "kind": "interleave",
   "steps": [{"do": "advance", "by_us": 30000000}, {"do": "refresh"}, {"do": "lease", "worker": "B"}]}}]})";

properties::MakeRig with_bug(std::string_view name) {
  return properties::engine_in_memory(properties::mutated(*properties::find_mutant(name)));
}

Replay played(std::vector<properties::Step> steps,
              const properties::MakeRig& make = properties::engine_in_memory()) {
  Scenario scenario;
  scenario.steps = std::move(steps);
  return replay(scenario, make());
}

void expect_fits_the_page(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(columns(line), page_width) << line;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
  }
}

TEST(Explanation, of_an_interleaving_with_a_planted_bug_is_this_text) {
  const auto scenario = read_scenario(takeover, "takeover.json");
  ASSERT_TRUE(scenario) << scenario.error();
  const Replay run = replay(*scenario, with_bug("completion_without_ownership")());
  const std::string text = introduction(*scenario, "mutant") + explanation(run);
  expect_fits_the_page(text);
  EXPECT_EQ(text, R"(  takeover
  A stands still while B takes over.
  engine mutant, lease 30 s, 3 tries when busy

 step          time  A  B  host  clock   call ⇒ answer; beneath it what changed
 1              0 s  │  │  ●     │       ensure w identity=1 [a] ⇒ created w
                     │  │  │     │         + workflow w: running
                     │  │  │     │         + a: pending
 2              0 s  │  │  ●     │       refresh ⇒ ok readied=1
                     │  │  │     │         a: pending → ready
 3              0 s  ●  │  │     │       lease A ⇒ leased a expires=30 s generation=1
                     │  │  │     │         a: ready → running, generation 0 → 1, attempts 0 → 1, lease A until 30 s
>4                   ○  │  │     │       complete A a result={"n":1}
                     │  │  │     │         … stands still before its transaction (engine/complete/begin)
>4.1           30 s  ┊  │  │     ●       ┆ advance 30 s
>4.2           30 s  ┊  │  ●     │       ┆ refresh ⇒ ok recovered=1
                     ┊  │  │     │       ┆   a: running → ready, lease gone
>4.3           30 s  ┊  ●  │     │       ┆ lease B ⇒ leased a expires=60 s generation=2
                     ┊  │  │     │       ┆   a: ready → running, generation 1 → 2, attempts 1 → 2, lease B until
                     ┊  │  │     │       ┆       60 s
>4             30 s  ●  │  │     │       … complete goes on ⇒ ok
                     │  │  │     │         ✱ the model says lease_lost, because the newest lease of a is B's,
                     │  │  │     │             generation 2; A holds generation 1
                     │  │  │     │         ✱ but the engine: workflow w: running → succeeded
                     │  │  │     │         ✱ but the engine: a: running → succeeded, result {"n":1}

  no_stale_commit (I1) is broken at step 4
  The rule: Every worker call that changed anything was made under the op's current token and generation,
            unexpired at the moment of its transaction.
  Why:      complete of a by A under generation 1 changed it, though generation 2 holds it

              the model   the engine
  answer      lease_lost  ok
  workflow w  running     succeeded
  a           running     succeeded
  a result    –           {"n":1}
)");
}

TEST(Explanation, of_a_run_that_holds_says_so) {
  const auto scenario = read_scenario(takeover, "takeover.json");
  ASSERT_TRUE(scenario) << scenario.error();
  const std::string text = explanation(replay(*scenario, properties::engine_in_memory()()));
  expect_fits_the_page(text);
  expect_parts(text, {"lease_lost, because the newest lease of a is B's", "every invariant holds"});
  EXPECT_EQ(text.find('>'), std::string::npos) << text;
  EXPECT_EQ(text.find("✱"), std::string::npos) << text;
}

TEST(Explanation, a_change_stands_where_it_took_effect) {
  const Replay run = played({ensure("w", {op("a")}), refresh(), lease("A"),
                             interleaved(complete("A", "a"), faults::Call::complete,
                                         faults::Place::committed, {advance(1), refresh()})});
  expect_parts(lanes(run.course, 9), {"just after its COMMIT", "a: running → succeeded", " 4.1 ",
                                      " 4.2 ", "goes on ⇒ ok"});
}

TEST(Explanation, calls_inside_of_calls_inside_of_calls_stand_inside) {
  const Replay run = played(
      {ensure("w", {op("a")}), refresh(), lease("A"),
       interleaved(
           heartbeat("A", "a"), faults::Call::heartbeat, faults::Place::begin,
           {interleaved(refresh(), faults::Call::refresh, faults::Place::begin, {advance(7)})})});
  expect_parts(lanes(run.course, 9),
               {"heartbeat A a", " 4.1 ", "┆ refresh", " 4.1.1 ", "┆ ┆ advance 7 µs", " 4.1 ",
                "┆ … refresh goes on", " 4 ", " … heartbeat goes on"});
}

TEST(Explanation, a_fault_is_told_with_where_it_struck_or_that_it_did_not) {
  const Replay run = played({ensure("w", {op("a")}), refresh(), lease("A"),
                             with_fault(heartbeat("A", "a"), faults::Call::heartbeat,
                                        faults::Place::commit, faults::Kind::crash),
                             with_fault(heartbeat("A", "a"), faults::Call::heartbeat,
                                        faults::Place::write, faults::Kind::busy)});
  expect_parts(lanes(run.course, 9),
               {"✗", "crashed, because the process died before COMMIT",
                "fault: crash at engine/heartbeat/commit, just before its COMMIT", "invalid",
                "fault: busy at engine/heartbeat/write: did not fire"});
}

TEST(Explanation, what_breaks_after_the_last_step_shows_the_fair_steps_that_led_there) {
  const Replay run = played({ensure("w", {effect_op("p", model::Contract::idempotent)})},
                            with_bug("receipt_is_lost"));
  ASSERT_TRUE(run.violation);
  const std::string text = explanation(run);
  expect_fits_the_page(text);
  // The service is one and the same to both.
  EXPECT_EQ(text.find("service writes"), std::string::npos) << text;
  expect_parts(text, {"everybody acts fairly", ">+", "is broken after the last step", "the model",
                      "p receipt", "receipt-p-1", "–"});
}

TEST(Explanation, what_the_queues_of_the_config_break_is_broken_before_the_first_step) {
  Scenario scenario;
  scenario.config.queues.emplace_back().max_in_flight = -1;
  scenario.steps = {refresh()};
  const Replay run = replay(scenario, properties::engine_in_memory()());
  expect_parts(explanation(run), {"as_expected is broken before the first step", "was refused"});
}

TEST(Explanation, of_a_long_fair_schedule_only_the_end_is_shown) {
  Course course;
  EXPECT_EQ(first_fair_step_shown(course), 0U);
  EXPECT_EQ(lanes_of_fair_steps(course), "");
  course.fair.resize(20);
  EXPECT_EQ(first_fair_step_shown(course), 12U);
  expect_parts(lanes_of_fair_steps(course), {"(12 such steps are left out)", " +13", ">+20"});
}

TEST(Explanation, what_the_service_wrote_is_no_difference_between_model_and_engine) {
  const Replay run =
      played({ensure("w", {effect_op("p", model::Contract::idempotent)}), refresh(), lease("A"),
              dispatch("A", "p"), call("A", "p", model::ServiceMode::timeout_after)});
  const Frame& last = run.course.frames.back();
  EXPECT_EQ(side_by_side(last.model, last.engine), "");
  expect_parts(lanes(run.course, 9), {"◆", "call A p service=timeout_after ⇒ timeout, because A",
                                      "service: writes of p 1"});
}

TEST(Explanation, side_by_side_shows_only_what_differs) {
  model::Observation model;
  model.ops["a"].status = model::OpStatus::running;
  model.ops["a"].lease = model::LeaseView{"B", 0, 60'000'000};
  model.ops["same"].attempts = 2;
  model::Observation engine = model;
  engine.ops["a"].status = model::OpStatus::succeeded;
  engine.ops["a"].lease.reset();
  engine.ops["new"].status = model::OpStatus::pending;
  EXPECT_EQ(side_by_side(model, engine), R"(           the model     the engine
  a        running       succeeded
  a lease  B until 60 s  –
  new      –             pending
)");
  EXPECT_EQ(side_by_side(model, model), "");
}

TEST(Explanation, long_names_and_values_stay_on_the_page) {
  const std::string longest(300, 'x');
  const Replay run = played({ensure(longest, {op(longest)}, "\"" + longest + "\""), refresh(),
                             lease(longest), complete(longest, longest)});
  expect_fits_the_page(explanation(run));
}

}  // namespace
}  // namespace leaseproof::scenarios
