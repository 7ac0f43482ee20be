// Random search: RapidCheck draws interleavings, the runner judges them, RapidCheck shrinks what
// fails.
//
// Promise: same options, same findings, byte for byte; no wall clock in it (a caller that wants a
// time limit passes `stop`). `SutFailed` comes out of a search where an engine gave up before any
// violation was found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/coverage.hpp"
#include "properties/runner.hpp"
#include "properties/step.hpp"
#include "properties/sut.hpp"
#include "properties/tally.hpp"
#include "properties/violation.hpp"

namespace leaseproof::properties {

struct SearchOptions {
  std::uint64_t seed = 1;
  std::int64_t runs = 1000;
  int workers = 3;  // 2 to 4; two of them share an owner name in some runs
  bool faults = true;
  // Of the faults that the engine can be hit by, those that are drawn; empty: all.
  std::function<bool(faults::Point, faults::Kind)> draws_fault;
  bool shrink = true;
  std::int64_t shrink_budget = 20'000;  // executions at most
  int jobs = 1;                // run i belongs to job i mod jobs; the result does not depend on it
  RunnerOptions runner;        // how each run is judged; callbacks of it run on any job
  std::function<bool()> stop;  // asked between runs; true ends the search
  std::function<void(std::int64_t done)> progress;  // after each run, from any job
  std::function<void(const Violation&)> found;      // before shrinking starts
};

// What is known of how small a counterexample is.
enum class Certificate : std::uint8_t {
  none,
  one_minimal,  // no single cut of cuts.hpp leaves one: no step, fault or nesting can go
  shortest      // and a search of all that is shorter found none
};
std::string_view word(Certificate certificate);

struct Counterexample {
  Config config;
  std::vector<Step> steps;
  Violation violation;
  std::uint64_t seed = 0;
  std::int64_t run = 0;
  std::size_t steps_before_shrinking = 0;
  std::int64_t executions = 0;  // runs that shrinking took
  // The same steps gave the same violation a second time. If not, the engine is not deterministic:
  // `violation.why` says so first, and nothing was shrunk.
  bool reproducible = true;
  Certificate certificate = Certificate::none;
  // Where a shortest one was sought and not told: what stood in the way.
  std::string uncertain;
};

struct SearchResult {
  Tally tally;
  Coverage coverage;
  std::int64_t runs_done = 0;
  bool stopped_early = false;
  std::optional<Counterexample> counterexample;
};

// One engine with its own clock, made afresh for each job.
struct Rig {
  std::unique_ptr<SimClock> clock;
  std::unique_ptr<Sut> sut;
};
using MakeRig = std::function<Rig()>;

// Neighbouring runs get unrelated seeds.
std::uint64_t seed_of(std::uint64_t seed, std::int64_t run);

SearchResult search(const MakeRig& make, const SearchOptions& options);

// Cuts a failing case down to one that is minimal under single cuts, keeping the same invariant
// violated. `violation` becomes that of the smaller case; `executions` is added to. A case that
// does not fail again comes back as it was, with `reproducible` false. Within the budget the case
// is `one_minimal`.
void minimize(const MakeRig& make, const RunnerOptions& runner, std::int64_t budget,
              Counterexample& counterexample);

}  // namespace leaseproof::properties
