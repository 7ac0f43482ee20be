// Time that passes only when a test says so: a clock and the alarms that wait by it.
//
// Promise: a thread that waits for a moment returns when a test has brought the clock there, or at
// a wake. A test waits for threads by what they wait for, never for a while.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>

#include "engine/scheduler/alarm.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine {

// How long a test waits for what must come. It only ends a test that has failed.
inline constexpr std::chrono::seconds patience{20};

class HandTime final : public Clock, public Alarms {
 public:
  std::int64_t now_us() override {
    const std::lock_guard lock(mutex_);
    return now_us_;
  }
  // Whoever waits on a call's behalf moves time on by itself.
  void wait_us(std::int64_t duration_us) override {
    advance(duration_us);
    if (while_waiting) while_waiting();
  }
  void advance(std::int64_t by_us) {
    const std::lock_guard lock(mutex_);
    now_us_ += by_us;
    changed_.notify_all();
  }
  std::shared_ptr<Alarm> make() override { return std::make_shared<HandAlarm>(*this); }

  // Waits until so many threads wait for just this moment.
  void await_sleepers(std::int64_t due_us, int count = 1) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, patience, [&] { return sleeping(due_us) >= count; }))
        << "nobody sleeps until " << due_us;
  }
  void await_no_sleeper(std::int64_t due_us) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, patience, [&] { return sleeping(due_us) == 0; }))
        << "somebody sleeps until " << due_us;
  }

  std::function<void()> while_waiting;

 private:
  class HandAlarm final : public Alarm {
   public:
    explicit HandAlarm(HandTime& time) : time_(&time) {}
    void wait_until(std::int64_t due_us) override {
      std::unique_lock lock(time_->mutex_);
      due_us_ = due_us;
      const auto mine = time_->sleepers_.insert(time_->sleepers_.end(), this);
      time_->changed_.notify_all();
      time_->changed_.wait(lock, [&] { return !sleeps(); });
      time_->sleepers_.erase(mine);
      time_->changed_.notify_all();
      woken_ = false;
    }
    void wake() override {
      const std::lock_guard lock(time_->mutex_);
      woken_ = true;
      time_->changed_.notify_all();
    }
    // Whoever has been woken, or whose moment is here, sleeps no more though he has not got up yet.
    [[nodiscard]] bool sleeps() const { return !woken_ && time_->now_us_ < due_us_; }
    [[nodiscard]] std::int64_t due_us() const { return due_us_; }

   private:
    HandTime* time_;
    std::int64_t due_us_ = 0;
    bool woken_ = false;
  };

  [[nodiscard]] int sleeping(std::int64_t due_us) const {
    return static_cast<int>(std::count_if(
        sleepers_.begin(), sleepers_.end(),
        [&](const HandAlarm* alarm) { return alarm->sleeps() && alarm->due_us() == due_us; }));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t now_us_ = 0;
  std::list<const HandAlarm*> sleepers_;
};

// Something that one thread tells and others wait for.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  // False, and a failure of the test, when it does not come.
  bool await(std::string_view what = "a signal") {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, patience, [this] { return set_; });
    EXPECT_TRUE(came) << what << " did not come";
    return came;
  }
  [[nodiscard]] bool is_set() {
    const std::lock_guard lock(mutex_);
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace leaseproof::engine
