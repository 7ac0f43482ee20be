// Checks replay's --explain, --step, --mermaid and --moment from outside: what they print, that
// none of them changes the exit code, and that they refuse what they cannot do in one line.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/cli/program_fixture_test.hpp"

namespace leaseproof::scenarios::cli {
namespace {

const char* const takeover =
    R"({"format": "leaseproof-trace/1", "name": "takeover", "about": "A comes late.", "steps": [
  {"do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}]},
  {"do": "refresh"},
  {"do": "lease", "worker": "A"},
  {"do": "complete", "worker": "A", "op": "a", "result": 1, "fault": {"at": "engine/complete/begin", "kind": "interleave",
   "steps": [{"do": "advance", "by_us": 30000000}, {"do": "refresh"}, {"do": "lease", "worker": "B"}]}}]})";
const char* const hopeful = R"({"format": "leaseproof-trace/1", "name": "hopeful", "steps": [
  {"do": "refresh", "expect": {"readied": 2}}]})";
const char* const with_bug = "--engine mutant:completion_without_ownership ";

class Explaining : public Program {
 protected:
  void SetUp() override { write("takeover.json", takeover); }
  void expect_parts(const Ended& ended, const std::vector<std::string>& parts) const {
    std::size_t at = 0;
    for (const std::string& part : parts) {
      at = ended.out.find(part, at);
      ASSERT_NE(at, std::string::npos) << part << "\n" << ended.out << ended.err;
    }
  }
};

TEST_F(Explaining, a_run_that_holds_is_explained_and_still_exits_with_0) {
  const Ended ended = run("replay --explain takeover.json");
  EXPECT_EQ(ended.exit, 0);
  expect_parts(ended, {"ok           takeover.json\n", "  A comes late.\n",
                       "engine memory, lease 30 s", "stands still before its transaction", " 4.3 ",
                       "lease B", "lease_lost, because", "every invariant holds"});
}

TEST_F(Explaining, a_violation_is_explained_and_still_exits_with_1) {
  const Ended plain = run(std::string("replay ") + with_bug + "takeover.json");
  const Ended ended = run(std::string("replay --explain ") + with_bug + "takeover.json");
  EXPECT_EQ(plain.exit, 1);
  EXPECT_EQ(ended.exit, 1);
  expect_parts(ended, {"VIOLATION", "  A comes late.\n", ">4", "the model says lease_lost",
                       "no_stale_commit (I1) is broken at step 4", "The rule:", "Why:", "the model",
                       "the engine", "answer", "lease_lost", "succeeded",
                       "leaseproof replay --engine mutant"});
  // Without being asked, a red line is explained as well; only what the file is about is left out.
  EXPECT_NE(plain.out.find("the model says lease_lost"), std::string::npos) << plain.out;
  EXPECT_EQ(plain.out.find("A comes late."), std::string::npos) << plain.out;
}

TEST_F(Explaining, the_same_file_is_explained_in_the_same_bytes) {
  const std::string command =
      std::string("replay --explain --moment --continuations 20 ") + with_bug;
  EXPECT_EQ(run(command + "takeover.json").out, run(command + "takeover.json").out);
}

TEST_F(Explaining, what_cannot_be_followed_keeps_its_exit_code) {
  write("bad.json", "{");
  write("empty.json", R"({"format": "leaseproof-trace/1", "name": "empty", "steps": []})");
  for (const char* option : {"--explain", "--step", "--mermaid", "--moment"}) {
    EXPECT_EQ(run(std::string("replay ") + option + " bad.json").exit, 2) << option;
    EXPECT_EQ(run(std::string("replay ") + option + " missing.json").exit, 2) << option;
    EXPECT_EQ(run(std::string("replay ") + option + " empty.json").exit, 4) << option;
  }
}

