// Checks results that the built program leaves: each command's fits the kept schema, also by
// another validator, and the verdict over a run without and with a planted bug is the right one. Of
// a whole gate, which takes a minute, only what it does in its first seconds is seen here; CI makes
// a report of a whole one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "reports/another_validator_test.hpp"
#include "reports/intake.hpp"
#include "reports/results_folder_test.hpp"
#include "reports/schema.hpp"

namespace leaseproof::reports {
namespace {

// One folder for all, since runs take seconds.
class RealRuns : public testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new ResultsFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static int run(const std::string& arguments, const std::string& under = "") {
    const std::string command = "cd '" + folder_->path().string() + "' && " + under + " '" +
                                LEASEPROOF_PROGRAM + "' " + arguments + " > out 2> err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Runs it once, however many tests ask for it.
  static const Json& result_of(const std::string& name, const std::string& arguments,
                               const std::set<int>& exits, const std::string& under = "") {
    static std::map<std::string, Json> results;
    const auto [at, added] = results.try_emplace(name);
    if (added) {
      const int exit = run(arguments + " --out " + name, under);
      EXPECT_TRUE(exits.contains(exit)) << arguments << ": " << exit << "\n"
                                        << folder_->read("err");
      at->second = Json::parse(folder_->read(name + "/result.json"), nullptr, false);
    }
    return at->second;
  }
  static const Json& check() {
    return result_of("check", "check --runs 20 --seed 7 --jobs 2", {4});
  }
  static const Json& planted() {
    return result_of(
        "planted",
        "check --runs 500 --seed 7 --jobs 2 --engine mutant:completion_without_ownership", {1});
  }
  static const Json& explore() { return result_of("explore", "explore queue --jobs 2", {0}); }
  static const Json& sweep() { return result_of("sweep", "sweep --one-step-in 400 --jobs 2", {0}); }
  static const Json& crash() {
    return result_of("crash", "crash --points engine/complete/begin --rounds 2", {0});
  }
  // In two seconds a slow disk may let nobody take over, which leaves it open.
  static const Json& stress() {
    return result_of("stress", "stress --seconds 2 --processes 2 --workers 2 --kill-every 100",
                     {0, 4});
  }
  static const Json& mutants() {
    return result_of("mutants", "mutants --only completed_without --jobs 2", {0});
  }
  static const Json& gate() {
    return result_of("gate", "gate --runs 20 --jobs 2", {130},
                     "timeout --preserve-status -s INT 12");
  }

