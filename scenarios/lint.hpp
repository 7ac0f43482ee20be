// What is wrong with a trace before anything runs: a step for an op that nothing makes, a graph
// with a cycle, a negative time or duration.
//
// Promise: a step that says `expect` `invalid` or `not_found` means it, and is left alone; so an
// engine's refusals can still be tested.
#pragma once

#include <string>
#include <vector>

#include "properties/step.hpp"

namespace leaseproof::scenarios {

struct Finding {
  std::string text;  // one line: step, key, what is wrong, how to mend it
};

std::vector<Finding> lint(const std::vector<properties::Step>& steps);

}  // namespace leaseproof::scenarios
