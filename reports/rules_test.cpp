// Checks the table of rules: the green samples are ready, and each way to spoil them is told by the
// rule that it belongs to, with its verdict. Figures are for traceable_test.cpp.
#include "reports/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

using Documents = std::map<std::string, Json>;

struct Spoilt {
  std::string what;
  Verdict verdict;
  std::string rule;
  std::function<void(Documents&)> spoil;
};

struct Said {
  Verdict verdict;
  std::vector<std::string> rules;
};

Said said(const Documents& documents, const std::set<std::string>& waived = {}) {
  const std::vector<Source> sources = sample::sources(documents);
  const Judgement judgement = judge(Evidence(sources), waived);
  Said said{judgement.verdict, {}};
  for (const Judged& one : judgement.rules) {
    if (!one.reasons.empty() && !one.waived) said.rules.emplace_back(one.rule->id);
  }
  return said;
}

void end_as(Json& part, const char* verdict, int exit) {
  part["verdict"] = verdict;
  part["exit"] = exit;
}

const std::vector<Spoilt>& spoilt() {
  constexpr Verdict bad = Verdict::not_ready;
  constexpr Verdict open = Verdict::unknown;
  static const std::vector<Spoilt> rows{
      {"a counterexample", bad, "violation",
       [](Documents& all) {
         const std::string engine = all["check"]["engine"];
         all["check"] = sample::broken_check();
         all["check"]["engine"] = engine;
       }},
      {"a verdict without a counterexample", bad, "violation",
       [](Documents& all) { end_as(all["crash"], "violation", 1); }},
      {"a story of the corpus that breaks", bad, "violation",
       [](Documents& all) {
         all["gate"]["phases"]["corpus"]["files"]["a-cancel.json"]["disk"] =
             sample::broken_check()["violation"];
       }},
      {"a stress with a violation", bad, "violation",
       [](Documents& all) {
         all["stress"]["violation"] = {{"invariant", "journal_is_truth"}, {"why", "event 7"}};
       }},
      {"a count of violations alone", bad, "violation",
       [](Documents& all) {
         all["check"]["tally"]["invariants"]["no_stale_commit"]["violated"] = 1;
       }},
      {"a planted bug that the gate did not catch", bad, "mutant_survived",
       [](Documents& all) {
         auto& planted = all["gate"]["phases"]["mutants"]["planted"]["mutants"];
         planted["another"] = sample::planted(false);
       }},
      {"a mutant that survived", bad, "mutant_survived",
       [](Documents& all) { all["mutants"]["mutants"][0]["end"] = "survived"; }},
      {"a patch that something else caught", bad, "mutant_survived",
       [](Documents& all) { all["mutants"]["mutants"][0]["end"] = "otherwise"; }},
      {"a canary of the gate that was missed", bad, "canary_missed",
       [](Documents& all) { all["gate"]["phases"]["canary"]["result"]["caught"] = false; }},
      {"a canary of the sweep that was missed", bad, "canary_missed",
       [](Documents& all) { all["gate"]["phases"]["sweep"]["canary_caught"] = false; }},
      {"a benchmark that fell behind", bad, "bench_regressed",
       [](Documents& all) { all["bench"]["benchmarks"][0]["regressed"] = true; }},
      {"an interrupted run", open, "interrupted",
       [](Documents& all) { end_as(all["explore"], "interrupted", 130); }},
      {"an inconclusive run", open, "inconclusive",
       [](Documents& all) { end_as(all["check"], "inconclusive", 4); }},
      {"an inconclusive phase", open, "inconclusive",
       [](Documents& all) {
         all["gate"]["phases"]["disk"] = sample::search("disk");
         all["gate"]["phases"]["disk"]["summary"] = "no time";
         all["gate"]["phases"]["disk"]["verdict"] = "inconclusive";
       }},
      {"a phase whose environment failed", open, "inconclusive",
       [](Documents& all) {
         all["gate"]["phases"]["determinism"]["verdict"] = "environment_failed";
         all["gate"]["phases"]["determinism"]["same"] = nullptr;
       }},
      {"a goal that nobody reached", open, "goal_unreached",
       [](Documents& all) {
         for (Json* search : {&all["check"], &all["gate"]["phases"]["memory"],
                              &all["gate"]["phases"]["storage"]}) {
           (*search)["tally"]["goals"]["takeover"] = 0;
         }
       }},
      {"a fault that never struck", open, "fault_unfired",
       [](Documents& all) { all["check"]["tally"]["faults_fired"]["vfs/sync"]["power_loss"] = 0; }},
      {"an excuse that is wrong", open, "excuse_wrong",
       [](Documents& all) { all["mutants"]["mutants"][0]["wrongly_excused"] = true; }},
      {"two builds", open, "builds_mixed",
       [](Documents& all) { all["crash"]["build"]["sanitizers"] = {"address"}; }},
      {"two SQLites", open, "sqlites_mixed",
       [](Documents& all) { all["crash"]["sqlite"]["source_id"] = "another"; }},
      {"a program behind a pipe", open, "other_engine",
       [](Documents& all) { all["check"]["engine"] = "sut:./mine"; }},
      {"a planted bug that was not found", open, "other_engine",
       [](Documents& all) { all["explore"]["engine"] = "mutant:newest_first"; }},
      {"a stress with a planted bug", open, "other_engine",
       [](Documents& all) { all["stress"]["bug"] = "deferred_transaction"; }},
      {"no corpus", open, "corpus", [](Documents& all) { all["gate"]["phases"].erase("corpus"); }},
      {"no search in memory", open, "search_in_memory",
       [](Documents& all) {
         all.erase("check");
         all["gate"]["phases"]["memory"]["faults"] = false;
       }},
      {"no search on a disk that fails", open, "search_on_a_failing_disk",
       [](Documents& all) { all["gate"]["phases"].erase("storage"); }},
      {"no sweep", open, "sweep",
       [](Documents& all) {
         all.erase("sweep");
         all["gate"]["phases"].erase("sweep");
       }},
      {"no world to its last state", open, "exhaustive",
       [](Documents& all) {
         for (Json* one : {&all["explore"], &all["gate"]["phases"]["explore"]}) {
           (*one)["worlds"][0]["complete"] = false;
         }
       }},
      {"no planted bugs", open, "planted_bugs",
       [](Documents& all) { all["gate"]["phases"].erase("mutants"); }},
      {"no determinism", open, "determinism",
       [](Documents& all) { all["gate"]["phases"].erase("determinism"); }},
      {"kills at some points only", open, "real_kills",
       [](Documents& all) { all["crash"]["only"] = {"engine/lease"}; }},
      {"rounds without a kill", open, "real_kills",
       [](Documents& all) { all["crash"]["kills"] = 0; }},
      {"a stress without kills", open, "real_threads",
       [](Documents& all) { all["stress"]["figures"]["kills"] = 0; }},
      {"a stress without events", open, "real_threads",
       [](Documents& all) { all["stress"]["events"] = 0; }},
      {"a bench without a baseline", open, "speed",
       [](Documents& all) { all["bench"].erase("baseline"); }},
      {"a baseline that names none of the benchmarks", open, "speed",
       [](Documents& all) { all["bench"]["benchmarks"][0].erase("regressed"); }}};
  return rows;
}

