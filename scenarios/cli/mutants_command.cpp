#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "properties/engine_sut.hpp"
#include "properties/mutants.hpp"
#include "properties/mutants_automatic.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/stopwatch.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct MutantsOptions {
  HuntPlan plan;
  std::string only;
  std::string kind = "all";
  std::int64_t sample = 0;
  bool json = false;
};

std::vector<Quarry> planted() {
  std::vector<Quarry> all;
  for (const properties::Mutant& mutant : properties::mutants()) {
    const auto texts = properties::mutated(mutant);
    all.push_back({std::string(mutant.name),
                   std::string(mutant.suffering),
                   {properties::engine_in_memory(texts)},
                   properties::engine_for_branching(texts)});
  }
  for (const properties::StorageBugRow& bug : properties::storage_bugs()) {
    all.push_back({std::string(bug.name),
                   std::string(bug.suffering),
                   {properties::engine_on_simulated_disk(bug.bug)},
                   {}});
  }
  return all;
}

std::vector<Quarry> automatic(std::vector<std::string>& stillborn) {
  std::vector<Quarry> all;
  const properties::Rig rig = properties::engine_for_branching()();
  rig.sut->reset({});
  sqlite3* database = dynamic_cast<properties::EngineSut&>(*rig.sut).engine().connection().handle();
  for (const properties::CatalogueMutant& mutant : properties::catalogue_mutants()) {
    if (!properties::compiles(mutant, database)) {
      stillborn.push_back(mutant.name);
      continue;
    }
    const auto texts = properties::mutated(mutant);
    all.push_back(
        {mutant.name,
         mutant.change,
         {properties::engine_in_memory(texts), properties::engine_on_simulated_disk(texts)},
         properties::engine_for_branching(texts)});
  }
  return all;
}

Exit run(const MutantsOptions& options) {
  const Stopwatch watch;
  std::vector<std::string> stillborn;
  std::vector<Quarry> all;
  if (options.kind != "automatic") all = planted();
  if (options.kind != "planted") {
    auto made = automatic(stillborn);
    std::move(made.begin(), made.end(), std::back_inserter(all));
  }
  if (!options.only.empty()) {
    std::erase_if(
        all, [&](const Quarry& one) { return one.name.find(options.only) == std::string::npos; });
  }
  HuntPlan plan = options.plan;
  Progress progress("mutants", static_cast<std::int64_t>(all.size()));
  plan.progress = [&](std::size_t done) { progress.at(static_cast<std::int64_t>(done)); };
  print(fmt::format("{:<42}{:<11}{:<30}{:>6}{:>7}{:>9}{:>9}\n", "mutant", "end", "by", "run",
                    "steps", "shortest", "ms"));
  std::size_t survived = 0;
  plan.told = [&](const HuntedMutant& one) {
    progress.clear();
    std::string text = fmt::format("{:<42}{:<11}{:<30}{:>6}{:>7}{:>9}{:>9.1f}\n", one.name,
                                   word(one.end), one.by, one.run, one.steps, one.shortest, one.ms);
    if (one.end == Catch::survived) {
      ++survived;
      text += fmt::format("    {}\n", one.change);
    }
    print(text);
  };
  const std::vector<HuntedMutant> hunted = hunt(all, plan);
  progress.clear();
  print(fmt::format("{} mutants, {} survived, {} do not compile, {:.1f} s\n", hunted.size(),
                    survived, stillborn.size(), watch.seconds()));
  if (interrupted()) return Exit::interrupted;
  return survived == 0 ? Exit::held : Exit::inconclusive;
}

}  // namespace

void add_mutants(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<MutantsOptions>();
  HuntPlan& plan = options->plan;
  plan.jobs = default_jobs();
  CLI::App* command = app.add_subcommand(
      "mutants", "Hunts every planted bug and every small change of a statement");
  command->add_option("--seed", plan.seed, "Of the searches")
      ->check(is_seed)
      ->capture_default_str();
  command->add_option("--runs", plan.runs, "Runs of each search, at most")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--only", options->only, "Only mutants with this in their name");
  command->add_option("--kind", options->kind, "planted, automatic or all")
      ->check(CLI::IsMember({"planted", "automatic", "all"}))
      ->capture_default_str();
  command->add_option("--jobs", plan.jobs, "Processes at once; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
