// Checks what of a run is written for a picture: the order of moments, and from which to which each
// lease stood. How it is drawn is not checked here (reports/pictures_test.cpp), nor the words.
#include "scenarios/interleaving.hpp"

#include <gtest/gtest.h>

#include "properties/model_sut.hpp"
#include "properties/planted.hpp"
#include "properties/story.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios {
namespace {

using namespace properties::story;

Json drawn(std::vector<properties::Step> steps, std::size_t broken = 1'000) {
  Scenario scenario;
  scenario.steps = std::move(steps);
  properties::Rig rig;
  rig.clock = std::make_unique<properties::SimClock>();
  rig.sut = std::make_unique<properties::ModelSut>(*rig.clock);
  const Replay run = replay(scenario, rig);
  EXPECT_EQ(run.verdict, Verdict::ok) << run.reason;
  return interleaving_json(run.course, broken);
}

std::vector<std::string> paths_of(const Json& drawn) {
  std::vector<std::string> paths;
  for (const Json& moment : drawn["moments"]) {
    std::string path = moment["path"];
    if (moment["phase"] != "call") path += " " + moment["phase"].get<std::string>();
    paths.push_back(std::move(path));
  }
  return paths;
}

TEST(Interleaving, a_lease_stands_from_its_grant_to_what_ends_it) {
  const Json picture = drawn({ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("A"),
                              complete("A", "a"), advance(lease_us), refresh()});
  const Json& leases = picture["leases"];
  ASSERT_EQ(leases.size(), 2U);
  EXPECT_EQ(leases[0]["op"], "a");
  EXPECT_EQ(leases[0]["from"], 2);
  EXPECT_EQ(leases[0]["to"], 4);
  EXPECT_EQ(leases[1]["op"], "b");
  EXPECT_EQ(leases[1]["from"], 3);
  EXPECT_EQ(leases[1]["to"], 6);
  EXPECT_EQ(leases[1]["expires"], Json::parse(R"([{"from": 3, "at_us": 30000000, "at": "30 s"}])"));
  EXPECT_EQ(picture["lanes"][leases[0]["lane"].get<std::size_t>()]["name"], "A");
}

TEST(Interleaving, a_lease_that_is_held_to_the_end_has_none) {
  const Json picture = drawn({ensure("w", {op("a")}), refresh(), lease("A")});
  EXPECT_EQ(picture["leases"][0]["to"], nullptr);
}

TEST(Interleaving, a_heartbeat_lengthens_a_lease_and_a_takeover_makes_another) {
  const Json picture =
      drawn({ensure("w", {op("a")}), refresh(), lease("A"), advance(5), heartbeat("A", "a"),
             advance(lease_us), refresh(), lease("B"), complete("A", "a")});
  const Json& leases = picture["leases"];
  ASSERT_EQ(leases.size(), 2U);
  EXPECT_EQ(leases[0]["expires"].size(), 2U);
  EXPECT_EQ(leases[0]["expires"][1]["from"], 4);
  EXPECT_EQ(leases[0]["expires"][1]["at_us"], lease_us + 5);
  EXPECT_EQ(leases[0]["to"], 6);
  EXPECT_EQ(leases[1]["generation"], 2);
  EXPECT_NE(leases[0]["lane"], leases[1]["lane"]);
}

TEST(Interleaving, a_call_that_stands_still_has_two_moments_and_acts_in_one) {
  const Json before =
      drawn({ensure("w", {op("a")}), refresh(), lease("A"),
             interleaved(complete("A", "a"), faults::Call::complete, faults::Place::begin,
                         {advance(lease_us), refresh(), lease("B")})});
  EXPECT_EQ(paths_of(before), (std::vector<std::string>{"1", "2", "3", "4 begins", "4.1", "4.2",
                                                        "4.3", "4 goes_on"}));
  EXPECT_EQ(before["moments"][3]["acts"], false);
  EXPECT_EQ(before["moments"][4]["depth"], 1);
  EXPECT_EQ(before["moments"][7]["answer"], "lease_lost");
  // A's went inside of its own call, and B's came.
  EXPECT_EQ(before["leases"][0]["to"], 5);
  EXPECT_EQ(before["leases"][1]["from"], 6);

  const Json after = drawn({ensure("w", {op("a")}), refresh(), lease("A"),
                            interleaved(complete("A", "a"), faults::Call::complete,
                                        faults::Place::committed, {refresh()})});
  EXPECT_EQ(after["moments"][3]["acts"], true);
  EXPECT_EQ(after["leases"][0]["to"], 3);
  EXPECT_EQ(after["moments"][3]["fault"]["fired"], true);
  EXPECT_EQ(after["moments"][3]["fault"]["at"], "engine/complete/committed");
}

// A lease that the engine keeps although the model's is gone is one lease, and not two.
TEST(Interleaving, a_call_on_its_own_is_shown_with_what_the_engine_did) {
  Scenario scenario;
  scenario.steps = {ensure("w", {op("a")}), refresh(), lease("A"), complete("A", "a")};
  properties::Rig rig;
  rig.clock = std::make_unique<properties::SimClock>();
  const auto keeps_the_lease = properties::spoiling<model::Complete>(
      [](model::State& after, const model::State& before, model::Outcome&) {
        after.ops.edit("a").view.lease = before.ops.at("a").view.lease;
      });
  rig.sut = std::make_unique<properties::ModelSut>(*rig.clock, keeps_the_lease);
  const Replay run = replay(scenario, rig);
  ASSERT_EQ(run.verdict, Verdict::violation);
  const Json picture = interleaving_json(run.course, run.violation->step);
  ASSERT_EQ(picture["leases"].size(), 1U) << picture["leases"];
  EXPECT_EQ(picture["leases"][0]["to"], nullptr);
  const std::string changed = picture["moments"].back()["changed"].dump();
  EXPECT_NE(changed.find("succeeded"), std::string::npos) << changed;
  EXPECT_EQ(changed.find("lease gone"), std::string::npos) << changed;
}

TEST(Interleaving, the_broken_step_a_crash_and_the_service_are_marked) {
  const Json picture = drawn({ensure("w", {effect_op("p", model::Contract::idempotent)}), refresh(),
                              lease("A"), dispatch("A", "p"), call("A", "p"),
                              with_fault(complete("A", "p"), faults::Call::complete,
                                         faults::Place::committed, faults::Kind::crash)},
                             5);
  std::vector<std::size_t> broken;
  for (std::size_t i = 0; i < picture["moments"].size(); ++i) {
    if (picture["moments"][i]["broken"].get<bool>()) broken.push_back(i);
  }
  EXPECT_EQ(broken, std::vector<std::size_t>{5});
  EXPECT_EQ(picture["moments"][5]["crashed"], true);
  EXPECT_EQ(picture["moments"][4]["crashed"], false);
  EXPECT_EQ(picture["moments"][4]["at_service"], true);
  EXPECT_EQ(picture["moments"][3]["at_service"], false);
  // The change stands though nobody heard of it.
  EXPECT_EQ(picture["leases"][0]["to"], 5);
}

}  // namespace
}  // namespace leaseproof::scenarios
