#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/exploring.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct ExploreOptions {
  ExplorePlan plan;
  bool list = false;
  bool json = false;
};

Exit list_worlds() {
  std::string text;
  for (const auto& row : properties::worlds()) {
    text += fmt::format("{:<16} {}\n", row.name, row.sentence);
  }
  print(text);
  return Exit::held;
}

Exit run(const ExploreOptions& options) {
  if (options.list) return list_worlds();
  const ResultFile result(options.plan.out);
  const ExploreEnd end = explore(options.plan);
  if (!options.json) {
    print(told_exploration(options.plan, end));
    if (end.exit == Exit::held) print("no violation\n");
  }
  Json document = exploration_json(options.plan, end);
  Json worlds = Json::object();
  for (const ExploredWorld& one : end.worlds) {
    worlds[std::string(one.world->name)] = one.seconds;
  }
  return result.conclude(
      std::move(document), "explore", end.exit,
      {{"seconds", end.seconds}, {"jobs", options.plan.jobs}, {"worlds", std::move(worlds)}},
      options.json);
}

}  // namespace

void add_explore(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<ExploreOptions>();
  ExplorePlan& plan = options->plan;
  plan.jobs = default_jobs();
  CLI::App* command = app.add_subcommand(
      "explore", "Searches every interleaving of small worlds on the engine, breadth first");
  command->add_option("WORLD", plan.worlds, "Names of worlds, see --list (all where none is named)")
      ->check(is_world);
  command->add_flag("--list", options->list, "Prints the worlds and what each is there for");
  command->add_option("--engine", plan.engine, "simulated, mutant:NAME, or model by itself")
      ->check(is_explorable)
      ->capture_default_str();
  command->add_option("--crashes", plan.crashes, "On one path, in place of what the world says")
      ->check(CLI::Range(0, 8));
  command->add_option("--busies", plan.busies, "On one path, in place of what the world says")
      ->check(CLI::Range(0, 8));
  command->add_option("--losses", plan.losses, "Of power, on one path, in place of the world's")
      ->check(CLI::Range(0, 8));
  command
      ->add_option("--refusals", plan.refusals, "By the disk, on one path, in place of the world's")
      ->check(CLI::Range(0, 8));
  command->add_option("--states", plan.most_states, "Stops a world after so many")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--depth", plan.most_depth, "Stops a world after so many moves on a path")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--jobs", plan.jobs, "Threads; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_option("--out", plan.out, "Folder for result.json and a counterexample")
      ->capture_default_str();
  command->add_option("--progress", plan.progress,
                      "File that a search which ends early is left in, and goes on from");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
