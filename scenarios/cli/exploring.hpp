// Exhaustive search as a command: which worlds, on which engine, and what came of each.
//
// Promise: the same worlds give the same document but for `timing`, whatever the number of jobs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "properties/exhaustive.hpp"
#include "properties/worlds.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/json.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

struct ExplorePlan {
  std::vector<std::string> worlds;  // names; none means all
  std::string engine{on_simulated_disk};
  // In place of what the world says.
  std::optional<int> crashes;
  std::optional<int> busies;
  std::optional<int> losses;
  std::optional<int> refusals;
  std::size_t most_states = 2'000'000;
  std::size_t most_depth = 1'000'000;
  int jobs = 1;
  std::filesystem::path out = "leaseproof-found/explore";
  // Of one world: where its search goes on from if it is there, and is left when it ends early.
  // Empty: none.
  std::filesystem::path progress;
};

struct ExploredWorld {
  const properties::NamedWorld* world = nullptr;
  properties::ExhaustiveResult found;
  double seconds = 0;
};

struct ExploreEnd {
  std::vector<ExploredWorld> worlds;
  std::string file;  // of the counterexample
  std::optional<Replay> replay;
  std::string why;  // of an exit that says neither held nor violation
  Exit exit = Exit::held;
  double seconds = 0;
};

// Empty when there is a world of this name, else the sentence that says which there are; for CLI11.
std::string is_world(const std::string& name);
// As `is_engine`, of those that can be searched exhaustively.
std::string is_explorable(const std::string& name);

// The same engine, so that it can be brought back to a state; none for the model and for those that
// cannot.
properties::MakeRig branching_engine_named(const std::string& name);

// Stops at the first violation.
ExploreEnd explore(const ExplorePlan& plan);
std::string told_exploration(const ExplorePlan& plan, const ExploreEnd& end);
Json exploration_json(const ExplorePlan& plan, const ExploreEnd& end);

}  // namespace leaseproof::scenarios::cli
