// The readings of an engine (readings.hpp) as a request and its answer, both ways.
//
// Promise: what was written reads back equal; payloads stand as JSON values, as everywhere else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/readings.hpp"
#include "scenarios/json.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

// What is asked: of which ops, and where a reader stands that starts from each of these moments.
struct ReadingsRequest {
  std::vector<std::string> ops;
  std::vector<std::int64_t> since_us;
};
// The keys of `asked` as a request; of its moments those within ±`most_us`.
ReadingsRequest asked_for(const properties::Readings& asked, std::int64_t most_us);
// The other way: only the keys say anything.
properties::Readings asked_in(const ReadingsRequest& request);

// The fields of the answer besides `id` and `outcome`.
Json readings_json(const properties::Readings& readings);
properties::Readings read_readings(Reader& reader);

}  // namespace leaseproof::scenarios
