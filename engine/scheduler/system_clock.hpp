// The wall clock of a production engine: the one place that reads it.
#pragma once

#include <cstdint>

#include "engine/values/clock.hpp"

namespace leaseproof::engine {

class SystemClock final : public Clock {
 public:
  std::int64_t now_us() override;
  void wait_us(std::int64_t duration_us) override;
};

}  // namespace leaseproof::engine
