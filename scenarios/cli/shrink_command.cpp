#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "properties/shortest.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/corpus.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/exploring.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct ShrinkOptions {
  std::string file;
  EngineChoice engine;
  std::int64_t budget = 20'000;
  std::size_t states = 200'000;
  std::string out;
  bool json = false;
};

std::filesystem::path out_of(const ShrinkOptions& options) {
  if (!options.out.empty()) return options.out;
  std::filesystem::path path = options.file;
  path.replace_extension(".shrunk.json");
  return path;
}

std::string told_certificate(const properties::Counterexample& found) {
  switch (found.certificate) {
    case properties::Certificate::none:
      return "the budget ended first: it may be smaller yet";
    case properties::Certificate::one_minimal:
      return "1-minimal: no step, fault or nesting can go";
    case properties::Certificate::shortest:
      return "shortest: a search of all that is shorter found nothing";
  }
  return {};
}

Exit shrink(const ShrinkOptions& options) {
  const Stopwatch watch;
  const Scenario scenario = scenario_in(options.file);
  const Folder folder(options.engine.parent());
  const std::string engine = engine_for(scenario, options.engine.chosen());
  const properties::MakeRig make = engine_named(engine, folder, options.engine.timeout_ms());
  properties::RunnerOptions judging;
  judging.decode = shared_decoder(engine);
  properties::Counterexample found;
  found.config = scenario.config;
  found.steps = scenario.steps;
  found.steps_before_shrinking = scenario.steps.size();
  if (scenario.found) found.seed = scenario.found->seed;
  {
    const properties::Rig rig = make();
    if (properties::Runner::first_unspoken(*rig.sut, found.steps)) {
      throw InputWrong{options.file + ": engine '" + engine + "' takes no part in all its steps"};
    }
    properties::Runner runner(*rig.sut, *rig.clock, judging);
    auto violation = runner.run(found.config, found.steps);
    if (!violation) {
      say(options.file + " breaks no rule on engine '" + engine + "': there is nothing to shrink");
      return Exit::inconclusive;
    }
    found.violation = std::move(*violation);
  }
  properties::minimize(make, judging, options.budget, found);
  if (!found.reproducible) {
    say(options.file + ": " + found.violation.why);
    return Exit::inconclusive;
  }
  if (const auto branching = branching_engine_named(engine)) {
    properties::find_shortest(branching, judging, options.states, found);
  }
  const properties::Rig rig = make();
  const Scenario shrunk = as_scenario(found, "shrink", rig.sut->name());
  const std::filesystem::path path = out_of(options);
  if (const auto written = write_file(path, write_scenario(shrunk)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
  if (options.json) {
    return print_result({{"engine", engine},
                         {"file", path.string()},
                         {"steps_before", found.steps_before_shrinking},
                         {"steps", found.steps.size()},
                         {"executions", found.executions},
                         {"certificate", word(found.certificate)},
                         {"violation", violation_json(found.violation)}},
                        "shrink", Exit::violation, {{"seconds", watch.seconds()}});
  }
  print(fmt::format("{} steps, {} before; {} executions\n{}\n", found.steps.size(),
                    found.steps_before_shrinking, found.executions, told_certificate(found)));
  print(told_violation(replay(shrunk, rig), path.string(), engine));
  return Exit::violation;
}

Exit run(const ShrinkOptions& options) {
  try {
    return shrink(options);
  } catch (const properties::SutFailed& failed) {
    throw environment_of(failed);
  }
}

}  // namespace

void add_shrink(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<ShrinkOptions>();
  CLI::App* command = app.add_subcommand(
      "shrink", "Makes a trace that breaks a rule as short as it goes, and says how sure that is");
  command->add_option("FILE", options->file, "A trace file")->required();
  add_engine_options(*command, options->engine);
  command->add_option("--budget", options->budget, "Executions of the trace, at most")
      ->check(is_count)
      ->capture_default_str();
  command
      ->add_option("--states", options->states, "States of the search for a shorter one, at most")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--out", options->out, "The file to write (FILE with .shrunk.json)");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
