#include "engine/scheduler/alarm.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace leaseproof::engine {
namespace {

class SystemAlarm final : public Alarm {
 public:
  explicit SystemAlarm(Clock& clock) : clock_(&clock) {}

  void wait_until(std::int64_t due_us) override {
    // A wait that is too long for the system to add up is as good as this one.
    constexpr std::int64_t longest_us = 86'400'000'000;
    std::int64_t pause_us = longest_us;
    if (due_us != never_us) {
      const std::int64_t now_us = clock_->now_us();
      if (due_us <= now_us) pause_us = 0;
      std::int64_t left_us = 0;
      if (due_us > now_us && !__builtin_sub_overflow(due_us, now_us, &left_us)) {
        pause_us = std::min(left_us, longest_us);
      }
    }
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
