// What a call answered and what can be observed, in the words of TRACE 2 and 4.
//
// Promise: canonical: equal values print the same bytes; no secrets or tokens.
#pragma once

#include <string>
#include <utility>

#include "model/vocabulary.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

// {"outcome": word, its listed fields}.
Json reply_json(const model::Outcome& outcome);
// The state of section 4; what is absent is null, but `result` is left out.
Json observation_json(const model::Observation& observation);

// The parts of two values that differ: objects are compared key by key, all else as a whole. A side
// that has no such part says null.
std::pair<Json, Json> differing(const Json& before, const Json& after);

}  // namespace leaseproof::scenarios