  static ResultsFolder* folder_;
};
ResultsFolder* RealRuns::folder_ = nullptr;

TEST_F(RealRuns, each_command_leaves_a_result_that_fits_the_schema) {
  for (const Json* result :
       {&check(), &planted(), &explore(), &sweep(), &crash(), &stress(), &mutants(), &gate()}) {
    ASSERT_TRUE(result->is_object());
    EXPECT_EQ(schema_problem(*result), "") << (*result)["command"];
    EXPECT_TRUE(another_validator_takes(*result)) << (*result)["command"];
    EXPECT_EQ(result->dump().find(folder_->path().string()), std::string::npos)
        << "a path of this machine stands in " << (*result)["command"];
  }
  EXPECT_FALSE(gate()["phases_left_out"].empty());
}

TEST_F(RealRuns, the_document_on_standard_output_is_the_one_in_the_file) {
  ASSERT_EQ(run("explore queue --json --out printed"), 0);
  EXPECT_EQ(folder_->read("out"), folder_->read("printed/result.json"));
}

TEST_F(RealRuns, a_stress_takes_a_folder_that_holds_a_result_and_refuses_one_that_holds_more) {
  ASSERT_TRUE(stress().is_object());
  EXPECT_EQ(run("stress --seconds 1 --processes 1 --workers 1 --kill-every 0 --out stress"), 0);
  folder_->write("taken/notes.txt", "mine");
  EXPECT_EQ(run("stress --seconds 1 --out taken"), 2);
  EXPECT_EQ(folder_->read("taken/notes.txt"), "mine");
}

TEST_F(RealRuns, a_run_that_is_killed_leaves_no_result_of_an_earlier_one) {
  ASSERT_TRUE(mutants().is_object());
  folder_->write("stale/result.json", mutants().dump());
  EXPECT_EQ(run("check --runs 1000000000 --out stale", "timeout -s KILL 2"), 137);
  EXPECT_EQ(folder_->read("stale/result.json"), "");
  folder_->write("stale/result.json", mutants().dump());
  EXPECT_EQ(run("explore queue --states 1 --out stale"), 4);
  EXPECT_EQ(Json::parse(folder_->read("stale/result.json"))["command"], "explore");
}

TEST_F(RealRuns, a_planted_bug_is_not_ready_and_its_counterexample_is_drawn_and_replays) {
  ASSERT_TRUE(planted().is_object());
  EXPECT_EQ(run("report --from planted --out report-planted"), 1);
  const Json report = Json::parse(folder_->read("report-planted/report.json"));
  EXPECT_EQ(report["verdict"], "not ready");
  const std::string line = report["counterexamples"][0]["replay"]["text"];
  ASSERT_TRUE(line.starts_with("leaseproof ")) << line;
  EXPECT_EQ(run(line.substr(11)), 1) << folder_->read("err");
  EXPECT_NE(folder_->read("report-planted/report.html").find("class=\"broken\""),
            std::string::npos);
}

// Whether the bug comes up in one stress is up to the machine.
TEST_F(RealRuns, what_a_stress_found_is_drawn_from_its_journal_and_can_be_listed) {
  int seed = 0;
  std::string out;
  do {
    out = "racy-" + std::to_string(++seed);
  } while (run("stress --bug moment_before_the_lock --processes 2 --seconds 1 --kill-every 0 "
               "--seed " +
               std::to_string(seed) + " --out " + out) != 1 &&
           seed < 10);
  EXPECT_EQ(run("report --from " + out + " --out report-racy"), 1);
  const Json report = Json::parse(folder_->read("report-racy/report.json"));
  const std::string line = report["counterexamples"][0]["replay"]["text"];
  ASSERT_TRUE(line.starts_with("leaseproof ")) << line;
  EXPECT_EQ(run(line.substr(11)), 0) << folder_->read("err");
  EXPECT_NE(folder_->read("report-racy/report.html").find("class=\"broken\""), std::string::npos);
}

TEST_F(RealRuns, small_runs_without_a_bug_are_unknown_and_say_what_is_missing) {
  for (const Json* result : {&check(), &explore(), &sweep(), &crash(), &mutants()}) {
    ASSERT_TRUE(result->is_object());
  }
  EXPECT_EQ(run("report --from check explore sweep crash mutants --out report-small"), 4);
  const Json report = Json::parse(folder_->read("report-small/report.json"));
  EXPECT_EQ(report["verdict"], "unknown");
  std::set<std::string> spoken;
  for (const Json& rule : report["rules"]) {
    if (!rule["kept"]) spoken.insert(rule["rule"].get<std::string>());
  }
  for (const char* rule : {"goal_unreached", "fault_unfired", "real_kills", "real_threads", "speed",
                           "corpus", "determinism", "planted_bugs"}) {
    EXPECT_TRUE(spoken.contains(rule)) << rule;
  }
  for (const char* rule : {"violation", "mutant_survived", "builds_mixed", "sqlites_mixed", "sweep",
                           "exhaustive", "other_engine"}) {
    EXPECT_FALSE(spoken.contains(rule)) << rule;
  }
}

TEST_F(RealRuns, the_order_of_folders_changes_no_byte) {
  for (const Json* result : {&check(), &explore(), &planted()}) ASSERT_TRUE(result->is_object());
  EXPECT_EQ(run("report --from check explore planted --out one"), 1);
  EXPECT_EQ(run("report --from planted --from explore check explore --out two"), 1);
  for (const char* file :
       {"junit.xml", "mutation.json", "report.html", "report.json", "report.md"}) {
    EXPECT_FALSE(folder_->read(std::string("one/") + file).empty());
    EXPECT_EQ(folder_->read(std::string("one/") + file), folder_->read(std::string("two/") + file))
        << file;
  }
}

TEST_F(RealRuns, what_cannot_be_read_is_refused_in_one_line) {
  folder_->write("bad/result.json",
                 "{\"format\": \"leaseproof-result/1\", \"command\": \"check\"}");
  EXPECT_EQ(run("report --from bad"), 2);
  const std::string line = folder_->read("err");
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  EXPECT_NE(line.find("bad/result.json: the document: 'build' is missing"), std::string::npos)
      << line;
  EXPECT_EQ(run("report --from nowhere"), 2);
  EXPECT_EQ(run("report --from check --waive violation"), 2);
}

}  // namespace
}  // namespace leaseproof::reports
