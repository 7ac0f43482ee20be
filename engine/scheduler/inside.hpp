// Whether a thread is at work for a scheduler: in a turn, as a worker, or with a heartbeat.
//
// Promise: what a runner or an observer calls there can tell that it would wait for itself. A mark
// holds for the thread that made it, until the object is gone; marks of several schedulers nest.
#pragma once

namespace leaseproof::engine {

class Inside {
 public:
  // An address stands for the scheduler; it must not be another's while the mark holds.
  explicit Inside(const void* scheduler) : scheduler_(scheduler), outer_(newest_) {
    newest_ = this;
  }
  ~Inside() { newest_ = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  [[nodiscard]] static bool of(const void* scheduler) {
    const Inside* mark = newest_;
    while (mark != nullptr && mark->scheduler_ != scheduler) mark = mark->outer_;
    return mark != nullptr;
  }
  // The scheduler that the thread works for, to be marked on another thread that works for it too;
  // null where there is none.
  [[nodiscard]] static const void* innermost() {
    return newest_ == nullptr ? nullptr : newest_->scheduler_;
  }

 private:
  const void* const scheduler_;
  const Inside* const outer_;
  static inline thread_local const Inside* newest_ = nullptr;
};

}  // namespace leaseproof::engine
