#include "engine/scheduler/notices.hpp"

#include <cstddef>
#include <stdexcept>

#include "faults/point.hpp"

namespace leaseproof::engine {

void Notices::add(Observer observer) {
  const std::lock_guard lock(mutex_);
  observers_.push_back(std::move(observer));
}

bool Notices::wanted() const {
  const std::lock_guard lock(mutex_);
  return !observers_.empty();
}

void Notices::push(Notice notice) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(notice));
}

void Notices::deliver() {
  std::unique_lock lock(mutex_);
  if (delivering_) return;
  delivering_ = true;
  while (!waiting_.empty()) {
    const Notice notice = std::move(waiting_.front());
    waiting_.pop_front();
    // One that is added meanwhile moves none of the others, and hears of the next call.
    const std::size_t told = observers_.size();
    for (std::size_t i = 0; i < told; ++i) {
      const Observer& observer = observers_[i];
      lock.unlock();
      // Outside of what is caught: the end of the process is no failure of a listener.
      const auto injected = faults::hit(faults::observer_notify);
      bool failed = false;
      try {
        if (injected == faults::Injected::observer_throw) {
          throw std::runtime_error("injected at observer/notify");
        }
        observer(notice);
      } catch (...) {
        failed = true;
      }
      lock.lock();
      if (failed) ++failures_;
    }
  }
  delivering_ = false;
}

std::int64_t Notices::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

}  // namespace leaseproof::engine
