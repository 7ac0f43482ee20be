// A thread that does one thing again and again: the only loop of the engine that runs by itself.
//
// Promise: one turn at a time, on the ticker's own thread; a turn says how long it can wait for the
// next one. Destruction waits for a turn that is under way, and none follows it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace leaseproof::engine {

class Ticker {
 public:
  // Answers the pause until the next turn in microseconds, at least 1. Must not throw.
  using Turn = std::function<std::int64_t()>;

  // The first turn begins at once.
  explicit Ticker(Turn turn);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Ends the pause. A turn that is under way is followed by another one at once.
  void wake();

 private:
  void run();

  const Turn turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace leaseproof::engine
