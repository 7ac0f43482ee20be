#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "scenarios/cli/crashing.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct CrashOptions {
  CrashPlan plan;
  bool json = false;
};

Exit run(const CrashOptions& options) {
  const Folder folder;
  const ResultFile result(options.plan.out);
  const CrashEnd end = crash(options.plan, folder);
  if (!options.json) {
    print(told_crash(end));
    if (end.exit == Exit::held) print("no violation\n");
  }
  Json document = crash_json(end);
  document["seed"] = options.plan.seed;
  document["only"] = options.plan.points;
  return result.conclude(std::move(document), "crash", end.exit, crash_timing_json(end),
                         options.json);
}

}  // namespace

void add_crash(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<CrashOptions>();
  CrashPlan& plan = options->plan;
  CLI::App* command = app.add_subcommand(
      "crash", "Kills processes on real files at every fault point, and judges what they left");
  command
      ->add_option("--points", plan.points,
                   "Only what begins so: engine/lease, 'vfs/write wal'; several by commas")
      ->delimiter(',');
  command->add_option("--rounds", plan.rounds, "Dealt out to the points in turn")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--seed", plan.seed, "Repeats all rounds")
      ->check(is_seed)
      ->capture_default_str();
  command->add_option("--out", plan.out, "Folder for result.json and a counterexample")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