bool is_required(const std::string& id) {
  const auto& rows = required_evidence();
  return std::any_of(rows.begin(), rows.end(), [&](const Rule& rule) { return rule.id == id; });
}

TEST(Rules, all_that_is_required_and_nothing_wrong_is_ready) {
  const Said green = said(sample::green());
  EXPECT_EQ(green.verdict, Verdict::ready);
  EXPECT_TRUE(green.rules.empty()) << green.rules.front();
}

TEST(Rules, each_speaks_of_what_it_is_there_for_and_no_other_does) {
  std::set<std::string> spoken;
  for (const Spoilt& one : spoilt()) {
    Documents documents = sample::green();
    one.spoil(documents);
    const Said now = said(documents);
    EXPECT_EQ(now.verdict, one.verdict) << one.what;
    std::vector<std::string> rules_that_spoke = now.rules;
    // What did not hold is no evidence either.
    if (!is_required(one.rule)) std::erase_if(rules_that_spoke, is_required);
    EXPECT_EQ(rules_that_spoke, std::vector<std::string>{one.rule}) << one.what;
    spoken.insert(one.rule);
  }
  for (const Rule& rule : rules()) EXPECT_TRUE(spoken.contains(std::string(rule.id))) << rule.id;
}

TEST(Rules, what_is_wrong_outranks_what_is_missing) {
  Documents documents = sample::green();
  documents.erase("stress");
  documents["bench"]["benchmarks"][0]["regressed"] = true;
  EXPECT_EQ(said(documents).verdict, Verdict::not_ready);
}

TEST(Rules, only_required_evidence_can_be_waived) {
  Documents documents = sample::green();
  documents.erase("bench");
  EXPECT_EQ(said(documents).verdict, Verdict::unknown);
  EXPECT_EQ(said(documents, {"speed"}).verdict, Verdict::ready);
  documents["mutants"]["mutants"][0]["end"] = "survived";
  EXPECT_EQ(said(documents, {"speed", "mutant_survived"}).verdict, Verdict::not_ready);
}

TEST(Rules, a_single_command_is_not_enough) {
  for (const auto& [name, document] : sample::green()) {
    EXPECT_EQ(said({{name, document}}).verdict, Verdict::unknown) << name;
  }
}

}  // namespace
}  // namespace leaseproof::reports
