// One interleaving to be run: a configuration and its steps. Plain data.
#pragma once

#include <vector>

#include "properties/step.hpp"

namespace leaseproof::properties {

struct Case {
  Config config;
  std::vector<Step> steps;
};

}  // namespace leaseproof::properties
