// The worker threads: each runs one leased op at a time, under a supervisor of its own.
//
// Promise: as many ops overlap as there are workers, and never more. A supervisor has ended before
// the final transition begins. A stop is bounded: code that ignores its token is left behind on a
// thread that owns all it still touches; what it returns is dropped and its lease expires.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/scheduler/alarm.hpp"
#include "engine/scheduler/op_source.hpp"
#include "engine/scheduler/supervisor.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine {

// What became of leased ops: each counts once, where it ended.
struct Counts {
  std::array<std::int64_t, 7> by_end{};

  [[nodiscard]] std::int64_t of(End end) const { return by_end[static_cast<std::size_t>(end)]; }
  // All of them.
  [[nodiscard]] std::int64_t processed() const;
  [[nodiscard]] Counts since(const Counts& earlier) const;
};

// What a test bed may put in place of the scheduler's own parts; production leaves it empty.
struct SchedulerSeam {
  std::shared_ptr<Alarms> alarms;
  std::function<std::unique_ptr<Supervisor>(Alarms&, Clock&)> supervisor;
};

class Crew {
 public:
  // The seam has alarms. `on_free` is called by a worker that has become free, outside of all
  // locks. The clock must outlive the crew; a thread that is left behind uses neither.
  Crew(std::int64_t workers, Clock& clock, SchedulerSeam seam, std::function<void()> on_free);
  // Waits for all ops that run: who cannot wait calls `stop` before.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // How many ops may be put now. Only putting makes it smaller.
  [[nodiscard]] std::int64_t free() const;
  void put(std::shared_ptr<LeasedOp> op);
  void wait_idle();
  // Whether the calling thread is a worker's or makes a heartbeat, or has a mark of `identity`.
  [[nodiscard]] bool is_inside() const;
  [[nodiscard]] const void* identity() const { return shared_.get(); }
  // Asks the code that runs now to stop, and waits for nothing.
  void request_stop();
  // Asks all code to stop, waits for it for `grace_us`, and abandons what runs on. A final
  // transition that has begun is waited for. Nothing may be put any more.
  void stop(std::int64_t grace_us);

  [[nodiscard]] Counts counts() const;
  // The last answer of the engine by which an op was left to expire though its lease was not
  // another's; `ok` where there was none.
  [[nodiscard]] model::Outcome trouble() const;

 private:
  struct Shared;
  struct Slot;
  static void work(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Slot>& slot);
  void abandon(const std::shared_ptr<Slot>& slot);

  Clock* clock_;
  const std::shared_ptr<Alarms> alarms_;
  const std::function<std::unique_ptr<Supervisor>(Alarms&, Clock&)> make_supervisor_;
  const std::int64_t workers_;
  const std::shared_ptr<Shared> shared_;
  std::vector<std::shared_ptr<Slot>> slots_;
};

}  // namespace leaseproof::engine
