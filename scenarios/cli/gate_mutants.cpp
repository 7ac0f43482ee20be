#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <utility>

#include "properties/mutants.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/mutant_change.hpp"
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
  Json json = change_json(one);
  json["suffering"] = one.change;
  json["source"] = one.source;
  json["caught"] = false;
  if (one.end == Catch::survived) return json;
  json["caught"] = true;
  json["by"] = one.end == Catch::violation ? one.by : std::string(word(one.end));
  json["run"] = one.run;
  return json;
}

// Some of those that are made of the statements, by the seed; the rest is `leaseproof mutants`.
std::vector<Quarry> some_automatic(std::uint64_t seed) {
  constexpr std::size_t sample = 24;
  std::vector<std::string> stillborn;
  std::vector<Quarry> all = automatic_mutants(seed, stillborn);
  std::erase_if(all, [](const Quarry& one) { return one.is_excused; });
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < std::min(sample, all.size()); ++i) {
    std::swap(all[i], all[i + random() % (all.size() - i)]);
  }
  all.resize(std::min(sample, all.size()));
  return all;
}

// What was hunted, and who of it was not caught.
Json told(const std::vector<HuntedMutant>& hunted, std::vector<std::string>& survivors) {
  Json by_name = Json::object();
  const std::size_t before = survivors.size();
  for (const HuntedMutant& one : hunted) {
    by_name[one.name] = told(one);
    if (one.end == Catch::survived) survivors.push_back(one.name);
  }
  const std::size_t caught = hunted.size() - (survivors.size() - before);
  return {{"caught", caught},
          {"hunted", hunted.size()},
          {"mutants", std::move(by_name)},
          {"statements", statements_json(hunted)}};
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
  const std::vector<Quarry> planted = quarries(plan);
  const std::vector<Quarry> automatic = some_automatic(plan.seed);
  Progress progress("gate mutants", static_cast<std::int64_t>(planted.size() + automatic.size()));
  HuntPlan hunt_plan = hunt_of(plan);
  std::size_t before = 0;
  hunt_plan.progress = [&](std::size_t done) {
    progress.at(static_cast<std::int64_t>(before + done));
  };
  std::vector<std::string> survivors;
  Json of_planted = told(hunt(planted, hunt_plan), survivors);
  before = planted.size();
  hunt_plan.runs = HuntPlan().runs;
  Json of_automatic = told(hunt(automatic, hunt_plan), survivors);
  phase.summary = fmt::format("{} of {} planted bugs caught, {} of {} changed statements",
                              of_planted["caught"].get<std::size_t>(), planted.size(),
                              of_automatic["caught"].get<std::size_t>(), automatic.size());
  phase.document = {{"planted", std::move(of_planted)},
                    {"automatic", std::move(of_automatic)},
                    {"survivors", survivors}};
  if (interrupted()) {
    phase.exit = Exit::interrupted;
  } else if (!survivors.empty()) {
    phase.exit = Exit::inconclusive;
    phase.summary += fmt::format("; not caught: {}", fmt::join(survivors, ", "));
  }
  return phase;
}

}  // namespace leaseproof::scenarios::cli
