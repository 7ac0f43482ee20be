// The clock of every engine that is measured.
//
// Promise: the system's own, which an engine takes when it is given none. A second bench program
// has a slow one in its place: what a planted slowness looks like to the comparison with a
// baseline.
#pragma once

#include "engine/values/clock.hpp"

namespace leaseproof::bench {

// Outlives every engine.
engine::Clock& engine_clock();

}  // namespace leaseproof::bench
