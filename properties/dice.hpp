// All randomness of a drawn case, from one rc::Random.
#pragma once

#include <rapidcheck/Random.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "engine/values/check.hpp"

namespace leaseproof::properties {

class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}

  // 0 ≤ result < n, n ≥ 1. Small ranges share one number of RapidCheck's: its cipher costs more
  // than the step that is drawn.
  std::uint64_t below(std::uint64_t n) {
    LP_CHECK(n > 0, "there is something to choose from");
    if (n > 0xFFF) return random_.next() % n;
    if (left_ == 0) {
      pool_ = random_.next();
      left_ = 4;
    }
    const std::uint64_t bits = pool_ & 0xFFFF;
    pool_ >>= 16;
    --left_;
    return bits % n;
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // True in `percent` of 100 cases.
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  template <class T>
  T of(std::initializer_list<T> items) {
    return items.begin()[below(items.size())];
  }
  // An index, drawn by weight; the sum of weights is positive.
  template <class Weights>
  std::size_t weighted(const Weights& weights) {
    std::uint64_t sum = 0;
    for (const auto weight : weights) sum += static_cast<std::uint64_t>(weight);
    std::uint64_t at = below(sum);
    std::size_t index = 0;
    for (const auto weight : weights) {
      if (at < static_cast<std::uint64_t>(weight)) return index;
      at -= static_cast<std::uint64_t>(weight);
      ++index;
    }
    return 0;
  }

 private:
  rc::Random random_;
  std::uint64_t pool_ = 0;
  int left_ = 0;
};

}  // namespace leaseproof::properties
