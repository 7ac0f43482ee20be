// Visits every state that a small world can reach, breadth first.
//
// Promise: complete or says that it is not: each reached node is expanded once (told apart by hash
// and by `==`), the laws of laws.hpp are judged on every transition and in every node, and from
// every node a fair schedule must settle all ops (I3). Counts are exact and repeat from run to run.
// The shortest path to the first breach is kept. Seqs are compared by rank: how many events were
// written bears on nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "model/hash_index.hpp"
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

// From a node on faults have ended, everybody acts in turn, and time passes only when nobody can
// act. What follows a node depends on the node alone: a way that meets one from which all settled
// before has been played, and is not played again.
class FairSchedule {
 public:
  FairSchedule(const World& world, std::size_t most_steps)
      : world_(world), most_steps_(most_steps) {}

  Settling settle(const Node& node);

 private:
  struct Settled {
    Node node;
    std::size_t hash;
    std::size_t steps;
  };
  void remember(std::vector<Settled> way, std::size_t steps);

  const World& world_;
  std::size_t most_steps_;
  std::deque<Settled> known_;
  HashIndex index_;
};

}  // namespace leaseproof::model
