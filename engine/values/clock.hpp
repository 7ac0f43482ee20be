// The engine's only source of time (ARCHITECTURE, idea 6).
#pragma once

#include <cstdint>

namespace leaseproof::engine {

class Clock {
 public:
  Clock() = default;
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  // Microseconds since the epoch. The engine reads it once a call, after it holds the write lock.
  virtual std::int64_t now_us() = 0;
  // Waits before another try for the write lock; a simulated clock returns at once.
  virtual void wait_us(std::int64_t duration_us) = 0;
};

}  // namespace leaseproof::engine
