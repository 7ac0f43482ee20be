#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/tracing.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct TracesOptions {
  TracePlan plan;
  EngineChoice engine;
  bool json = false;
};

Exit run(TracesOptions options) {
  options.plan.engine = options.engine.chosen();
  const Folder folder(options.engine.parent());
  std::vector<std::string> lines;
  try {
    const auto make = engine_named(options.plan.engine, folder, options.engine.timeout_ms());
    lines = step_digests(make, shared_decoder(options.plan.engine), options.plan);
  } catch (const properties::SutFailed& failed) {
    throw environment_of(failed);
  }
  if (options.json) {
    print_document({{"command", "traces"},
                    {"engine", options.plan.engine},
                    {"seed", options.plan.seed},
                    {"runs", options.plan.runs},
                    {"lines", lines}});
  } else {
    print(fmt::format("{}\n", fmt::join(lines, "\n")));
  }
  return Exit::held;
}

}  // namespace

void add_traces(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<TracesOptions>();
  CLI::App* command = app.add_subcommand(
      "traces", "Prints a digest of each step of a search, to compare two processes or machines");
  command->add_option("--seed", options->plan.seed, "Of the search")
      ->check(is_seed)
      ->capture_default_str();
  command->add_option("--runs", options->plan.runs, "How many interleavings")
      ->check(is_count)
      ->capture_default_str();
  add_engine_options(*command, options->engine);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
