// Visits every state that a small world can reach, breadth first.
//
// Promise: complete or says that it is not: each reached node is expanded once (told apart by hash
// and by `==`), the laws of laws.hpp are judged on every transition and in every node, and from
// every node a fair schedule must settle all ops (I3). Counts are exact and repeat from run to run.
// The shortest path to the first breach is kept. Seqs are compared by rank: how many events were
// written bears on nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/world.hpp"

namespace leaseproof::model {

struct Exploration {
  std::size_t states = 0;
  // Moves tried, also those that change nothing.
  std::size_t transitions = 0;
  // Moves on the longest of the shortest paths.
  std::size_t depth = 0;
  // False when `most_states` ended it first.
  bool complete = true;
  // The most steps that a fair schedule needed from any node.
  std::size_t slowest_settling = 0;
  // A broken law, or empty; and the moves that lead to it.
  std::string breach;
  std::vector<std::string> path;
};

struct ExploreOptions {
  std::size_t most_states = 1'000'000;
  // Whether a fair schedule must settle each node; the laws are judged in any case.
  bool settling = true;
};

Exploration explore(const World& world, const ExploreOptions& options = {});

// What became of a fair schedule: the steps until every op was settled, or the law that it broke on
// its way (I3 if it did not arrive).
struct Settling {
  std::size_t steps = 0;
  std::string fault;
};

// From this node on faults have ended, everybody acts, and time passes only when nobody can act.
Settling settle_fairly(const World& world, Node node, std::size_t most_steps);

}  // namespace leaseproof::model
