// refresh: expired leases end, dependents follow what they need (SEMANTICS 3, refresh).
#pragma once

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `ok` with the counts of what was done. Costs what has changed since the last refresh: ops whose
// status may matter to others carry a mark, and only marked ops and their dependents are looked at.
model::Outcome refresh(Write& write);

}  // namespace leaseproof::engine::store
