#include "engine/scheduler/supervisor.hpp"

#include <algorithm>
#include <utility>

#include "engine/scheduler/inside.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

Supervisor::Supervisor(Alarms& alarms, Clock& clock)
    : clock_(&clock), alarm_(alarms.make()), thread_([this] { run(); }) {}

Supervisor::~Supervisor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  alarm_->wake();
  thread_.join();
}

void Supervisor::begin(std::shared_ptr<LeasedOp> op) {
  const std::lock_guard lock(mutex_);
  op_ = std::move(op);
  inside_ = Inside::innermost();
  paused_ = false;
  due_us_ = sum_us(clock_->now_us(), op_->beat_us()).value_or(never_us);
  wake_if_late();
}

void Supervisor::end() {
  {
    const std::lock_guard lock(mutex_);
    op_.reset();
  }
  join_beat();
}

void Supervisor::pause() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = true;
  }
  join_beat();
}

void Supervisor::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  wake_if_late();
}

void Supervisor::join_beat() {
  std::unique_lock lock(mutex_);
  beaten_.wait(lock, [this] { return !beating_; });
}

// A thread that waits for an earlier moment finds by itself what has changed: an op that ends
// before its first beat wakes nobody.
void Supervisor::wake_if_late() {
  if (armed_us_ > due_us_) alarm_->wake();
}

void Supervisor::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const bool beats = op_ != nullptr && !paused_;
    if (beats && due_us_ <= clock_->now_us()) {
      beat(lock);
      continue;
    }
    armed_us_ = beats ? due_us_ : never_us;
    const std::int64_t until_us = armed_us_;
    lock.unlock();
    alarm_->wait_until(until_us);
    lock.lock();
    armed_us_ = 0;
  }
}

void Supervisor::beat(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<LeasedOp> op = op_;
  const Inside inside(inside_);
  beating_ = true;
  lock.unlock();
  const Beat answer = op->extend();
  lock.lock();
  beating_ = false;
  beaten_.notify_all();
  if (op_ != op) return;
  if (answer == Beat::over) {
    op_.reset();
    return;
  }
  // Two thirds of the lease were left: there is time for several more tries.
  const std::int64_t pause_us =
      answer == Beat::extended ? op->beat_us() : std::max<std::int64_t>(op->beat_us() / 8, 1);
  due_us_ = sum_us(clock_->now_us(), pause_us).value_or(never_us);
}

}  // namespace leaseproof::engine
