#include "engine/scheduler/ticker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leaseproof::engine {

Ticker::Ticker(Turn turn) : turn_(std::move(turn)), thread_([this] { run(); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Ticker::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void Ticker::run() {
  // A pause that is too long for the system's clock to add up is as good as this one.
  constexpr std::int64_t longest_us = 86'400'000'000;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    woken_ = false;
    lock.unlock();
    const std::int64_t pause_us = std::clamp<std::int64_t>(turn_(), 1, longest_us);
    lock.lock();
    changed_.wait_for(lock, std::chrono::microseconds(pause_us),
                      [this] { return woken_ || ending_; });
  }
}

}  // namespace leaseproof::engine
