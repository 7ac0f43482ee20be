// The only look at a clock in this folder that is not the engine's: how long something took.
#pragma once

#include <chrono>
#include <cstdint>

namespace leaseproof::bench {

class Stopwatch {
 public:
  [[nodiscard]] std::uint64_t ns() const {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count());
  }
  [[nodiscard]] double seconds() const { return static_cast<double>(ns()) / 1e9; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Nanoseconds on the clock that all processes of the machine share.
inline std::uint64_t shared_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace leaseproof::bench
