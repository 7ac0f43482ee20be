// How often and how patiently a call tries for the write lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leaseproof::engine {

// A whole transaction is tried up to `tries` times. The wait before try n+1 doubles from `first_us`
// up to `cap_us` and draws nothing, so that a replay waits alike. The defaults give a writer of
// another process about five seconds.
struct BusyPolicy {
  std::int64_t tries = 64;
  std::int64_t first_us = 500;
  std::int64_t cap_us = 100'000;

  [[nodiscard]] std::int64_t wait_us(std::int64_t failed_tries) const {
    const std::int64_t doublings = std::min<std::int64_t>(failed_tries - 1, 20);
    return std::min(cap_us, first_us << doublings);
  }
};

}  // namespace leaseproof::engine
