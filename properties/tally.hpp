// What a run reached: goals ("sometimes" of SEMANTICS 7), judged invariants, fired faults.
//
// Promise: counts only, addable, ordered by the tables they index; nothing here decides anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "faults/plan.hpp"

namespace leaseproof::properties {

// A fault that a case is drawn for: most calls that come by its point get it.
struct Hunt {
  faults::Point point = 0;
  faults::Kind kind = faults::Kind::crash;
};

struct Tally {
  std::int64_t runs = 0;
  // Some engine of these runs dispatches effects, so that the goals about them are asked for.
  bool dispatches = false;
  // Some engine of these runs stands on a simulated disk, so that the faults of a disk are.
  bool disk = false;
  // Some engine of these runs speaks all words that the generators draw, apart from those about
  // effects where it dispatches none. Of any other no goals are asked for.
  bool whole = false;
  // Which faults, by point and kind, can hit some engine of these runs.
  std::array<std::array<bool, faults::kind_words.size()>, faults::point_count> within_reach{};
  std::int64_t steps = 0;              // top-level and interleaved
  std::int64_t not_fired = 0;          // faults whose point was not reached
  std::int64_t fell_back = 0;          // losses of power that took answered calls along
  std::vector<std::int64_t> goals;     // by row of the goals table
  std::vector<std::int64_t> judged;    // by row of the invariants table: times it was evaluated
  std::vector<std::int64_t> violated;  // by row of the invariants table
  std::array<std::array<std::int64_t, faults::kind_words.size()>, faults::point_count> fired{};

  void add(const Tally& other);
};

// The faults that can fire and never did, by point and kind.
std::vector<Hunt> unfired(const Tally& tally);

}  // namespace leaseproof::properties
