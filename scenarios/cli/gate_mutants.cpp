#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/mutants.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/cli/progress.hpp"

namespace leaseproof::scenarios::cli {

namespace {

HuntPlan hunt_of(const GatePlan& plan) {
  HuntPlan hunt_plan;
  // The rarest planted bug needs some hundred interleavings; far more means that generators went
  // blind.
  hunt_plan.runs = 20'000;
  hunt_plan.shrink_budget = 0;
  hunt_plan.jobs = plan.jobs;
  return hunt_plan;
}

// By random search alone: a bug that only a search of everything finds would say that generators
// went blind.
std::vector<Quarry> quarries(const GatePlan& plan) {
  std::vector<Quarry> all = planted_bugs(plan.seed);
  for (Quarry& one : all) one.exhaustive = {};
  return all;
}

Json told(const HuntedMutant& one) {
  Json json{{"suffering", one.change}, {"source", one.source}, {"caught", false}};
  if (one.end == Catch::survived) return json;
  json["caught"] = true;
  json["by"] = one.end == Catch::violation ? one.by : std::string(word(one.end));
  json["run"] = one.run;
  return json;
}

}  // namespace

Phase watch_the_canary(const GatePlan& plan, const Folder& /*folder*/) {
  Phase phase;
  std::vector<Quarry> all = quarries(plan);
  std::erase_if(all, [](const Quarry& one) { return one.name != properties::canary().name; });
  const std::vector<HuntedMutant> hunted = hunt(all, hunt_of(plan));
  if (hunted.empty()) {
    phase.exit = Exit::interrupted;
    return phase;
  }
  const HuntedMutant& canary = hunted.front();
  phase.document = {{"name", canary.name}, {"result", told(canary)}};
  if (canary.end != Catch::survived) {
    phase.summary = fmt::format("{} caught by {} in run {}", canary.name, canary.by, canary.run);
  } else {
    phase.exit = interrupted() ? Exit::interrupted : Exit::inconclusive;
    phase.summary = fmt::format("{} was not caught: this gate sees nothing", canary.name);
  }
  return phase;
}

Phase hunt_mutants(const GatePlan& plan, const Folder& /*folder*/) {
  Phase phase;
  const std::vector<Quarry> all = quarries(plan);
  Progress progress("gate mutants", static_cast<std::int64_t>(all.size()));
  HuntPlan hunt_plan = hunt_of(plan);
  hunt_plan.progress = [&](std::size_t done) { progress.at(static_cast<std::int64_t>(done)); };
  const std::vector<HuntedMutant> hunted = hunt(all, hunt_plan);
  Json by_name = Json::object();
  std::vector<std::string> survivors;
  for (const HuntedMutant& one : hunted) {
    by_name[one.name] = told(one);
    if (one.end == Catch::survived) survivors.push_back(one.name);
  }
  const std::size_t caught = by_name.size() - survivors.size();
  phase.document = {{"caught", caught}, {"survivors", survivors}, {"mutants", by_name}};
  phase.summary = fmt::format("{} of {} planted bugs caught", caught, all.size());
  if (interrupted()) {
    phase.exit = Exit::interrupted;
  } else if (!survivors.empty()) {
    phase.exit = Exit::inconclusive;
    phase.summary += fmt::format("; not caught: {}", fmt::join(survivors, ", "));
  }
  return phase;
}

}  // namespace leaseproof::scenarios::cli
