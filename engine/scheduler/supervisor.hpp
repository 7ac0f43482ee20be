// Keeps the lease of one running op alive, on a thread of its own.
//
// Promise: beats from one interval after `begin` on, until `end`; once `end` or `pause` has
// returned no beat is under way. So no heartbeat meets another call under the same token.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/scheduler/alarm.hpp"
#include "engine/scheduler/op_source.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine {

class Supervisor {
 public:
  // The clock must outlive the supervisor.
  Supervisor(Alarms& alarms, Clock& clock);
  // No `end` is needed before.
  virtual ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // What a beat calls is called from inside the scheduler that the caller works for (inside.hpp).
  void begin(std::shared_ptr<LeasedOp> op);
  void end();
  // A pause moves no beat: one that falls due meanwhile is made at `resume`.
  void pause();
  void resume();

 protected:
  // Returns when the beat that is under way, if any, is over. Virtual for test beds alone: one says
  // when a worker waits here, another plants the bug of not waiting.
  virtual void join_beat();

 private:
  void run();
  void beat(std::unique_lock<std::mutex>& lock);
  void wake_if_late();

  Clock* clock_;
  const std::shared_ptr<Alarm> alarm_;
  std::mutex mutex_;
  std::condition_variable beaten_;
  std::shared_ptr<LeasedOp> op_;
  const void* inside_ = nullptr;  // the scheduler of `op_`
  std::int64_t due_us_ = 0;
  std::int64_t armed_us_ = 0;  // until when the thread waits; 0 while it does not
  bool paused_ = false;
  bool beating_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace leaseproof::engine
