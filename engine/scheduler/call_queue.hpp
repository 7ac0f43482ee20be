// Calls of several threads in the order in which they came, and who makes them.
//
// Promise: each call is made once, in turn. The thread whose call is first leads: it makes its own
// and takes along what waits behind it, for as long as calls are there and at most so many, so that
// one commit can serve them all. It waits for nobody; only where more were together the time
// before, and are on their way, it gives way to other threads some times.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace leaseproof::engine {

class CallQueue {
  class Seat;

 public:
  // One call, for as long as its thread is in `pass`.
  class Call {
   public:
    // A call that is alone neither leads others nor goes along.
    explicit Call(bool alone) : alone_(alone) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    friend class CallQueue;
    const bool alone_;
    std::exception_ptr thrown_;
    std::shared_ptr<Seat> seat_;
  };

  // Makes the first call of the queue, which it is given, and those that it takes along.
  using Lead = std::function<void(Call&)>;

  // `most` ≥ 1 calls are made at once.
  explicit CallQueue(std::int64_t most) : most_(most) {}

  // Queues `calls` in their order and returns once all are made, by whichever thread. What `lead`
  // throws comes out of the `pass` of each call that was being made: the end of a process is
  // nobody's alone.
  void pass(const std::vector<Call*>& calls, const Lead& lead);
  // Under `lead` alone: the next call, to be made with the others; nothing when none waits, when it
  // is alone, or when there are as many as may be.
  Call* take_along();
  [[nodiscard]] std::int64_t waiting() const;

 private:
  // Under the lock: the first call that waits is made now, as the one to lead where nobody does.
  Call* take_first();
  void end(std::unique_lock<std::mutex>& lock, const std::exception_ptr& thrown);

  const std::int64_t most_;
  mutable std::mutex mutex_;
  std::deque<Call*> waiting_;
  std::vector<Call*> taken_;  // not empty while somebody leads or is told to
  std::atomic<bool> somebody_looks_ = false;
  std::size_t before_ = 0;  // how many were together the last time
};

}  // namespace leaseproof::engine
