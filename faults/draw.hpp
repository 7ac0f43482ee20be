// Numbers that follow from a seed alone, the same on every machine: SplitMix64.
#pragma once

#include <cstdint>

namespace leaseproof::faults {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }
  // 0 ≤ result < n, n ≥ 1.
  std::uint64_t below(std::uint64_t n) { return bits() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace leaseproof::faults
