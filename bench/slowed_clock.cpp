// A planted slowness: each call of an engine holds its write lock for a quarter of a millisecond
// longer. The floor has no clock, so it is as fast as ever.
#include "bench/clock.hpp"
#include "bench/stopwatch.hpp"
#include "engine/scheduler/system_clock.hpp"

namespace leaseproof::bench {
namespace {

class SlowedClock final : public engine::Clock {
 public:
  std::int64_t now_us() override {
    constexpr std::uint64_t slowness_ns = 250'000;
    const Stopwatch watch;
    while (watch.ns() < slowness_ns) {
    }
    return system_.now_us();
  }
  void wait_us(std::int64_t duration_us) override { system_.wait_us(duration_us); }

 private:
  engine::SystemClock system_;
};

}  // namespace

engine::Clock& engine_clock() {
  static SlowedClock clock;
  return clock;
}

}  // namespace leaseproof::bench
