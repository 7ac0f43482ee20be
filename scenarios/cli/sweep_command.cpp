#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/corpus.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/sweeping.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct SweepOptions {
  SweepPlan plan;
  std::vector<std::filesystem::path> paths;
  std::string synchronous;
  bool json = false;
};

properties::Synchronous synchronous_named(const std::string& word) {
  if (word == "normal") return properties::Synchronous::normal;
  return word == "off" ? properties::Synchronous::off : properties::Synchronous::full;
}

Exit run(const SweepOptions& options) {
  std::vector<Scenario> scenarios =
      scenarios_in(options.paths.empty() ? corpus_folders() : options.paths);
  if (!options.synchronous.empty()) {
    for (Scenario& scenario : scenarios) {
      scenario.config.synchronous = synchronous_named(options.synchronous);
    }
  }
  const ResultFile result(options.plan.out);
  const SweepEnd end = sweep(scenarios, options.plan);
  if (!options.json) {
    print(told_sweep(end));
    if (end.exit == Exit::held) print("no violation\n");
  }
  Json document = sweep_json(end);
  document["seed"] = options.plan.seed;
  document["one_step_in"] = options.plan.one_step_in;
  document["whole_corpus"] = options.paths.empty();
  return result.conclude(std::move(document), "sweep", end.exit,
                         {{"seconds", end.seconds}, {"jobs", options.plan.jobs}}, options.json);
}

}  // namespace

void add_sweep(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<SweepOptions>();
  SweepPlan& plan = options->plan;
  plan.jobs = default_jobs();
  CLI::App* command = app.add_subcommand(
      "sweep",
      "Tries every fault at every step of trace files, and every state a power loss leaves");
  command->add_option("SCENARIO", options->paths,
                      "Trace files, or folders of them (the corpus where none is named)");
  command->add_option("--seed", plan.seed, "Of the crash states, where a moment has too many")
      ->check(is_seed)
      ->capture_default_str();
  command
      ->add_option("--states", plan.states_a_moment,
                   "Crash states of one moment that are looked at, at most")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
  command->add_option("--one-step-in", plan.one_step_in, "Sweep only one step in so many")
      ->check(is_count)
      ->capture_default_str();
  command
      ->add_option("--synchronous", options->synchronous,
                   "full, normal or off, whatever the files say")
      ->check(CLI::IsMember({"full", "normal", "off"}));
  command->add_option("--jobs", plan.jobs, "Threads; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_option("--out", plan.out, "Folder for result.json and a counterexample")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
