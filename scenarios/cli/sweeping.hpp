// The sweep of properties/sweep.hpp over many cases on many threads, for the command and the gate.
//
// Promise: the result depends on cases and plan alone, not on the number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "properties/sweep.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

struct SweepPlan {
  std::uint64_t seed = 1;
  int jobs = 1;
  std::size_t states_a_moment = 12;
  std::int64_t one_step_in = 1;  // of all steps, which ones depends on the seed
  std::filesystem::path out = "leaseproof-found/sweep";
};

struct SweepEnd {
  properties::StepSweep sum;
  std::int64_t cases = 0;
  std::int64_t steps = 0;  // that were swept
  std::string file;        // of the counterexample, and the rest about it
  std::optional<Replay> replay;
  Exit exit = Exit::held;
  std::string why;  // where it is inconclusive
  double seconds = 0;
};

// Sweeps the steps of the scenarios; a violation is written to a file below `out`.
SweepEnd sweep(const std::vector<Scenario>& scenarios, const SweepPlan& plan);

// By point, kind and outcome, in that order.
Json sweep_json(const SweepEnd& end);
std::string told_sweep(const SweepEnd& end);

}  // namespace leaseproof::scenarios::cli
