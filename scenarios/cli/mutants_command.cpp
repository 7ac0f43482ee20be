#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "properties/mutants_excused.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/mutant_change.hpp"
#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/cli/patch_hunting.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/cli/stressing.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct MutantsOptions {
  HuntPlan plan;
  std::uint64_t seed = 1;
  std::int64_t seeds = 1;
  std::string only;
  std::string kind = "all";
  CopyOrder copy;
  bool random_only = false;
  std::string out = "leaseproof-found/mutants";
  bool json = false;
};

// Mutant by mutant, and of each seed by seed.
std::vector<Quarry> quarries(const MutantsOptions& options, std::vector<std::string>& stillborn) {
  std::vector<Quarry> all;
  for (std::int64_t i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    stillborn.clear();
    if (options.kind == "planted" || options.kind == "all") {
      auto planted = planted_bugs(seed);
      std::move(planted.begin(), planted.end(), std::back_inserter(all));
    }
    if (options.kind == "automatic" || options.kind == "all") {
      auto automatic = automatic_mutants(seed, stillborn);
      std::move(automatic.begin(), automatic.end(), std::back_inserter(all));
    }
  }
  std::erase_if(
      all, [&](const Quarry& one) { return one.name.find(options.only) == std::string::npos; });
  if (options.random_only) {
    for (Quarry& one : all) {
      one.exhaustive = {};
      one.statements = nullptr;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Quarry& a, const Quarry& b) { return a.name < b.name; });
  return all;
}

// None unless they are asked for: their hunt builds.
std::vector<properties::PatchedBug> patches(const MutantsOptions& options) {
  const bool only_patches = options.kind == "patches";
  if (options.copy.keep && options.copy.work.empty()) {
    throw InputWrong{"--keep: say in which folder with --work DIR"};
  }
  if (!only_patches && options.kind != "all") return {};
  if (!options.copy.source.empty()) return patches_in(options.copy.source, options.only);
  constexpr std::string_view need = "patches are built from the source tree; name it by --source";
  if (only_patches) throw InputWrong{std::string(need)};
  say(need);
  return {};
}

// Only by name as well: how their hunt goes is up to the machine.
std::vector<properties::ConcurrencyBugRow> of_concurrency(const MutantsOptions& options) {
  std::vector<properties::ConcurrencyBugRow> rows;
  if (options.kind != "concurrency") return rows;
  for (const auto& row : properties::concurrency_bugs()) {
    if (row.name.find(options.only) != std::string_view::npos) rows.push_back(row);
  }
  return rows;
}

// Survived, and nothing is said for it; or a patch that was not caught by what has to catch it.
bool is_hole(const HuntedMutant& one) {
  if (one.end == Catch::otherwise) return true;
  return one.end == Catch::survived && properties::find_excuse(one.name) == nullptr;
}
// Caught, although it is said that it cannot be.
bool is_wrongly_excused(const HuntedMutant& one) {
  return one.end != Catch::survived && properties::find_excuse(one.name) != nullptr;
}

std::string_view end_of(const HuntedMutant& one) {
  const properties::Excuse* excuse = properties::find_excuse(one.name);
  if (excuse == nullptr || one.end != Catch::survived) return word(one.end);
  return "equivalent";
}

std::string row_of(const HuntedMutant& one) {
  std::string text =
      fmt::format("{:<40} {:<10}{:<26}{:>6}{:>6}{:>7}{:>6}{:>9}{:>7}{:>10.1f}\n", one.name,
                  word(one.end), one.by, one.run, one.steps, one.shrunk, one.final,
                  one.is_shortest ? "shortest" : "", one.executions, one.ms);
  if (!one.uncertain.empty()) text += fmt::format("    not searched: {}\n", one.uncertain);
  if (is_hole(one)) text += fmt::format("    {}\n", one.change);
  if (is_wrongly_excused(one)) {
    text += fmt::format("    excused, but caught: {}\n", properties::find_excuse(one.name)->reason);
  }
  return text;
}

