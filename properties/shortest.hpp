// The shortest counterexample: a search of the small world that a counterexample's own calls span.
//
// Promise: what is found is broken on the engine and judged by the runner; it breaks the same
// invariant. "Shortest" is claimed only of a world that was searched to the depth before it whole:
// its calls, the clock at every moment that matters, and as many crashes and busy answers.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "properties/case.hpp"
#include "properties/exhaustive.hpp"
#include "properties/search.hpp"

namespace leaseproof::properties {

// The world that holds the case, with its faults as budgets; or what it has that no world of the
// exhaustive search has: interleavings, faults of other kinds, skewed clocks, a service that does
// not answer.
tl::expected<ExhaustiveOptions, std::string> world_of(const Case& whole);

// Puts the shortest in place of a counterexample that was shrunk, or finds that it is one, and says
// so in `certificate`; or in `uncertain` why it cannot tell. `make` is for branching.
void find_shortest(const MakeRig& make, const RunnerOptions& judging, std::size_t most_states,
                   Counterexample& counterexample);

}  // namespace leaseproof::properties
