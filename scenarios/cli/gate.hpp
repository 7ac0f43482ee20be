// What the gate runs, in order: one row a phase.
//
// Promise: a phase either held, was violated, or says why it could not judge; without a time limit
// its document depends on the plan alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/corpus.hpp"
#include "scenarios/cli/engines.hpp"

namespace leaseproof::scenarios::cli {

struct GatePlan {
  std::uint64_t seed = 1;
  std::int64_t runs = 5'000;
  int jobs = 1;
  std::optional<double> seconds;
  std::filesystem::path out = "leaseproof-result";
  std::vector<std::filesystem::path> corpus = corpus_folders();
};

struct Phase {
  std::string name;
  Exit exit = Exit::held;
  std::string summary;  // one line
  std::string story;    // more, where something broke
  Json document = Json::object();
};

// Engines with a planted bug (gate_mutants.cpp): one that is not caught means that a clean result
// of the other phases proves nothing.
Phase watch_the_canary(const GatePlan& plan, const Folder& folder);
Phase hunt_mutants(const GatePlan& plan, const Folder& folder);

struct GateStep {
  std::string name;
  Phase (*run)(const GatePlan& plan, const Folder& folder);
};
const std::vector<GateStep>& gate_steps();

}  // namespace leaseproof::scenarios::cli
