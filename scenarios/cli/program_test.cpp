// Checks the built program from outside: exit codes of TRACE 6, one line for each error, and
// exactly one document on standard output with --json. What the searches find is checked elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/engine.hpp"
#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/file.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {
namespace {

const char* const good = R"({"format": "leaseproof-trace/1", "name": "good", "steps": [
  {"do": "start", "workflow": "w", "ops": [{"id": "a"}], "expect": "created"},
  {"do": "refresh", "expect": {"readied": 1}}], "finally": {"status": {"a": "ready"}}})";
const char* const broken = R"({"format": "leaseproof-trace/1", "name": "broken", "steps": [
  {"do": "start", "workflow": "w", "ops": [{"id": "a"}], "expect": "created"},
  {"do": "refresh", "expect": {"readied": 2}}]})";
const char* const later = R"({"format": "leaseproof-trace/1", "name": "later", "steps": [
  {"do": "start", "workflow": "w", "ops": [{"id": "a"}]},
  {"do": "refresh"},
  {"do": "refresh", "fault": {"at": "vfs/sync", "kind": "interleave", "steps": []}}]})";
TEST_F(Program, a_wrong_command_line_is_one_line_and_exit_2) {
  expect_one_line("", 2, "leaseproof: ");
  expect_one_line("nonsense", 2, "nonsense");
  expect_one_line("check --runs x", 2, "--runs");
  expect_one_line("check --runs 0", 2, "--runs");
  expect_one_line("check --workers 9", 2, "--workers");
  expect_one_line("check --faults maybe", 2, "--faults");
  expect_one_line("check --time 3days", 2, "--time");
  expect_one_line("replay", 2, "FILE");
  expect_one_line("inspect", 2, "--db");
  expect_one_line("check --seed -1", 2, "--seed");
  expect_one_line("sweep nosuch", 2, "nosuch");
  expect_one_line("crash --points nosuch", 2, "nosuch");
}

TEST_F(Program, help_is_no_error) {
  for (const char* command : {"--help", "gate --help", "check --help", "replay --help",
                              "faults --help", "inspect --help", "version --help"}) {
    const Ended ended = run(command);
    EXPECT_EQ(ended.exit, 0) << command;
    EXPECT_NE(ended.out, "") << command;
  }
}

TEST_F(Program, sweep_and_crash_say_what_they_tried_and_find_what_is_planted) {
  write("good.json", good);
  const Ended swept = run("sweep --states 4 good.json");
  EXPECT_EQ(swept.exit, 0);
  EXPECT_NE(swept.out.find("vfs/sync"), std::string::npos) << swept.out;
  EXPECT_NE(swept.out.find("distinct crash states"), std::string::npos) << swept.out;
  const Ended unsynced = run("sweep --synchronous off --out found good.json");
  EXPECT_EQ(unsynced.exit, 1);
  EXPECT_NE(unsynced.out.find("leaseproof replay --engine simulated found/sweep-"),
            std::string::npos)
      << unsynced.out;

  const Ended killed = run("crash --points engine/start --rounds 8 --out found");
  EXPECT_EQ(killed.exit, 0) << killed.out;
  EXPECT_NE(killed.out.find("no violation"), std::string::npos) << killed.out;
  EXPECT_EQ(run("crash --points engine/start --rounds 1").exit, 4);
}