TEST_F(Explaining, a_walk_goes_on_with_enter_and_ends_with_q) {
  write("keys", "\n\n4\n2\ns\nm\n?\n9\nnonsense\nq\n\n\n");
  const Ended ended = run("replay --step takeover.json", "", "", "keys");
  EXPECT_EQ(ended.exit, 0);
  expect_parts(ended, {"ensure w", " refresh", " lease A", " 4.3 ", " 2 ", "refresh",
                       "  workflow w: running\n  a: ready, generation 0", "  ops of w: ready 1\n",
                       "The engine shows the same.", "Enter",
                       "'9' is neither a key nor a step from 1 to 4", "'nonsense' is neither"});
  // Nothing after q.
  EXPECT_EQ(ended.out.find("last step"), std::string::npos) << ended.out;
}

TEST_F(Explaining, a_walk_without_input_shows_one_step_and_judges_all) {
  const Ended ended = run(std::string("replay --step ") + with_bug + "takeover.json");
  EXPECT_EQ(ended.exit, 1);
  EXPECT_NE(ended.out.find("ensure w"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("lease A"), std::string::npos) << ended.out;
}

TEST_F(Explaining, a_walk_stops_at_the_violation_and_shows_both_states) {
  write("keys", "4\nm\n\n");
  const Ended ended =
      run(std::string("replay --step ") + with_bug + "takeover.json", "", "", "keys");
  EXPECT_EQ(ended.exit, 1);
  expect_parts(ended, {">4", "is broken at step 4", "a: running, generation 2", "the model",
                       "the engine", "a ", "running", "succeeded"});
}

TEST_F(Explaining, a_diagram_stands_alone_on_standard_output) {
  const Ended ended = run(std::string("replay --mermaid ") + with_bug + "takeover.json");
  EXPECT_EQ(ended.exit, 1);
  EXPECT_EQ(ended.out.rfind("sequenceDiagram\n", 0), 0U) << ended.out;
  expect_parts(ended, {"participant p1 as A", "rect rgb(", "stands still", "4.3 lease B",
                       "no_stale_commit is broken", "    end\n"});
  const Ended bad = run("replay --mermaid missing.json");
  EXPECT_EQ(bad.out, "");
  EXPECT_NE(bad.err.find("missing.json"), std::string::npos);
}

TEST_F(Explaining, the_moment_is_the_same_for_a_seed_and_certain_at_the_end) {
  const std::string command = std::string("replay --moment --continuations 40 ") + with_bug;
  const Ended first = run(command + "--seed 7 takeover.json");
  EXPECT_EQ(first.exit, 1);
  expect_parts(first, {"How likely no_stale_commit is", "40 runs", "seed 7", "before the first",
                       "complete A", "100.0 %", "The moment: step "});
  EXPECT_EQ(run(command + "--seed 7 takeover.json").out, first.out);
  EXPECT_NE(run(command + "--seed 8 takeover.json").out, first.out);
}

TEST_F(Explaining, where_nothing_random_can_break_there_is_no_moment) {
  EXPECT_NE(run("replay --moment takeover.json").out.find("nothing is violated"),
            std::string::npos);
  write("hopeful.json", hopeful);
  const Ended ended = run("replay --moment hopeful.json");
  EXPECT_EQ(ended.exit, 1);
  EXPECT_NE(ended.out.find("only the file itself expects"), std::string::npos) << ended.out;
}

TEST_F(Explaining, options_that_do_not_go_together_are_one_line_and_exit_2) {
  expect_one_line("replay --explain --json takeover.json", 2, "--json");
  expect_one_line("replay --step takeover.json takeover.json", 2, "--step takes one FILE");
  expect_one_line("replay --mermaid takeover.json takeover.json", 2, "--mermaid takes one FILE");
  expect_one_line("replay --mermaid --explain takeover.json", 2, "--mermaid");
  expect_one_line("replay --seed 3 takeover.json", 2, "--moment");
  expect_one_line("replay --moment --continuations 0 takeover.json", 2, "--continuations");
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
