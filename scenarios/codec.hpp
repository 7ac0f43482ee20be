// The one JSON codec of traces (TRACE 1): scenarios, counterexamples and corpus entries are one
// type.
//
// Promise: reading is strict and never throws: an error is one line that names file, step and key
// and how to mend it. Writing is deterministic, one step a line; what was written reads back equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "properties/search.hpp"
#include "properties/step.hpp"
#include "properties/violation.hpp"

namespace leaseproof::scenarios {

inline constexpr std::string_view trace_format = "leaseproof-trace/1";

// What a failing run wrote beside its steps. Steps count from 1 here, as in every message; the
// number of steps plus one means that it showed after the last.
struct RecordedViolation {
  std::string invariant;
  std::int64_t step = 0;
  std::string why;
  std::string expected = "null";  // JSON text, as are all values that only a person looks at
  std::string observed = "null";
  bool operator==(const RecordedViolation&) const = default;
};

struct Found {
  std::string by;
  std::uint64_t seed = 0;
  std::string engine;
  std::int64_t steps_before_shrinking = 0;
  // What is known of how small it is: a word of properties::Certificate, or empty.
  std::string certificate = {};
  bool operator==(const Found&) const = default;
};

struct Scenario {
  std::string name;
  std::string about;
  properties::Config config;
  std::vector<properties::Step> steps;
  std::string finally;  // JSON text; empty means nothing
  std::optional<RecordedViolation> violation;
  std::optional<Found> found;
};

class Reader;
// The word of `synchronous`, which `full` may be left out for. Refuses as a reader does.
std::string_view synchronous_word(properties::Synchronous value);
void read_synchronous(Reader& reader, properties::Synchronous& value);

tl::expected<Scenario, std::string> read_scenario(std::string_view text, std::string_view file);
std::string write_scenario(const Scenario& scenario);

RecordedViolation recorded(const properties::Violation& violation);
// Self-contained: it needs neither the seed nor this program's generators to be replayed.
Scenario as_scenario(const properties::Counterexample& counterexample, std::string_view by,
                     std::string_view engine);

}  // namespace leaseproof::scenarios