TEST_F(Program, explore_goes_on_where_it_was_ended) {
  const Ended whole = run("explore queue --jobs 1 --json");
  ASSERT_EQ(whole.exit, 0);
  Json counts = Json::parse(whole.out)["worlds"];
  EXPECT_EQ(run("explore queue --depth 4 --progress ended.json").exit, 4);
  EXPECT_EQ(run("explore queue --depth 7 --progress ended.json --jobs 2").exit, 4);
  // Of another search, or changed: told, and left as it is.
  EXPECT_EQ(run("explore chain --progress ended.json").exit, 2);
  EXPECT_EQ(run("explore queue --crashes 1 --progress ended.json").exit, 2);
  EXPECT_EQ(run("explore --progress ended.json").exit, 2);
  const std::string kept = read_file(path("ended.json")).value_or("");
  std::string changed = kept;
  changed.replace(changed.find("\"transitions\":"), 15, "\"transitions\":1");
  write("changed.json", changed);
  const Ended refused = run("explore queue --progress changed.json");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("changed.json: was changed"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(path("ended.json")).value_or(""), kept);
  const Ended rest = run("explore queue --progress ended.json --json");
  EXPECT_EQ(rest.exit, 0) << rest.err;
  EXPECT_EQ(Json::parse(rest.out)["worlds"], counts);
  EXPECT_FALSE(std::filesystem::exists(path("ended.json")));
}

TEST_F(Program, explore_says_what_it_searched_and_finds_what_is_planted) {
  const Ended whole = run("explore queue --jobs 1");
  EXPECT_EQ(whole.exit, 0) << whole.out;
  EXPECT_NE(whole.out.find("no violation"), std::string::npos) << whole.out;
  const Ended part = run("explore chain --depth 4");
  EXPECT_EQ(part.exit, 4);
  EXPECT_NE(part.out.find("states were reached and not explored"), std::string::npos) << part.out;
  EXPECT_EQ(run("explore nowhere").exit, 2);
  EXPECT_EQ(run("explore --engine disk").exit, 2);

  const Ended found = run("explore queue --engine mutant:commit_at_expiry_accepted --out found");
  EXPECT_EQ(found.exit, 1);
  EXPECT_NE(found.out.find("found/explore-no_stale_commit-queue.json"), std::string::npos)
      << found.out;
  EXPECT_EQ(run("replay found/explore-no_stale_commit-queue.json").exit, 0);
}

TEST_F(Program, shrink_makes_a_trace_as_short_as_it_goes_and_says_how_sure_that_is) {
  write("long.json", R"({"format": "leaseproof-trace/1", "name": "long", "steps": [
    {"do": "ensure", "workflow": "w", "identity": {}, "ops": [{"id": "a"}, {"id": "b"}]},
    {"do": "refresh"}, {"do": "refresh"},
    {"do": "lease", "worker": "A"}, {"do": "lease", "worker": "B"},
    {"do": "advance", "by_us": 20000000}, {"do": "advance", "by_us": 10000000},
    {"do": "observe"}, {"do": "complete", "worker": "A", "op": "a"}, {"do": "refresh"}]})");
  EXPECT_EQ(run("shrink long.json").exit, 4);
  EXPECT_EQ(run("shrink none.json").exit, 2);
  const Ended shrunk = run("shrink long.json --engine mutant:commit_at_expiry_accepted --json");
  EXPECT_EQ(shrunk.exit, 1);
  const Json told = Json::parse(shrunk.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << shrunk.out;
  EXPECT_EQ(told["steps"], 5);
  EXPECT_EQ(told["certificate"], "shortest");
  EXPECT_EQ(told["file"], "long.shrunk.json");
  EXPECT_EQ(run("replay long.shrunk.json").exit, 0);
  EXPECT_EQ(run("replay long.shrunk.json --engine mutant:commit_at_expiry_accepted").exit, 1);
}

// What comes up in so short a time is up to the machine, so that nothing may come up that has to.
TEST_F(Program, stress_leaves_nothing_wrong_and_verify_says_so_of_what_is_left) {
  const std::string small = "stress --processes 2 --workers 2 --seconds 1 --kill-every 150 --out ";
  const Ended ended = run(small + "left --skew 20 --json");
  EXPECT_TRUE(ended.exit == 0 || ended.exit == 4) << ended.out << ended.err;
  const Json told = Json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << ended.out;
  EXPECT_EQ(told["violation"], nullptr);
  EXPECT_GT(told["figures"]["succeeded"], 0);
  EXPECT_GT(told["figures"]["kills"], 0);
  EXPECT_GT(told["events"], told["figures"]["ops"]);
  write("full/of", "something");
  expect_one_line(small + "full", 2, "name a new folder");
  expect_one_line("verify --db nowhere.sqlite", 2, "nowhere.sqlite does not exist");
  write("text.sqlite", "no database");
  EXPECT_NE(run("verify --db text.sqlite").exit, 0);
}

