// Every fault that the steps of a case can meet, one after another (ARCHITECTURE, idea 7).
//
// Promise: for one step, each point, kind and file that can strike it, once and sticky, at its
// first, second, third … hit until a run ends without coming to it; and every distinct state in
// which a loss of power may leave the disk, before each operation that changes it. Each run is an
// ordinary case: judged by the runner, opened again, compared with the model and, once for each
// content of the disk, left to settle. Same case, same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/sqlite/connection.hpp"
#include "faults/vfs.hpp"
#include "properties/case.hpp"
#include "properties/runner.hpp"
#include "properties/search.hpp"
#include "properties/storage_bugs.hpp"

namespace leaseproof::properties {

class EngineSut;

struct SweepOptions {
  RunnerOptions runner;
  // Of the states that a loss of power at one moment may leave: at most so many are looked at.
  std::size_t states_a_moment = 12;
  std::uint64_t seed = 1;             // of those, where there are more
  std::function<bool()> stop;         // asked between runs; true ends the sweep
  StorageBug bug = StorageBug::none;  // planted, to see the sweep find it
  // The statements to run; none means the engine's own.
  std::shared_ptr<const engine::sqlite::StatementTexts> statements = nullptr;
};

// What a run of the sweep tried and what the hit call answered.
struct SweepCell {
  faults::Point point = 0;
  faults::Kind kind = faults::Kind::crash;
  model::Word outcome = model::Word::ok;
  bool stands = false;  // whether the hit call changed what is durable

  auto operator<=>(const SweepCell&) const = default;
};

struct StepSweep {
  std::int64_t runs = 0;                    // in which the fault fired
  std::int64_t crash_states = 0;            // distinct ones that were looked at
  std::int64_t fell_back = 0;               // of those: with answered calls lost, as NORMAL may
  std::map<SweepCell, std::int64_t> cells;  // runs by what they tried
  std::optional<Counterexample> counterexample;  // the first; nothing was tried after it
  bool stopped = false;

  // Adds the counts; the first counterexample stays.
  void add(const StepSweep& other);
};

// A sweep has an engine of its own on a simulated disk; one thread at a time uses it.
class Sweep {
 public:
  explicit Sweep(SweepOptions options);
  ~Sweep();
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // Tries everything at one top-level step; the steps before it are played as they stand, those
  // after it are not. A step that has a fault of its own is left out.
  StepSweep step(const Case& whole, std::size_t at);

 private:
  class Try;

  SweepOptions options_;
  SimClock clock_;
  std::shared_ptr<faults::Vfs> vfs_;
  std::unique_ptr<EngineSut> sut_;
};

// A small case whose sweep comes by every kind of call that a plain workflow makes: for canaries.
Case small_case();

}  // namespace leaseproof::properties
