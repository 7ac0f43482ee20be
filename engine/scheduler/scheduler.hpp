// When ops are leased, and who runs them: in cycles at the host's pace, or by itself as a service.
//
// Promise: each turn begins with `refresh`, then leases a bounded set by round-robin passes over
// the sorted (site, queue) names, and only then runs it: what an op emits is admitted in a later
// turn. As many ops overlap as there are free workers, and never more. By itself it sleeps until
// the next moment at which the engine could have something to do, a wake, or the longest pause.
//
// Trouble, which is any answer of the engine but the ones that a call promises (`busy`,
// `storage_error`, `commit_unknown`), loses nothing: of `refresh` or of a reading it ends the turn,
// of a lease it ends the leasing, a lease that may have been granted unheard is left to expire; an
// unheard heartbeat is asked again soon; a final transition is asked again as long as the lease may
// still be ours, and then left to expire.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/scheduler/alarm.hpp"
#include "engine/scheduler/crew.hpp"
#include "engine/scheduler/op_source.hpp"
#include "engine/values/clock.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

struct SchedulerSettings {
  // At least 1: so many ops run at once in this process.
  std::int64_t max_workers = 4;
  std::int64_t lease_us = model::default_lease_us;
  // Between two heartbeats of an op, less than `lease_us`; 0 is a third of it.
  std::int64_t heartbeat_us = 0;
  // How long a stop waits for code that has been told to stop.
  std::int64_t grace_us = 10'000'000;
  // A service looks again after so long at the latest: nobody tells it of what other processes do.
  std::int64_t longest_pause_us = 1'000'000;
  // Only ops of these queues are leased; none means of all. By queue a process says which kinds of
  // op it takes, since a lease asks for no kind.
  std::vector<QueueName> queues;
};

// What is wrong with the settings, or nothing.
std::optional<std::string> complaint_about(const SchedulerSettings& settings);

struct Cycle {
  Counts counts;           // of the ops that this cycle leased
  model::Outcome trouble;  // `ok`, or the first answer that was trouble
};

class Scheduler {
 public:
  // Source and clock must outlive the scheduler; no `complaint_about` the settings.
  Scheduler(OpSource& source, Clock& clock, SchedulerSettings settings, SchedulerSeam seam = {});
  // `stop`, which from inside would wait for itself: not from a runner or an observer.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // One turn, and waits for what it leased. Leases nothing after `drain` or `stop`. From one thread
  // at a time, and not while the scheduler runs by itself. From inside, as a runner is and an
  // observer may be, nothing is made, of this as of `work_off`: the trouble is `invalid`.
  Cycle run_cycle();
  // Cycles until no op can go on without another call, sleeping in between until the next one can;
  // ends early at `drain` and `stop`, and at trouble. Ops that other processes run are waited for.
  Cycle work_off();

  // Runs by itself from now on, on a thread of its own. Nothing where it does already, after
  // `stop`, and from inside. Allowed again after `drain`, which is waited for.
  void start();
  // There may be something to do now; from any thread, also from an observer of the engine.
  void wake();
  // Leases nothing more and waits for all that runs, however long it takes. From inside, as a
  // runner is and an observer may be, this and `stop` wait for nothing: the owner's next one does.
  void drain();
  // As `drain`, but asks what runs to stop and waits `grace_us` for it. What ends in time is
  // committed. For good: a new scheduler goes on where this one stopped.
  void stop();

  // Of all ops so far.
  [[nodiscard]] Counts counts() const { return crew_.counts(); }
  // The last trouble, or `ok`.
  [[nodiscard]] model::Outcome trouble() const;
  // How many turns it has made by itself.
  [[nodiscard]] std::int64_t turns() const { return turns_; }

 private:
  // What a turn found; the moment of the next one is `never_us` where nothing is due.
  struct Turn {
    model::Outcome trouble;
    std::int64_t leased = 0;
    std::int64_t next_us = never_us;
  };
  Turn turn();
  void wait_for_next(const Turn& made);
  std::int64_t admit(const store::Due& due, std::int64_t now_us, model::Outcome& trouble);
  [[nodiscard]] std::vector<QueueName> open_queues(const store::Due& due,
                                                   std::int64_t now_us) const;
  [[nodiscard]] bool serves(const QueueName& queue) const;
  [[nodiscard]] std::int64_t next_moment(const store::Due& due) const;
  void run();
  void drain_and_wait();
  void end_loop();
  [[nodiscard]] bool admits() const { return !draining_ && !stopping_; }

  OpSource* source_;
  Clock* clock_;
  const SchedulerSettings settings_;
  const std::shared_ptr<Alarm> alarm_;
  std::mutex controlling_;         // held while it is started or drained
  std::mutex turning_;             // held while a turn leases and puts
  std::optional<QueueName> last_;  // the queue of the newest lease: the next pass begins behind it
  std::atomic<bool> draining_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> turns_ = 0;
  mutable std::mutex state_;  // of the two below
  model::Outcome trouble_;
  std::thread loop_;
  Crew crew_;  // last: its threads use the others
};

}  // namespace leaseproof::engine
