#include "engine/scheduler/notices.hpp"

#include <stdexcept>

#include "faults/point.hpp"

namespace leaseproof::engine {

void Notices::add(Observer observer) { observers_.push_back(std::move(observer)); }

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
    lock.unlock();
    std::int64_t failed = 0;
    for (const auto& observer : observers_) {
      // Outside of what is caught: the end of the process is no failure of a listener.
      const auto injected = faults::hit(faults::observer_notify);
      try {
        if (injected == faults::Injected::observer_throw) {
          throw std::runtime_error("injected at observer/notify");
        }
        observer(notice);
      } catch (...) {
        ++failed;
      }
    }
    lock.lock();
    failures_ += failed;
  }
  delivering_ = false;
}

std::int64_t Notices::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

}  // namespace leaseproof::engine
