#include "scenarios/cli/exploring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "properties/engine_sut.hpp"
#include "properties/mutants_automatic.hpp"
#include "properties/storage_bugs.hpp"
#include "scenarios/cli/explore_file.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios::cli {

namespace {

void keep(const ExplorePlan& plan, const ExploredWorld& explored, ExploreEnd& end) {
  const properties::Rig rig = branching_engine_named(plan.engine)();
  const properties::Counterexample& found = *explored.found.counterexample;
  Scenario scenario = as_scenario(found, "explore", rig.sut->name());
  scenario.about = fmt::format("found by an exhaustive search of the world {}: {}",
                               explored.world->name, explored.world->sentence);
  const std::filesystem::path path =
      plan.out / fmt::format("explore-{}-{}.json", found.violation.invariant, explored.world->name);
  if (const auto written = write_file(path, write_scenario(scenario)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
  end.file = path.string();
  end.replay = replay(scenario, rig);
}

ExploredWorld explore_one(const properties::NamedWorld& world, const ExplorePlan& plan) {
  ExploredWorld explored;
  explored.world = &world;
  properties::ExhaustiveOptions options;
  options.world = world.world;
  options.faults = world.faults;
  options.faults.crashes = plan.crashes.value_or(world.faults.crashes);
  options.faults.busies = plan.busies.value_or(world.faults.busies);
  options.faults.losses = plan.losses.value_or(world.faults.losses);
  options.faults.refusals = plan.refusals.value_or(world.faults.refusals);
  options.most_states = plan.most_states;
  options.most_depth = plan.most_depth;
  options.jobs = plan.jobs;
  options.stop = interrupted;
  Progress progress(fmt::format("explore {}", world.name), 0);
  options.progress = [&](std::size_t states, std::size_t) {
    progress.at(static_cast<std::int64_t>(states));
  };
  const SearchedWorld searched{std::string(world.name), plan.engine, options.faults};
  std::optional<properties::ExhaustiveProgress> from;
  if (!plan.progress.empty() && std::filesystem::exists(plan.progress)) {
    options.from = &from.emplace(read_progress(plan.progress, searched));
  }
  const Stopwatch watch;
  explored.found = properties::search_exhaustively(branching_engine_named(plan.engine), options);
  explored.seconds = watch.seconds();
  progress.clear();
  if (explored.found.leads_elsewhere) {
    throw InputWrong{fmt::format(
        "{}: its states are not those of this program's world {} and engine {}; remove it to begin "
        "again",
        plan.progress.string(), world.name, plan.engine)};
  }
  if (plan.progress.empty()) return explored;
  if (explored.found.left) {
    write_progress(plan.progress, searched, *explored.found.left);
  } else if (explored.found.complete()) {
    std::error_code ignored;
    std::filesystem::remove(plan.progress, ignored);
  }
  return explored;
}

std::string per_second(std::size_t count, double seconds) {
  return seconds > 0 ? fmt::format("{:.0f}", static_cast<double>(count) / seconds) : "-";
}

}  // namespace

properties::MakeRig branching_engine_named(const std::string& name) {
  if (name.rfind(mutant_prefix, 0) == 0) {
    const std::string bug = name.substr(mutant_prefix.size());
    if (const auto* row = properties::find_storage_bug(bug)) {
      return properties::engine_for_branching(row->bug);
    }
    const auto texts = properties::texts_of_mutant(bug);
    if (texts == nullptr) return {};
    return properties::engine_for_branching(texts);
  }
  if (name == in_memory || name == on_disk || name == on_simulated_disk) {
    return properties::engine_for_branching();
  }
  return {};
}

std::string is_world(const std::string& name) {
  if (properties::find_world(name) != nullptr) return {};
  std::vector<std::string_view> known;
  for (const auto& row : properties::worlds()) known.push_back(row.name);
  return unknown_word("world", name, known);
}

std::string is_explorable(const std::string& name) {
  if (name == on_simulated_disk || name == the_model) return {};
  if (name.rfind(mutant_prefix, 0) == 0 && branching_engine_named(name)) return {};
  if (const auto why = is_engine(name); !why.empty()) return why;
  return fmt::format("engine '{}' cannot be brought back to a state; {}, {} and mutant:NAME can",
                     name, on_simulated_disk, the_model);
}

ExploreEnd explore(const ExplorePlan& plan) {
  ExploreEnd end;
  const Stopwatch watch;
  if (!plan.progress.empty() && plan.worlds.size() != 1) {
    throw InputWrong{"--progress is of one search; name one world"};
  }
  std::vector<const properties::NamedWorld*> chosen;
  for (const auto& name : plan.worlds) chosen.push_back(properties::find_world(name));
  if (chosen.empty()) {
    for (const auto& row : properties::worlds()) chosen.push_back(&row);
  }
  for (const auto* world : chosen) {
    end.worlds.push_back(explore_one(*world, plan));
    const properties::ExhaustiveResult& found = end.worlds.back().found;
    if (found.counterexample) {
      end.exit = Exit::violation;
      keep(plan, end.worlds.back(), end);
      break;
    }
    if (found.stopped) {
      end.exit = Exit::interrupted;
      break;
    }
    if (found.waiting > 0) {
      end.exit = Exit::inconclusive;
      end.why += fmt::format("{}{}: {} states were reached and not explored",
                             end.why.empty() ? "" : "; ", world->name, found.waiting);
    }
  }
  end.seconds = watch.seconds();
  return end;
}

std::string told_exploration(const ExplorePlan& plan, const ExploreEnd& end) {
  std::string text =
      fmt::format("{:<16}{:>10}{:>13}{:>10}{:>7}{:>10}{:>11}{:>14}\n", "world", "states",
                  "transitions", "crashes", "depth", "states/s", "moves/s", "not explored");
  for (const ExploredWorld& one : end.worlds) {
    text += fmt::format("{:<16}{:>10}{:>13}{:>10}{:>7}{:>10}{:>11}{:>14}\n", one.world->name,
                        one.found.states, one.found.transitions, one.found.crashes, one.found.depth,
                        per_second(one.found.states, one.seconds),
                        per_second(one.found.transitions, one.seconds), one.found.waiting);
  }
  if (end.replay) {
    text += "\n" + told_violation(*end.replay, end.file, plan.engine);
  } else if (!end.why.empty()) {
    text += end.why + "\n";
  }
  return text;
}

namespace {
// Of all worlds those that were not begun.
std::vector<std::string_view> left_out(const ExploreEnd& end) {
  std::vector<std::string_view> names;
  for (const auto& row : properties::worlds()) {
    const bool searched =
        std::any_of(end.worlds.begin(), end.worlds.end(),
                    [&](const ExploredWorld& one) { return one.world->name == row.name; });
    if (!searched) names.push_back(row.name);
  }
  return names;
}
}  // namespace

Json exploration_json(const ExplorePlan& plan, const ExploreEnd& end) {
  Json json{{"engine", plan.engine}, {"worlds", Json::array()}, {"violation", nullptr}};
  for (const ExploredWorld& one : end.worlds) {
    json["worlds"].push_back({{"world", one.world->name},
                              {"states", one.found.states},
                              {"transitions", one.found.transitions},
                              {"calls", one.found.calls},
                              {"crashes", one.found.crashes},
                              {"depth", one.found.depth},
                              {"not_explored", one.found.waiting},
                              {"complete", one.found.complete()}});
    if (!one.found.counterexample) continue;
    const properties::Counterexample& found = *one.found.counterexample;
    json["violation"] = kept_violation_json(found.violation, end.file, plan.engine, end.replay);
    json["violation"]["steps"] = found.steps.size();
  }
  json["left_out"] = left_out(end);
  if (!end.why.empty()) json["why"] = end.why;
  return json;
}

}  // namespace leaseproof::scenarios::cli
