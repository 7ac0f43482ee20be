#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/engine_sut.hpp"
#include "properties/mutants.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios::cli {

namespace {

// The rarest planted bug needs some hundred interleavings; far more means that generators went
// blind.
constexpr std::int64_t enough_runs = 20'000;

properties::SearchResult hunt_one(const GatePlan& plan, const properties::MakeRig& make) {
  properties::SearchOptions options;
  options.seed = plan.seed;
  options.runs = enough_runs;
  options.shrink = false;
  options.jobs = plan.jobs;
  options.stop = interrupted;
  options.runner.decode = decode_journal;
  return properties::search(make, options);
}

properties::SearchResult hunt_one(const GatePlan& plan, const properties::Mutant& mutant) {
  return hunt_one(plan, properties::engine_in_memory(properties::mutated(mutant)));
}

template <class Bug>
Json told(const Bug& mutant, const properties::SearchResult& result) {
  Json json{{"suffering", mutant.suffering}, {"source", mutant.source}, {"caught", false}};
  if (const auto& found = result.counterexample) {
    json["caught"] = true;
    json["by"] = found->violation.invariant;
    json["run"] = found->run;
  }
  return json;
}

}  // namespace

Phase watch_the_canary(const GatePlan& plan, const Folder& /*folder*/) {
  Phase phase;
  const properties::Mutant& canary = properties::canary();
  const properties::SearchResult result = hunt_one(plan, canary);
  phase.document = {{"name", canary.name}, {"result", told(canary, result)}};
  if (result.counterexample) {
    phase.summary =
        fmt::format("{} caught by {} in run {}", canary.name,
                    result.counterexample->violation.invariant, result.counterexample->run);
  } else {
    phase.exit = interrupted() ? Exit::interrupted : Exit::inconclusive;
    phase.summary = fmt::format("{} was not caught in {} runs: this gate sees nothing", canary.name,
                                result.runs_done);
  }
  return phase;
}

Phase hunt_mutants(const GatePlan& plan, const Folder& /*folder*/) {
  Phase phase;
  Json by_name = Json::object();
  std::vector<std::string_view> survivors;
  Progress progress("gate mutants", 0);
  std::int64_t runs = 0;
  for (const properties::Mutant& mutant : properties::mutants()) {
    if (interrupted()) break;
    const properties::SearchResult result = hunt_one(plan, mutant);
    runs += result.runs_done;
    progress.at(runs);
    by_name[std::string(mutant.name)] = told(mutant, result);
    if (!result.counterexample) survivors.push_back(mutant.name);
  }
  for (const properties::StorageBugRow& bug : properties::storage_bugs()) {
    if (interrupted()) break;
    const properties::SearchResult result =
        hunt_one(plan, properties::engine_on_simulated_disk(bug.bug));
    runs += result.runs_done;
    progress.at(runs);
    by_name[std::string(bug.name)] = told(bug, result);
    if (!result.counterexample) survivors.push_back(bug.name);
  }
  const std::size_t planted = properties::mutants().size() + properties::storage_bugs().size();
  const std::size_t caught = by_name.size() - survivors.size();
  phase.document = {{"caught", caught}, {"survivors", survivors}, {"mutants", by_name}};
  phase.summary = fmt::format("{} of {} planted bugs caught", caught, planted);
  if (interrupted()) {
    phase.exit = Exit::interrupted;
  } else if (!survivors.empty()) {
    phase.exit = Exit::inconclusive;
    phase.summary += fmt::format("; not caught: {}", fmt::join(survivors, ", "));
  }
  return phase;
}

}  // namespace leaseproof::scenarios::cli
