#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "scenarios/cli/campaign.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct CheckOptions {
  std::optional<std::int64_t> runs;
  std::string time;
  std::optional<std::uint64_t> seed;
  int workers = 3;
  std::string faults = "on";
  int jobs = default_jobs();
  std::string out = "leaseproof-found/check";
  EngineChoice engine;
  bool json = false;
};

Exit run(const CheckOptions& options) {
  constexpr std::int64_t usual_runs = 2000;
  Campaign campaign;
  campaign.name = "check";
  campaign.engine = options.engine.chosen();
  campaign.seed = options.seed ? *options.seed : seed_of_this_moment();
  if (!options.time.empty()) campaign.seconds = seconds_of(options.time);
  campaign.runs = options.runs.value_or(campaign.seconds ? 0 : usual_runs);
  campaign.workers = options.workers;
  // A process with more threads than one does not fork.
  campaign.jobs = campaign.engine == on_real_files ? 1 : options.jobs;
  campaign.faults = options.faults == "on";
  campaign.out = options.out;
  if (!options.json) {
    print(fmt::format("seed {}, engine {}, {} workers, faults {}, {} jobs\n", campaign.seed,
                      campaign.engine, campaign.workers, options.faults, campaign.jobs));
  } else {
    say(fmt::format("seed {}", campaign.seed));
  }

  const ResultFile result(campaign.out);
  const Folder folder(options.engine.parent());
  const CampaignEnd end =
      hunt(campaign, engine_named(campaign.engine, folder, options.engine.timeout_ms()));
  if (!options.json) {
    print(told_campaign(campaign, end));
    if (end.exit == Exit::held) print("nothing found\n");
  }
  return result.conclude(campaign_json(campaign, end), "check", end.exit,
                         {{"seconds", end.seconds}, {"jobs", campaign.jobs}}, options.json);
}

}  // namespace

void add_check(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Searches random interleavings for one that breaks a rule");
  command
      ->add_option("--runs", options->runs, "How many interleavings (2000 unless --time is given)")
      ->check(is_count);
  command->add_option("--time", options->time, "Stop after this long: 90, 90s, 5m, 1h");
  command
      ->add_option("--seed", options->seed, "Repeats a run; without it, one is taken and printed")
      ->check(is_seed);
  command->add_option("--workers", options->workers, "How many workers interleave")
      ->check(CLI::Range(2, 4))
      ->capture_default_str();
  command->add_option("--faults", options->faults, "Whether faults are injected")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Threads; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder for result.json and counterexamples")
      ->capture_default_str();
  add_engine_options(*command, options->engine);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
