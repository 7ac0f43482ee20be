// What a call answered and what can be observed, in the words of TRACE 2 and 4, and back.
//
// Promise: canonical: equal values print the same bytes; no secrets or tokens. Reading what was
// written gives an equal value; what an observation does not show is told apart from what is
// absent.
#pragma once

#include <string>
#include <utility>

#include "model/vocabulary.hpp"
#include "properties/unseen.hpp"
#include "scenarios/json.hpp"
#include "scenarios/plain_reader.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

// {"outcome": word, its listed fields}.
Json reply_json(const model::Outcome& outcome);
// The state of section 4; what is absent is null, but `result` is left out.
Json observation_json(const model::Observation& observation);

// Reads `outcome` and the fields that its word carries as an answer to this action; the caller
// reads other keys and calls `end`. `ok` to `observe` carries none here: its fields are read apart.
model::Outcome read_outcome(Reader& reader, const model::Action& action);
model::Outcome read_outcome(PlainReader& reader, const model::Action& action);
// The state of section 4, or the part of it that is there. Where `result` is left out there is
// none.
void read_observation(Reader& reader, model::Observation& seen, properties::Unseen& unseen);

// The parts of two values that differ: objects are compared key by key, all else as a whole. A side
// that has no such part says null.
std::pair<Json, Json> differing(const Json& before, const Json& after);

}  // namespace leaseproof::scenarios
