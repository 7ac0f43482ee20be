#include "scenarios/cli/gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "properties/goals.hpp"
#include "scenarios/cli/campaign.hpp"
#include "scenarios/cli/exploring.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/sweeping.hpp"
#include "scenarios/file.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

Campaign campaign_of(const GatePlan& plan, std::string_view engine) {
  Campaign campaign;
  campaign.name = fmt::format("gate {}", engine);
  campaign.engine = engine;
  campaign.seed = plan.seed;
  campaign.runs = plan.runs;
  campaign.seconds = plan.seconds;
  campaign.jobs = plan.jobs;
  campaign.out = plan.out;
  return campaign;
}

namespace {

// A counterexample stands beside the result that tells of it.
void keep_beside(const std::filesystem::path& file, const std::filesystem::path& out) {
  const auto text = read_file(file);
  if (!text) throw EnvironmentFailed{text.error().text};
  if (const auto written = write_file(out / file.filename(), *text); !written) {
    throw EnvironmentFailed{written.error().text};
  }
}

Phase replay_corpus(const GatePlan& plan, const Folder& folder) {
  Phase phase;
  std::int64_t held = 0;
  std::vector<std::string> left_out;
  Json results = Json::object();
  for (const auto& file : trace_files(plan.corpus)) {
    const Scenario scenario = scenario_in(file);
    const auto engines = needs_disk(scenario) ? std::vector<std::string_view>{on_simulated_disk}
                                              : std::vector<std::string_view>{in_memory, on_disk};
    for (const std::string_view engine : engines) {
      const Replay result = replay(scenario, engine_named(engine, folder)());
      const std::string name = file.filename().string();
      Json& told = results[name][std::string(engine)];
      switch (result.verdict) {
        case Verdict::ok:
          told = "ok";
          ++held;
          break;
        case Verdict::violation:
          told = kept_violation_json(*result.violation, name, std::string(engine), result);
          keep_beside(file, plan.out);
          phase.exit = Exit::violation;
          phase.story += told_violation(result, file.string(), std::string(engine));
          break;
        case Verdict::unsupported:
        case Verdict::not_followed:
          told = result.reason;
          left_out.push_back(fmt::format("{}: {}", name, result.reason));
          break;
      }
    }
  }
  if (phase.exit == Exit::held && (held == 0 || !left_out.empty())) {
    phase.exit = Exit::inconclusive;
  }
  phase.summary = fmt::format("{} replays held", held);
  if (!left_out.empty())
    phase.summary += fmt::format("; not judged: {}", fmt::join(left_out, "; "));
  phase.document = {{"held", held}, {"files", results}};
  return phase;
}

Phase as_phase(const Campaign& campaign, const CampaignEnd& end) {
  Phase phase;
  phase.exit = end.exit;
  phase.document = campaign_json(campaign, end);
  phase.coverage = end.result.coverage;
  const properties::Tally& tally = end.result.tally;
  const std::size_t goals = properties::goals_asked_for(tally);
  const auto reached = std::count_if(tally.goals.begin(), tally.goals.end(),
                                     [](std::int64_t count) { return count > 0; });
  phase.summary = fmt::format("{} runs, {} steps, {} of {} goals reached", end.result.runs_done,
                              tally.steps, reached, goals);
  if (!end.why.empty()) phase.summary += "; " + end.why;
  if (end.exit == Exit::violation) phase.story = told_campaign(campaign, end);
  return phase;
}

Phase search_in_memory(const GatePlan& plan, const Folder& folder) {
  const Campaign campaign = campaign_of(plan, in_memory);
  return as_phase(campaign, hunt(campaign, engine_named(in_memory, folder)));
}

Phase search_on_disk(const GatePlan& plan, const Folder& folder) {
  Campaign campaign = campaign_of(plan, on_disk);
  constexpr std::int64_t slower = 20;
  campaign.runs = std::max<std::int64_t>(plan.runs / slower, 1);
  campaign.goals = Goals::none;  // the same walks in memory have shown that they reach them
  return as_phase(campaign, hunt(campaign, engine_named(on_disk, folder)));
}

// On a disk that fails and loses its power, which real files cannot be made to do.
Phase search_on_simulated_disk(const GatePlan& plan, const Folder& folder) {
  Campaign campaign = campaign_of(plan, on_simulated_disk);
  campaign.runs = std::max<std::int64_t>(plan.runs * 3 / 4, 1);
  campaign.goals = Goals::disk_faults;
  return as_phase(campaign, hunt(campaign, engine_named(on_simulated_disk, folder)));
}

// A sample of the sweep; the rest is `leaseproof sweep`. An engine that does not sync has to be
// caught by the same means.
Phase sweep_some_steps(const GatePlan& plan, const Folder& /*folder*/) {
  SweepPlan sweep_plan;
  sweep_plan.seed = plan.seed;
  sweep_plan.jobs = plan.jobs;
  sweep_plan.out = plan.out;
  constexpr std::int64_t sample = 60;
  sweep_plan.one_step_in = sample;
  const SweepEnd end = sweep(scenarios_in(plan.corpus), sweep_plan);
  Phase phase;
  phase.exit = end.exit;
  phase.document = sweep_json(end);
  phase.document["one_step_in"] = sample;
  phase.summary = fmt::format("{} steps, {} runs with a fault, {} distinct crash states", end.steps,
                              end.sum.runs, end.sum.crash_states);
  if (end.exit == Exit::violation) phase.story = told_sweep(end);
  if (end.exit != Exit::held) return phase;

  Scenario unsynced;
  unsynced.name = "the canary of the sweep";
  properties::Case small = properties::small_case();
  unsynced.config = small.config;
  unsynced.steps = std::move(small.steps);
  unsynced.config.synchronous = properties::Synchronous::off;
  sweep_plan.one_step_in = 1;
  sweep_plan.out = plan.out / "canary";
  const bool caught = sweep({unsynced}, sweep_plan).exit == Exit::violation;
  phase.document["canary_caught"] = caught;
  if (!caught) {
    phase.exit = interrupted() ? Exit::interrupted : Exit::inconclusive;
    phase.summary += "; an engine that does not sync was not caught: this sweep sees nothing";
  }
  return phase;
}

// Those of the small worlds that take no second; the rest is `leaseproof explore`.
Phase explore_small_worlds(const GatePlan& plan, const Folder& /*folder*/) {
  ExplorePlan explore_plan;
  explore_plan.worlds = {"chain",   "deadline", "queue",  "two_workflows",
                         "context", "approval", "opaque", "two_buckets"};
  explore_plan.jobs = plan.jobs;
  explore_plan.out = plan.out;
  const ExploreEnd end = explore(explore_plan);
  Phase phase;
  phase.exit = end.exit;
  phase.document = exploration_json(explore_plan, end);
  std::size_t states = 0;
  std::size_t transitions = 0;
  for (const ExploredWorld& one : end.worlds) {
    states += one.found.states;
    transitions += one.found.transitions;
  }
  phase.summary = fmt::format("{} worlds, {} states, {} transitions, each on the engine",
                              end.worlds.size(), states, transitions);
  if (!end.why.empty()) phase.summary += "; " + end.why;
  if (end.exit == Exit::violation) phase.story = told_exploration(explore_plan, end);
  return phase;
}

}  // namespace

const std::vector<GateStep>& gate_steps() {
  static const std::vector<GateStep> steps{{"corpus", replay_corpus},
                                           {"memory", search_in_memory},
                                           {"disk", search_on_disk},
                                           {"storage", search_on_simulated_disk},
                                           {"sweep", sweep_some_steps},
                                           {"explore", explore_small_worlds},
                                           {"canary", watch_the_canary},
                                           {"mutants", hunt_mutants},
                                           {"determinism", same_seed_same_result}};
  return steps;
}

}  // namespace leaseproof::scenarios::cli
