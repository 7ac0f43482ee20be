// The refusals that come first: shape and least values, before and under the lock.
//
// Promise: for the .cpp files of Engine's calls only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/store/write.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

// Runs the checks in order until one complains.
template <class... Checks>
Complaint first_complaint(Checks... checks) {
  Complaint why;
  ((why = why ? why : checks()), ...);
  return why;
}

inline Complaint check_end(const store::Write& write, std::string_view what,
                           std::int64_t duration_us) {
  if (sum_us(write.now_us(), duration_us)) return std::nullopt;
  return std::string(what) + " ends past the range of 64 bits";
}

}  // namespace leaseproof::engine
