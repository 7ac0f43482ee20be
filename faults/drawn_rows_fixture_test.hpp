// Transactions that follow from a seed, over a table t (k INTEGER PRIMARY KEY, v), for tests of a
// VFS: rows that grow, go and come back, and some of several pages.
#pragma once

#include <string>

#include "faults/draw.hpp"

namespace leaseproof::faults {

// Without its end.
std::string drawn_transaction(Draw& draw);

}  // namespace leaseproof::faults
