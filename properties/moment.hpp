// The moment of a failing run: after which of its steps the violation becomes likely.
//
// Promise: each prefix of the steps is continued at random many times, by the generators that
// searches draw from, on the same engine, and judged by the same rules; what is counted is the same
// invariant. A function of case, engine and options alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/case.hpp"
#include "properties/search.hpp"

namespace leaseproof::properties {

struct MomentOptions {
  std::uint64_t seed = 1;
  std::int64_t continuations = 100;  // of each prefix
  std::size_t more = 16;             // steps of each continuation
  RunnerOptions runner;
  std::function<bool()> stop;  // asked between prefixes; true ends it
};

// Of the continuations of the first k steps, how many violated the invariant, for k from 0; shorter
// than the number of steps plus one where it was stopped.
std::vector<std::int64_t> violated_after(const MakeRig& make, const Case& failing,
                                         const std::string& invariant,
                                         const MomentOptions& options);

// The number, from 1, of the step with the steepest rise, the first of equals; 0 where none rises.
std::size_t steepest_step(const std::vector<std::int64_t>& violated);

}  // namespace leaseproof::properties