Json json_of(const HuntedMutant& one) {
  Json json{{"name", one.name},
            {"change", one.change},
            {"source", one.source},
            {"end", end_of(one)},
            {"wrongly_excused", is_wrongly_excused(one)},
            {"by", one.by},
            {"run", one.run},
            {"steps", one.steps},
            {"shrunk", one.shrunk},
            {"final", one.final},
            {"is_shortest", one.is_shortest},
            {"uncertain", one.uncertain},
            {"executions", one.executions}};
  json.update(change_json(one));
  return json;
}

// What the searches of one planted bug have in common, for the table of many seeds.
struct Sum {
  std::size_t hunted = 0;
  std::size_t survived = 0;
  std::size_t excused = 0;
  std::size_t wrongly_excused = 0;
  std::size_t caught = 0;    // by an invariant
  std::size_t as_short = 0;  // shrunk to what the search then found to be the shortest
  std::size_t proven = 0;    // of those that it could tell of
  std::vector<std::int64_t> executions;

  void add(const HuntedMutant& one) {
    ++hunted;
    if (is_hole(one)) ++survived;
    if (one.end == Catch::survived && !is_hole(one)) ++excused;
    if (is_wrongly_excused(one)) ++wrongly_excused;
    if (one.end != Catch::violation) return;
    ++caught;
    executions.push_back(one.executions);
    if (!one.is_shortest) return;
    ++proven;
    if (one.shrunk == one.final) ++as_short;
  }
  std::int64_t median_executions() {
    if (executions.empty()) return 0;
    const auto middle = executions.begin() + static_cast<std::ptrdiff_t>(executions.size() / 2);
    std::nth_element(executions.begin(), middle, executions.end());
    return *middle;
  }
};

// By planted bug: of each seed that an invariant caught, how long the counterexample was when it
// was shrunk, how long the shortest is (null where no world spans it), and what shrinking took.
Json shrink_table(const std::vector<HuntedMutant>& hunted) {
  std::map<std::string, Json> rows;
  for (const HuntedMutant& one : hunted) {
    if (one.end != Catch::violation || one.shrunk == 0) continue;
    Json& row = rows[one.name];
    row["bug"] = one.name;
    row["shrunk"].push_back(one.shrunk);
    row["shortest"].push_back(one.is_shortest ? Json(one.final) : Json(nullptr));
    row["executions"].push_back(one.executions);
  }
  Json table = Json::array();
  for (auto& [name, row] : rows) table.push_back(std::move(row));
  return table;
}

