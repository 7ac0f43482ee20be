// The only look at a wall clock in this folder: how long something took, for people.
//
// Promise: no verdict depends on it, except where a user sets a time limit.
#pragma once

#include <chrono>
#include <cstdint>

namespace leaseproof::scenarios::cli {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A seed for a run whose user named none; it is always printed.
inline std::uint64_t seed_of_this_moment() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) % 1'000'000'007U;
}

}  // namespace leaseproof::scenarios::cli
