// What a run found: which rule broke, at which step, and what was expected beside what was seen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/vocabulary.hpp"

namespace leaseproof::properties {

// The rows of SEMANTICS 7 and three that belong to the harness itself.
inline constexpr const char* conforms_to_model = "conforms_to_model";
inline constexpr const char* as_expected = "as_expected";  // `expect` or `finally` of a trace
inline constexpr const char* settles_fairly = "no_blocked_left";  // liveness is part of I3

struct Violation {
  std::string invariant;  // the name of the row
  std::size_t step = 0;   // index into the steps of the run; for liveness, the number of steps
  std::string why;        // one sentence
  std::optional<model::Outcome> expected;  // what the model answered
  std::optional<model::Outcome> observed;  // what the engine answered
  std::optional<model::Observation> expected_state;
  std::optional<model::Observation> observed_state;
};

}  // namespace leaseproof::properties
