#include "engine/scheduler/system_clock.hpp"

#include <chrono>
#include <thread>

namespace leaseproof::engine {

std::int64_t SystemClock::now_us() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

void SystemClock::wait_us(std::int64_t duration_us) {
  std::this_thread::sleep_for(std::chrono::microseconds(duration_us));
}

}  // namespace leaseproof::engine