Exit run(const MutantsOptions& options) {
  const Stopwatch watch;
  std::vector<std::string> stillborn;
  const std::vector<Quarry> all = quarries(options, stillborn);
  const std::vector<properties::PatchedBug> bugs = patches(options);
  const std::vector<properties::ConcurrencyBugRow> at_once = of_concurrency(options);
  if (all.empty() && bugs.empty() && at_once.empty()) {
    throw InputWrong{"--only: no mutant has '" + options.only + "' in its name"};
  }
  const ResultFile result(options.out);
  const auto copy = bugs.empty() ? nullptr : copy_for(bugs, options.copy);
  HuntPlan plan = options.plan;
  Progress progress("mutants",
                    static_cast<std::int64_t>(all.size() + bugs.size() + at_once.size()));
  plan.progress = [&](std::size_t done) { progress.at(static_cast<std::int64_t>(done)); };
  if (!options.json) {
    print(fmt::format("{:<40} {:<10}{:<26}{:>6}{:>6}{:>7}{:>6}{:>9}{:>7}{:>10}\n", "mutant", "end",
                      "by", "run", "steps", "shrunk", "final", "", "tries", "ms"));
  }
  Sum sum;
  plan.told = [&](const HuntedMutant& one) {
    sum.add(one);
    if (options.json) return;
    progress.clear();
    print(row_of(one));
  };
  std::vector<HuntedMutant> hunted = hunt(all, plan);
  const Folder folder;
  for (const properties::ConcurrencyBugRow& row : at_once) {
    for (std::int64_t i = 0; i < options.seeds && !interrupted(); ++i) {
      StressHunt stresses;
      stresses.seed = options.seed + static_cast<std::uint64_t>(i * stresses.most);
      stresses.folder = folder.path();
      hunted.push_back(hunt_concurrency_bug(row, stresses));
      plan.told(hunted.back());
    }
  }
  double build_seconds = 0;
  if (!bugs.empty() && !interrupted()) {
    plan.progress = [&](std::size_t done) {
      progress.at(static_cast<std::int64_t>(all.size() + done));
    };
    PatchesHunted more = hunt_patches(bugs, *copy, {options.seed, options.seeds, plan});
    std::move(more.hunted.begin(), more.hunted.end(), std::back_inserter(hunted));
    build_seconds = more.build_seconds;
  }
  progress.clear();
  const Exit exit = interrupted()                             ? Exit::interrupted
                    : sum.survived + sum.wrongly_excused == 0 ? Exit::held
                                                              : Exit::inconclusive;
  Json document{{"seed", options.seed},        {"seeds", options.seeds},
                {"kind", options.kind},        {"only", options.only},
                {"hunted", sum.hunted},        {"survived", sum.survived},
                {"excused", sum.excused},      {"wrongly_excused", sum.wrongly_excused},
                {"do_not_compile", stillborn}, {"statements", statements_json(hunted)},
                {"mutants", Json::array()}};
  if (plan.seeks_shortest) {
    document["shrink"] = {{"bugs", shrink_table(hunted)},
                          {"judged", sum.proven},
                          {"as_short", sum.as_short},
                          {"median_executions", sum.median_executions()}};
  }
  Json ms = Json::array();
  for (const HuntedMutant& one : hunted) {
    document["mutants"].push_back(json_of(one));
    ms.push_back(one.ms);
  }
  result.conclude(std::move(document), "mutants", exit,
                  {{"seconds", watch.seconds()},
                   {"build_seconds", build_seconds},
                   {"jobs", plan.jobs},
                   {"ms", std::move(ms)}},
                  options.json);
  if (options.json) return exit;
  print(fmt::format(
      "{} hunts, {} survived, {} excused, {} wrongly so, {} mutants do not compile, {:.1f} s\n",
      sum.hunted, sum.survived, sum.excused, sum.wrongly_excused, stillborn.size(),
      watch.seconds()));
  if (!bugs.empty()) print(fmt::format("of these {:.1f} s to build patches\n", build_seconds));
  if (plan.seeks_shortest) {
    print(
        fmt::format("{} of {} that were searched had been shrunk to the shortest; median of "
                    "executions {}\n",
                    sum.as_short, sum.proven, sum.median_executions()));
  }
  return exit;
}

}  // namespace

void add_mutants(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<MutantsOptions>();
  HuntPlan& plan = options->plan;
  plan.jobs = default_jobs();
  CLI::App* command = app.add_subcommand(
      "mutants",
      "Hunts every planted bug, every small change of a statement, patches of the engine, and "
      "bugs of concurrency");
  command->add_option("--seed", options->seed, "Of the searches")
      ->check(is_seed)
      ->capture_default_str();
  command->add_option("--runs", plan.runs, "Runs of each search, at most")
      ->check(is_count)
      ->capture_default_str();
  command->add_option("--seeds", options->seeds, "Hunts each with so many seeds, from --seed on")
      ->check(is_count)
      ->capture_default_str();
  command->add_flag("--shortest", plan.seeks_shortest,
                    "Then seeks something shorter than what was shrunk, to see how good that is");
  command->add_option("--only", options->only, "Only mutants with this in their name");
  command
      ->add_option("--kind", options->kind,
                   "planted, automatic, patches, concurrency or all (of the first three)")
      ->check(CLI::IsMember({"planted", "automatic", "patches", "concurrency", "all"}))
      ->capture_default_str();
  command->add_option("--source", options->copy.source,
                      "Source tree, of which patches are built in a copy");
  command->add_option("--work", options->copy.work, "Folder for that copy, new or empty");
  command->add_flag("--keep", options->copy.keep, "Leaves the copy there");
  command->add_option("--jobs", plan.jobs, "Processes at once; the result does not depend on it")
      ->check(CLI::Range(1, most_jobs))
      ->capture_default_str();
  command->add_flag("--random-only", options->random_only,
                    "By random search alone, to see what its cases do not come by");
  command->add_option("--out", options->out, "Folder for result.json")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
