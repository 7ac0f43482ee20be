// Checks that two processes are told apart by what their engines did, at the step where they first
// differ, and that sound engines do the same in both. What else the gate runs is checked elsewhere.
#include "scenarios/cli/tracing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "faults/process.hpp"
#include "properties/model_sut.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/program_fixture_test.hpp"

namespace leaseproof::scenarios::cli {
namespace {

// Where a plan ends in a bug of this engine, the answer hangs on what nobody drew.
properties::MakeRig model_that(const properties::Bug& bug) {
  return [bug] {
    properties::Rig rig;
    rig.clock = std::make_unique<properties::SimClock>();
    rig.sut = std::make_unique<properties::ModelSut>(*rig.clock, bug);
    return rig;
  };
}

properties::Bug answers_by_its_environment() {
  properties::Bug bug;
  bug.spoil = [](model::State&, const model::State&, const model::Action& action,
                 const model::Given&, model::Outcome& outcome) {
    const bool elsewhere = std::getenv("LEASEPROOF_ELSEWHERE") != nullptr;
    if (elsewhere && std::holds_alternative<model::Cancel>(action)) outcome = model::Word::none;
  };
  return bug;
}

// The lines of a process of its own, in another environment.
std::vector<std::string> elsewhere(const properties::MakeRig& make, const TracePlan& plan) {
  faults::Child child([&](const faults::Child::Line& line) {
    ::setenv("LEASEPROOF_ELSEWHERE", "1", 1);
    for (const std::string& text : step_digests(make, {}, plan)) {
      for (const char c : text + "\n") line.tell(c);
    }
  });
  std::vector<std::string> lines(1);
  while (const auto word = child.hear()) {
    if (*word == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += *word;
    }
  }
  lines.pop_back();
  return lines;
}

TEST(Traces, name_the_first_step_at_which_another_environment_shows) {
  TracePlan plan;
  plan.runs = 12;
  const properties::MakeRig make = model_that(answers_by_its_environment());
  const std::vector<std::string> here = step_digests(make, {}, plan);
  const std::vector<std::string> there = elsewhere(make, plan);
  const std::string at = first_difference(here, there);
  EXPECT_EQ(at.rfind("run ", 0), 0U) << at;
  EXPECT_NE(at.find(", step "), std::string::npos) << at;
  EXPECT_EQ(first_difference(here, step_digests(make, {}, plan)), "");
  EXPECT_EQ(first_difference(here, elsewhere(model_that({}), plan)), "");
}

TEST(Traces, that_end_early_differ_at_what_is_missing) {
  EXPECT_EQ(first_difference({"run 0, step 1: a", "run 0, step 2: b"}, {"run 0, step 1: a"}),
            "run 0, step 2");
  EXPECT_EQ(first_difference({}, {"run 0, step 1: a"}), "run 0, step 1");
  EXPECT_EQ(first_difference({}, {}), "");
}

class InAnotherProcess : public Program {
 protected:
  // The phase of the gate, with this as what the other process runs.
  [[nodiscard]] Phase determinism(const std::string& program) const {
    GatePlan plan;
    plan.runs = 12;
    plan.out = folder_.path();
    plan.program = program;
    return same_seed_same_result(plan, folder_);
  }
  [[nodiscard]] std::string script(const std::string& text) const {
    write("script", "#!/bin/sh\n" + text);
    std::filesystem::permissions(path("script"), std::filesystem::perms::owner_all);
    return path("script");
  }
};

TEST_F(InAnotherProcess, the_same_seed_gives_the_same_bytes) {
  const Phase phase = determinism(LEASEPROOF_PROGRAM);
  EXPECT_EQ(phase.exit, Exit::held) << phase.summary;
  EXPECT_GT(phase.document["compared"], 500);
}

TEST_F(InAnotherProcess,
       an_engine_that_does_something_else_fails_the_gate_and_is_told_by_its_step) {
  const std::string other = script("exec '" LEASEPROOF_PROGRAM
                                   "' traces --seed 1 --runs 12 --engine "
                                   "mutant:heartbeat_from_old_expiry\n");
  const Phase phase = determinism(other);
  EXPECT_EQ(phase.exit, Exit::inconclusive);
  EXPECT_EQ(phase.summary.rfind("engine memory, seed 1, run ", 0), 0U) << phase.summary;
  EXPECT_NE(phase.summary.find(", step "), std::string::npos) << phase.summary;
  EXPECT_NE(phase.summary.find("in another process"), std::string::npos) << phase.summary;
}

TEST_F(InAnotherProcess, a_program_that_fails_is_an_environment_that_failed) {
  const Phase phase = determinism(script("echo out of order >&2\nexit 5\n"));
  EXPECT_EQ(phase.exit, Exit::environment);
  EXPECT_NE(phase.summary.find("exit code 5"), std::string::npos) << phase.summary;
  EXPECT_NE(phase.story.find("out of order"), std::string::npos) << phase.story;
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
