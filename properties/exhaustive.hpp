// Exhaustive search on a real engine: every interleaving of a small world, breadth first, the model
// in step.
//
// Promise: each state of the world that can be reached within the bounds is expanded once, told
// apart by model::NodeKey; every call is made in it on the engine, its answer and all that can be
// observed afterwards are compared with the model's. The engine is brought back from a snapshot for
// each move, never replayed. Same world, same counts, whatever the number of jobs. The first breach
// in that order has as few moves as any.
//
// Each lease is held by a process of its own, named after its owner: a crash of a worker's call
// takes that proof along, and its permit and receipt. The outside service writes at once what it is
// sent, and answers. What an engine has durably and no observation shows is told apart where it is
// not what the model holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/node_key.hpp"
#include "model/world.hpp"
#include "properties/fault_budget.hpp"
#include "properties/runner.hpp"
#include "properties/search.hpp"

namespace leaseproof::properties {

// Where a search stands between two depths, for another process to go on from: of the same world
// on the same engine. Plain data.
struct ExhaustiveProgress {
  // Each state by its way there: from which, by which of its moves, and how. The first is the
  // beginning.
  struct Visit {
    std::uint32_t parent = 0;
    std::uint32_t move = 0;
    std::uint8_t variant = 0;
    bool operator==(const Visit&) const = default;
  };
  std::vector<Visit> visits;
  std::vector<model::NodeKey> keys;    // of the states, in their order
  std::vector<std::uint32_t> waiting;  // states that were not expanded
  std::size_t transitions = 0;
  std::size_t calls = 0;
  std::size_t crashes = 0;
  std::size_t depth = 0;
};

struct ExhaustiveOptions {
  model::World world;
  FaultBudget faults;
  std::size_t most_states = 10'000'000;
  std::size_t most_depth = 1'000'000;
  // Only a breach of this invariant counts; what breaks another is not gone on from. Empty: any.
  std::string wanted;
  // Whether each state is also left to those who act fairly from then on, as the runner does at the
  // end of a case, to see whether that breaks anything. Slow: each path is played from its
  // beginning.
  bool settle = false;
  RunnerOptions runner;  // that judges a path which the search holds for a breach
  // Goes on from there; null: from the beginning.
  const ExhaustiveProgress* from = nullptr;
  int jobs = 1;
  std::function<bool()> stop;  // asked between states; true ends the search
  std::function<void(std::size_t states, std::size_t waiting)> progress;  // after each depth
};

struct ExhaustiveResult {
  std::size_t states = 0;       // that are different
  std::size_t transitions = 0;  // moves made, also those that change nothing
  std::size_t calls = 0;        // of those, calls of the engine
  std::size_t crashes = 0;      // of those, calls that a crash or a loss of power ended
  std::size_t depth = 0;        // moves on the longest of the shortest paths
  std::size_t waiting = 0;      // states that were reached and not expanded
  bool stopped = false;         // by `stop`
  // The moves that lead to a breach, as steps, judged by the runner. One that the runner does not
  // find says so in `violation.why`.
  std::optional<Counterexample> counterexample;
  // Where states wait and nothing was found.
  std::optional<ExhaustiveProgress> left;
  // What it was to go on from leads elsewhere in this world or on this engine: nothing was
  // searched.
  bool leads_elsewhere = false;

  [[nodiscard]] bool complete() const {
    return waiting == 0 && !counterexample && !leads_elsewhere;
  }
};

// The engines come from `make` and can take snapshots. None at all: the model alone is searched.
ExhaustiveResult search_exhaustively(const MakeRig& make, const ExhaustiveOptions& options);

}  // namespace leaseproof::properties