TEST_F(Program, mutants_says_what_caught_each_and_what_nothing_caught) {
  const Ended caught = run("mutants --only finish_op/skip --runs 50");
  EXPECT_EQ(caught.exit, 0) << caught.out;
  EXPECT_NE(caught.out.find("1 hunts, 0 survived"), std::string::npos) << caught.out;
  // One run is not enough to see everything.
  const Ended survived = run("mutants --only resent_under_an_old_approval --runs 1 --random-only");
  EXPECT_EQ(survived.exit, 4) << survived.out;
  EXPECT_NE(survived.out.find("survived"), std::string::npos) << survived.out;
}

// Of patches: only what is refused before a build, or by it.
TEST_F(Program, mutants_refuses_patches_that_it_cannot_hunt) {
  expect_one_line("mutants --kind patch", 2, "--kind");
  expect_one_line("mutants --kind patches", 2, "patches are built from the source tree");
  EXPECT_NE(run("mutants --only finish_op/skip --runs 50").err.find("patches are built from the"),
            std::string::npos);
  expect_one_line("mutants --kind patches --source nowhere", 2, "nowhere/properties/mutants");
  expect_one_line("mutants --kind patches --source . --keep", 2, "--work DIR");

  const std::string patch = "a tree/properties/mutants/bug.patch";
  const std::string hunt = "mutants --kind patches --source 'a tree'";
  write(patch, "Name: bug\nSuffers: nobody\nSource: none\n\n");
  expect_one_line(hunt, 2, "bug.patch: line 4: must begin with 'Caught-by: '");
  write(patch,
        "Name: bug\nSuffers: nobody\nSource: none\nCaught-by: budgets\n\n"
        "--- a/engine/a.cpp\n+++ b/engine/a.cpp\n@@ -1 +1 @@\n-int a;\n+int b;\n");
  expect_one_line(hunt + " --only beetle", 2, "no mutant has 'beetle' in its name");
  expect_one_line(hunt, 2, "a tree is no source tree of leaseproof: it has no .cmake");

  for (const char* file : {".cmake/none", "CMakePresets.json", "model/none", "faults/none",
                           "engine/a.cpp", "scenarios/none"}) {
    write("a tree/" + std::string(file), "");
  }
  write("a tree/CMakeLists.txt", "message(FATAL_ERROR nonsense)");
  expect_one_line(hunt + " --work 'a tree'", 2, "holds something already");
  expect_one_line(hunt + " --work 'a tree/build'", 2, "lies in the source tree");
  expect_one_line(hunt + " --work new", 3, "bug.patch does not apply: the hunk in line 8 stands");
  write("a tree/engine/a.cpp", "int a;\n");
  const Ended ended = run(hunt + " --work new");
  EXPECT_EQ(ended.exit, 3) << ended.err;
  EXPECT_NE(ended.err.find("the copy cannot be configured: cmake ended with exit code 1"),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("  log: "), std::string::npos) << ended.err;
  EXPECT_EQ(read_file(path("a tree/engine/a.cpp")).value_or(""), "int a;\n");
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

TEST_F(Program, replay_says_for_each_file_what_it_shows) {
  write("good.json", good);
  write("broken.json", broken);
  write("later.json", later);
  write("bad.json",
        R"({"format": "leaseproof-trace/1", "name": "bad", "steps": [{"do": "leese"}]})");
  EXPECT_EQ(run("replay good.json").exit, 0);
  EXPECT_EQ(run("replay --engine disk good.json").exit, 0);

  const Ended violated = run("replay broken.json");
  EXPECT_EQ(violated.exit, 1);
  EXPECT_NE(violated.out.find("as_expected at step 2"), std::string::npos) << violated.out;
  EXPECT_NE(violated.out.find("+ a: pending"), std::string::npos) << violated.out;
  EXPECT_NE(violated.out.find("leaseproof replay broken.json"), std::string::npos) << violated.out;

  const Ended unsupported = run("replay later.json good.json");
  EXPECT_EQ(unsupported.exit, 4);
  EXPECT_NE(unsupported.out.find("unsupported  later.json: step 3 'refresh' needs the fault "
                                 "interleave at vfs/sync"),
            std::string::npos)
      << unsupported.out;
  write("empty.json", R"({"format": "leaseproof-trace/1", "name": "empty", "steps": []})");
  EXPECT_EQ(run("replay empty.json").exit, 4);

  const Ended bad = run("replay bad.json");
  EXPECT_EQ(bad.exit, 2);
  EXPECT_NE(bad.out.find("bad.json: step 1, key 'do': unknown word 'leese'; did you mean 'lease'?"),
            std::string::npos)
      << bad.out;
  EXPECT_EQ(run("replay missing.json").exit, 2);
  EXPECT_EQ(run("replay .").exit, 2);
  // A violation outranks a bad file, a bad file what could not be judged.
  EXPECT_EQ(run("replay bad.json broken.json later.json").exit, 1);
  EXPECT_EQ(run("replay bad.json later.json").exit, 2);
}

TEST_F(Program, ten_megabytes_of_nesting_are_one_clear_line) {
  write("deep.json", std::string(10'000'000, '['));
  const Ended ended = run("replay deep.json");
  EXPECT_EQ(ended.exit, 2);
  EXPECT_NE(ended.out.find("deep.json: nested deeper than 200 levels"), std::string::npos);
  EXPECT_LT(ended.out.size(), 200U);
}

TEST_F(Program, with_json_standard_output_holds_one_document) {
  write("good.json", good);
  write("broken.json", broken);
  for (const char* command :
       {"replay --json good.json broken.json", "faults --json", "version --json",
        "check --runs 20 --seed 1 --json", "replay --json missing.json"}) {
    const Ended ended = run(command);
    const auto document = parse_json(ended.out);
    // Seconds are no integers, so the strict reader may stop there, but nowhere else.
    if (!document) {
      EXPECT_NE(document.error().find("timing"), std::string::npos) << command << document.error();
    }
    EXPECT_EQ(ended.out.front(), '{') << command;
  }
}

TEST_F(Program, the_seed_is_always_printed_and_repeats_the_run) {
  const Ended first = run("check --runs 30 --jobs 1");
  ASSERT_EQ(first.out.rfind("seed ", 0), 0U) << first.out;
  const std::string seed = first.out.substr(5, first.out.find(',') - 5);
  const auto counts = [](const std::string& out) {
    const std::size_t at = out.find(" runs, ");
    return out.substr(at, out.find(" steps", at) - at);
  };
  const Ended second = run("check --runs 30 --jobs 2 --seed " + seed);
  EXPECT_EQ(counts(first.out), counts(second.out)) << first.out << second.out;
}

TEST_F(Program, a_violation_is_shrunk_told_written_and_can_be_replayed) {
  const std::string mutant = "mutant:completion_without_ownership";
  const Ended found = run("check --runs 2000 --seed 1 --out found --engine " + mutant);
  EXPECT_EQ(found.exit, 1) << found.out << found.err;
  EXPECT_NE(found.err.find("shrinking"), std::string::npos) << found.err;
  for (const char* part : {"VIOLATION of ", "  The rule: ", "  file      found/",
                           "leaseproof replay --engine mutant"}) {
    EXPECT_NE(found.out.find(part), std::string::npos) << part << "\n" << found.out;
  }
  const Ended again = run("replay --engine " + mutant + " found/*.json");
  EXPECT_EQ(again.exit, 1) << again.out;
  EXPECT_NE(again.out.find("occurs)"), std::string::npos) << again.out;
  const Ended mended = run("replay found/*.json");
  EXPECT_EQ(mended.exit, 0) << mended.out;
  EXPECT_NE(mended.out.find("does not occur"), std::string::npos) << mended.out;
}

TEST_F(Program, an_interrupted_search_writes_what_it_has) {
  // It prints its seed once it listens: however slow the machine, no interrupt comes too early.
  const Ended ended = run("check --runs 1000000000 --json", "",
                          "interrupt() { \"$@\" & until grep -q seed err; do sleep 0.05; done; "
                          "kill -INT $!; wait $!; }; interrupt");
  EXPECT_EQ(ended.exit, 130) << ended.err;
  EXPECT_NE(ended.out.find("\"verdict\": \"interrupted\""), std::string::npos) << ended.out;
}

TEST_F(Program, a_full_disk_is_an_environment_that_failed) {
  const Ended ended = run("faults", "/dev/full");
  EXPECT_EQ(ended.exit, 3) << ended.err;
  EXPECT_NE(ended.err.find("standard output"), std::string::npos) << ended.err;
  // Neither place takes a word: what the fixture appends is a comment to the shell.
  EXPECT_EQ(run("nonsense > /dev/full 2>&1 #").exit, 2);
}

TEST_F(Program, faults_lists_each_point_with_its_kinds) {
  const Ended ended = run("faults");
  EXPECT_EQ(ended.exit, 0);
  EXPECT_NE(ended.out.find("engine/complete/committed"), std::string::npos);
  EXPECT_NE(ended.out.find("interleave"), std::string::npos);
}

TEST_F(Program, version_names_sqlite_and_its_race) {
  const Ended ended = run("version");
  EXPECT_EQ(ended.exit, 0);
  EXPECT_NE(ended.out.find("SQLite 3."), std::string::npos);
  EXPECT_NE(ended.out.find("WAL-reset race"), std::string::npos);
}

TEST_F(Program, inspect_shows_a_database_and_leaves_it_alone) {
  engine::Options options;
  options.path = path("w.db");
  {
    auto opened = engine::Engine::open(options);
    ASSERT_TRUE(opened) << opened.error().sentence;
    model::Start start;
    start.workflow = "w\x1b[31m";
    start.ops.resize(1);
    start.ops[0].id = "a";
    ASSERT_EQ((*opened)->start(start).word, model::Word::created);
    ASSERT_EQ((*opened)->lease({"A", {}, {}, {}, {}}).outcome.word, model::Word::none);
    (*opened)->refresh();
    ASSERT_EQ((*opened)->lease({"A", {}, {}, {}, {}}).outcome.word, model::Word::leased);
  }
  const Ended text = run("inspect --db w.db");
  EXPECT_EQ(text.exit, 0) << text.err;
  for (const char* part :
       {"1 workflows", "1 ops", "leased by A until", "op_leased", "w\\x1b[31m"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  }
  const Ended json = run("inspect --db w.db --json");
  const auto document = parse_json(json.out);
  ASSERT_TRUE(document) << document.error();
  EXPECT_EQ(document->at("ops").at("a").at("status"), "running");
  EXPECT_EQ(document->at("journal").size(), document->at("events").at("count"));
  EXPECT_EQ(json.out.find("token_hash"), std::string::npos);
}

TEST_F(Program, inspect_refuses_what_is_no_database_of_ours) {
  expect_one_line("inspect --db missing.db", 2, "missing.db");
  write("text.db", std::string(4096, 'x'));
  expect_one_line("inspect --db text.db", 2, "text.db");
  write("empty.db", "");
  expect_one_line("inspect --db empty.db", 2, "empty.db");
  EXPECT_EQ(read_file(path("empty.db")).value_or("?"), "");
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
