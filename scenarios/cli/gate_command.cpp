#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct GateOptions {
  GatePlan plan;
  std::string time;
  bool json = false;
};

// A violation outranks everything; then what kept the gate from judging.
Exit worst(const std::vector<Phase>& phases) {
  Exit exit = phases.empty() ? Exit::inconclusive : Exit::held;
  for (const Exit rank : {Exit::inconclusive, Exit::wrong_input, Exit::environment,
                          Exit::interrupted, Exit::violation}) {
    for (const Phase& phase : phases) {
      if (phase.exit == rank) exit = rank;
    }
  }
  return exit;
}

// What the searches reached of the matrix. How many cells can be reached at all nobody knows, so
// each search is told against what all of them reached.
struct ReachedCells {
  std::size_t all = 0;
  std::map<std::string, std::size_t> by_phase;

  [[nodiscard]] std::string told() const {
    std::vector<std::string> parts;
    for (const auto& [phase, count] : by_phase) parts.push_back(fmt::format("{} {}", phase, count));
    return fmt::format("{} cells of status, action, answer and fault were reached; of these by {}",
                       all, fmt::join(parts, ", "));
  }
};

ReachedCells reached_cells(const std::vector<Phase>& phases) {
  ReachedCells reached;
  std::set<properties::CellId> all;
  for (const Phase& phase : phases) {
    if (phase.coverage.cells().empty()) continue;
    reached.by_phase[phase.name] = phase.coverage.cells().size();
    for (const auto& [cell, count] : phase.coverage.cells()) all.insert(cell);
  }
  reached.all = all.size();
  return reached;
}

Exit run(GateOptions options) {
  GatePlan& plan = options.plan;
  if (!options.time.empty()) plan.seconds = seconds_of(options.time);
  const Stopwatch watch;
  const ResultFile result(plan.out);
  const Folder folder;
  if (!options.json) print(fmt::format("seed {}\n", plan.seed));

  std::vector<Phase> phases;
  Json timing = Json::object();
  for (const GateStep& step : gate_steps()) {
    if (interrupted()) break;
    const Stopwatch phase_watch;
    Phase phase = step.run(plan, folder);
    phase.name = step.name;
    timing[phase.name] = phase_watch.seconds();
    if (!options.json) {
      print(fmt::format("{:<12} {:<13} {:>6.1f} s  {}\n", phase.name, word(phase.exit),
                        phase_watch.seconds(), phase.summary));
      if (!phase.story.empty()) print(phase.story);
    }
    phases.push_back(std::move(phase));
  }
  const Exit exit =
      interrupted() && worst(phases) != Exit::violation ? Exit::interrupted : worst(phases);
  const ReachedCells reached = reached_cells(phases);
  timing["seconds"] = watch.seconds();
  timing["jobs"] = plan.jobs;

  Json document{
      {"seed", plan.seed}, {"phases", Json::object()}, {"phases_left_out", Json::array()}};
  for (const GateStep& step : gate_steps()) {
    const bool ran = std::any_of(phases.begin(), phases.end(),
                                 [&](const Phase& phase) { return phase.name == step.name; });
    if (!ran) document["phases_left_out"].push_back(step.name);
  }
  document["coverage"] = {{"reached", reached.all}, {"by", reached.by_phase}};
  for (const Phase& phase : phases) {
    Json& json = document["phases"][phase.name] = phase.document;
    json["verdict"] = word(phase.exit);
    json["summary"] = phase.summary;
  }
  result.conclude(std::move(document), "gate", exit, std::move(timing), options.json);
  if (!options.json) {
    print(fmt::format("coverage: {}\n", reached.told()));
    print(fmt::format("{} in {:.1f} s; {}\n",
                      exit == Exit::held ? "PASSED" : "FAILED: " + std::string(word(exit)),
                      watch.seconds(), result.path().string()));
  }
  return exit;
}

}  // namespace

void add_gate(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<GateOptions>();
  GatePlan& plan = options->plan;
  plan.jobs = default_jobs();
  CLI::App* command = app.add_subcommand("gate", "Runs every check there is and gives one verdict");
  command
      ->add_option("--runs", plan.runs,
                   "Random interleavings in memory; three quarters of it on a simulated disk, a "
                   "twentieth on disk")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--time", options->time, "Stop each search after this long: 90, 90s, 5m, 1h");
  command->add_option("--seed", plan.seed, "Where the searches start")
      ->check(is_seed)
      ->capture_default_str();
  command->add_option("--jobs", plan.jobs, "Threads; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_option("--out", plan.out, "Folder for result.json and counterexamples")
      ->capture_default_str();
  command->add_option("--corpus", plan.corpus, "Folders of trace files that must hold")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
