// What the gate runs, in order: one row a phase.
//
// Promise: a phase either held, was violated, or says why it could not judge; without a time limit
// its document depends on the plan alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cli/campaign.hpp"
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
  // What the other process of the determinism phase runs; empty means this very program.
  std::filesystem::path program;
};

struct Phase {
  std::string name;
  Exit exit = Exit::held;
  std::string summary;  // one line
  std::string story;    // more, where something broke
  Json document = Json::object();
  properties::Coverage coverage;  // of the searches that count it
};

// Engines with a planted bug (gate_mutants.cpp): one that is not caught means that a clean result
// of the other phases proves nothing.
Phase watch_the_canary(const GatePlan& plan, const Folder& folder);
Phase hunt_mutants(const GatePlan& plan, const Folder& folder);

// A seed whose runs are not the same everywhere (gate_determinism.cpp): no counterexample of this
// program could be trusted to come back. A sample of runs is compared step by step.
Phase same_seed_same_result(const GatePlan& plan, const Folder& folder);

// A random search as the phases make it.
Campaign campaign_of(const GatePlan& plan, std::string_view engine);

struct GateStep {
  std::string name;
  Phase (*run)(const GatePlan& plan, const Folder& folder);
};
const std::vector<GateStep>& gate_steps();

}  // namespace leaseproof::scenarios::cli
