// A source of ops without an engine behind it: what is ready, what a run does and how it ends is in
// the hands of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/scheduler/scheduler.hpp"
#include "engine/scheduler/supervisor.hpp"
#include "engine/scheduler/time_fixture_test.hpp"

namespace leaseproof::engine {

class FakeOp final : public LeasedOp {
 public:
  explicit FakeOp(std::string id) : id_(std::move(id)) {}
  [[nodiscard]] const std::string& id() const { return id_; }

  [[nodiscard]] std::int64_t beat_us() const override { return 10'000'000; }
  void run(Supervisor& supervisor) override {
    begun.set();
    if (while_running) while_running(*this, supervisor);
    returned.set();
  }
  Beat extend() override {
    if (while_beating) while_beating();
    return Beat::extended;
  }
  Ended finish() override {
    if (while_finishing) while_finishing();
    ++finished;
    return {end, last};
  }
  void request_stop() override { stop_requested.set(); }
  void close() override { closed = true; }

  std::function<void(FakeOp&, Supervisor&)> while_running;
  std::function<void()> while_beating;
  std::function<void()> while_finishing;
  End end = End::succeeded;
  model::Outcome last;
  std::int64_t due_us = 0;
  Signal begun;
  Signal returned;
  Signal stop_requested;
  std::atomic<int> finished = 0;
  std::atomic<bool> closed = false;

 private:
  std::string id_;
};

class FakeSource final : public OpSource {
 public:
  explicit FakeSource(Clock& clock) : clock_(&clock) {}

  std::shared_ptr<FakeOp> add(const std::string& queue, const std::string& id) {
    auto op = std::make_shared<FakeOp>(id);
    put(queue, op);
    return op;
  }
  void put(const std::string& queue, std::shared_ptr<FakeOp> op) {
    const std::lock_guard lock(mutex_);
    ready_[{"s", queue}].push_back(std::move(op));
  }

  model::Outcome refresh() override {
    const std::lock_guard lock(mutex_);
    order_.emplace_back("refresh");
    if (refresh_trouble.word != model::Word::ok) return refresh_trouble;
    return {model::Word::ok, model::Refreshed{}};
  }
  model::Outcome next_due(store::Due& due) override {
    const std::lock_guard lock(mutex_);
    due = {false, refresh_us, {}};
    for (const auto& [name, ops] : ready_) {
      std::int64_t due_us = never_us;
      for (const auto& op : ops) due_us = std::min(due_us, op->due_us);
      if (due_us != never_us) due.queues.push_back({name.site, name.queue, due_us});
    }
    return model::Word::ok;
  }
  std::vector<Leasing> lease(const std::vector<QueueName>& queues) override {
    std::vector<Leasing> leasings;
    for (const QueueName& queue : queues) leasings.push_back(lease(queue));
    return leasings;
  }

  // Calls of `refresh` and ids of leased ops, in their order.
  std::vector<std::string> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

  std::optional<std::int64_t> refresh_us;
  model::Outcome refresh_trouble;
  model::Outcome lease_trouble;
  bool gives_nothing = false;
  std::atomic<int> leases = 0;
  std::function<void()> while_leasing;

 private:
  Leasing lease(const QueueName& queue) {
    const std::int64_t now_us = clock_->now_us();
    const std::lock_guard lock(mutex_);
    ++leases;
    if (while_leasing) while_leasing();
    if (lease_trouble.word != model::Word::ok) return {lease_trouble, nullptr};
    auto& ops = ready_[queue];
    if (gives_nothing || ops.empty() || ops.front()->due_us > now_us) {
      return {model::Word::none, nullptr};
    }
    auto op = ops.front();
    order_.push_back(op->id());
    ops.pop_front();
    return {{model::Word::leased, model::Leased{op->id(), 1, 0}}, op};
  }

  Clock* clock_;
  std::mutex mutex_;
  std::map<QueueName, std::deque<std::shared_ptr<FakeOp>>> ready_;
  std::vector<std::string> order_;
};

// Tells when somebody waits for a beat, so that a test can go on from there.
class WatchedSupervisor final : public Supervisor {
 public:
  WatchedSupervisor(Alarms& alarms, Clock& clock, bool joins)
      : Supervisor(alarms, clock), joins_(joins) {}
  Signal joining;

 protected:
  void join_beat() override {
    joining.set();
    if (joins_) Supervisor::join_beat();
  }

 private:
  bool joins_;
};

// How many run at the same time, and that so many do.
class Overlap {
 public:
  explicit Overlap(int wanted) : wanted_(wanted) {}
  // Returns when as many as wanted have been in here at once.
  void enter() {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++active_);
    changed_.notify_all();
    changed_.wait_for(lock, patience, [this] { return most_ >= wanted_; });
    // One more than wanted would come in about now.
    for (int i = 0; i < 50; ++i) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    --active_;
  }
  [[nodiscard]] int most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  int wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int active_ = 0;
  int most_ = 0;
};

class ScheduledOps : public testing::Test {
 protected:
  SchedulerSeam seam() {
    SchedulerSeam seam;
    seam.alarms = std::shared_ptr<Alarms>(std::shared_ptr<void>(), &time_);
    return seam;
  }
  std::unique_ptr<Scheduler> scheduler(std::int64_t workers, SchedulerSettings settings = {}) {
    settings.max_workers = workers;
    return std::make_unique<Scheduler>(source_, time_, settings, seam());
  }
  // An op that runs until it is told to stop.
  std::shared_ptr<FakeOp> add_obedient() {
    auto op = source_.add("q", "obedient");
    op->while_running = [](FakeOp& runs, Supervisor&) { runs.stop_requested.await("the stop"); };
    return op;
  }

  HandTime time_;
  FakeSource source_{time_};
};

}  // namespace leaseproof::engine
