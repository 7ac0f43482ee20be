#include "engine/scheduler/alarm.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "engine/values/shape.hpp"

namespace leaseproof::engine {
namespace {

class SystemAlarm final : public Alarm {
 public:
  explicit SystemAlarm(Clock& clock) : clock_(&clock) {}

  void wait_until(std::int64_t due_us) override {
    // A wait that is too long for the system to add up is as good as this one.
    constexpr std::int64_t longest_us = 86'400'000'000;
    const std::int64_t now_us = clock_->now_us();
    const std::int64_t latest_us = sum_us(now_us, longest_us).value_or(never_us);
    const std::int64_t pause_us = std::clamp(due_us, now_us, latest_us) - now_us;
    std::unique_lock lock(mutex_);
    woken_up_.wait_for(lock, std::chrono::microseconds(pause_us), [this] { return woken_; });
    woken_ = false;
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    woken_up_.notify_one();
  }

 private:
  Clock* clock_;
  std::mutex mutex_;
  std::condition_variable woken_up_;
  bool woken_ = false;
};

}  // namespace

std::shared_ptr<Alarm> SystemAlarms::make() { return std::make_shared<SystemAlarm>(*clock_); }

}  // namespace leaseproof::engine
