// A run walked through by hand: one step at a time, by what is typed.
#pragma once

#include <cstdio>

#include "scenarios/course.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

// Shows a step, then reads a line, until `q` or the end of the input.
void step_through(const Replay& replay, std::FILE* input);

}  // namespace leaseproof::scenarios::cli
