// What can be taken away from a case: one row a kind of cut, the biggest first.
//
// Promise: a cut case is smaller by a measure that never grows (steps, faults, interleaving depth,
// specs, budgets, sizes of numbers), so that cutting ends. Whether it still fails is for the caller
// to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/case.hpp"

namespace leaseproof::properties {

enum class CutKind : std::uint8_t {
  steps,         // `size` steps from `at`
  fault,         // the fault of step `at`
  earlier,       // step `at`, but its fault stays, at the same place of the call before it
  unnest,        // what is interleaved into step `at` runs before it, without a fault
  inner,         // the `size`-th interleaved step of step `at`
  inner_fault,   // the fault of that interleaved step
  skew,          // of step `at`
  lock_wait,     // of step `at`
  waited,        // step `at`, but the time that it waited for the lock passes, as an advance
  merge,         // step `at` and the next, both advances, into one
  shorter,       // the advance of step `at`, to half (size 2) or a round number (size 1)
  op,            // the `size`-th op of step `at`'s specs, and every need of it
  needs,         // all needs of that op
  spec,          // everything of that op that is no need, to its default; but its effect where
                 // `other` is 1, and what the effect's contract and approval need where it is 2
  context,       // of that op
  op_and_lease,  // that op, every step that names it, and the lease at step `other`
  attempts,  // `other` attempts of that op's budget, and as many rounds of three steps from `at`
  body,      // what the action of step `at` carries beyond its name and handle
  queue,     // the `at`-th queue of the config
  config     // the config's numbers, to their defaults
};

struct Cut {
  CutKind kind = CutKind::steps;
  std::size_t at = 0;
  std::size_t size = 0;
  std::size_t other = 0;
  std::string op = {};  // where a row says "that op" and `at` is no step of its specs
};

// All cuts that may make the case smaller.
std::vector<Cut> cuts_of(const Case& whole);
// The case after the cut; nothing where it would be the same.
std::optional<Case> apply_cut(const Case& whole, const Cut& cut);

}  // namespace leaseproof::properties
