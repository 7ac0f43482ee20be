// Planted bugs of contexts, approvals and effects, as data.
#pragma once

#include <vector>

#include "properties/mutants.hpp"

namespace leaseproof::properties {

// The rows that `mutants()` holds for SEMANTICS 5 and 6.
std::vector<Mutant> effect_mutants();

}  // namespace leaseproof::properties
