#include "bench/clock.hpp"

#include "engine/scheduler/system_clock.hpp"

namespace leaseproof::bench {

engine::Clock& engine_clock() {
  static engine::SystemClock clock;
  return clock;
}

}  // namespace leaseproof::bench
