#include "scenarios/lab/heartbeat.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leaseproof::scenarios::lab {

Heartbeat::Heartbeat(engine::Engine& engine, std::string token, std::string job,
                     std::int64_t lease_us)
    : engine_(&engine), token_(std::move(token)), job_(std::move(job)), lease_us_(lease_us) {
  thread_ = std::thread([this] { beat(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Heartbeat::beat() {
  model::Heartbeat action;
  action.by.op = job_;
  action.lease_us = lease_us_;
  const std::chrono::microseconds pause(std::max<std::int64_t>(lease_us_ / 3, 1));
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this] { return over_; })) {
    lock.unlock();
    const bool lost = engine_->heartbeat(token_, action).word == model::Word::lease_lost;
    lock.lock();
    if (!lost) continue;
    lost_ = true;
    changed_.notify_all();
    return;
  }
}

void Heartbeat::hold_us(std::int64_t duration_us, const std::function<bool()>& stop) {
  // A signal wakes nobody up, so `stop` is asked now and then.
  constexpr std::int64_t slice_us = 100'000;
  std::unique_lock lock(mutex_);
  for (std::int64_t left_us = duration_us; left_us > 0; left_us -= slice_us) {
    const std::chrono::microseconds slice(std::min(left_us, slice_us));
    if (changed_.wait_for(lock, slice, [this] { return lost_.load(); })) return;
    if (stop && stop()) return;
  }
}

}  // namespace leaseproof::scenarios::lab
