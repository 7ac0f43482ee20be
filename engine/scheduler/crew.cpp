#include "engine/scheduler/crew.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "engine/scheduler/inside.hpp"
#include "engine/values/check.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

std::int64_t Counts::processed() const {
  std::int64_t all = 0;
  for (const std::int64_t count : by_end) all += count;
  return all;
}

Counts Counts::since(const Counts& earlier) const {
  Counts difference;
  for (std::size_t i = 0; i < by_end.size(); ++i) {
    difference.by_end[i] = by_end[i] - earlier.by_end[i];
  }
  return difference;
}

// What the crew and its threads share; a thread that was left behind keeps it.
struct Crew::Shared {
  std::mutex mutex;
  std::condition_variable idle;
  std::int64_t busy = 0;
  Counts counts;
  model::Outcome trouble;
  std::function<void()> on_free;              // called by threads that were not left behind
  std::vector<std::shared_ptr<Alarm>> stops;  // one of each stop
};

enum class Phase : std::uint8_t { idle, running, finishing, abandoned };

// One worker. All but the supervisor is guarded by the mutex of `Shared`.
struct Crew::Slot {
  std::condition_variable changed;
  std::shared_ptr<LeasedOp> op;
  Phase phase = Phase::idle;
  bool ending = false;
  std::unique_ptr<Supervisor> supervisor;
  std::thread thread;
};

Crew::Crew(std::int64_t workers, Clock& clock, SchedulerSeam seam, std::function<void()> on_free)
    : clock_(&clock),
      alarms_(std::move(seam.alarms)),
      make_supervisor_(
          seam.supervisor ? std::move(seam.supervisor)
                          : [](Alarms& a, Clock& c) { return std::make_unique<Supervisor>(a, c); }),
      workers_(workers),
      shared_(std::make_shared<Shared>()) {
  shared_->on_free = std::move(on_free);
}

Crew::~Crew() {
  for (const auto& slot : slots_) {
    {
      const std::lock_guard lock(shared_->mutex);
      slot->ending = true;
    }
    slot->changed.notify_one();
    if (slot->thread.joinable()) slot->thread.join();
  }
}

std::int64_t Crew::free() const {
  const std::lock_guard lock(shared_->mutex);
  return workers_ - shared_->busy;
}

void Crew::put(std::shared_ptr<LeasedOp> op) {
  std::unique_lock lock(shared_->mutex);
  LP_CHECK(shared_->busy < workers_, "an op is put to a free worker");
  ++shared_->busy;
  for (const auto& slot : slots_) {
    if (slot->op != nullptr) continue;
    slot->op = std::move(op);
    slot->changed.notify_one();
    return;
  }
  lock.unlock();
  auto slot = std::make_shared<Slot>();
  slot->op = std::move(op);
  slot->supervisor = make_supervisor_(*alarms_, *clock_);
  lock.lock();
  slots_.push_back(slot);
  lock.unlock();
  slot->thread = std::thread([shared = shared_, slot] { work(shared, slot); });
}

void Crew::work(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Slot>& slot) {
  const Inside inside(shared.get());
  std::unique_lock lock(shared->mutex);
  while (true) {
    slot->changed.wait(lock, [&] { return slot->op != nullptr || slot->ending; });
    if (slot->op == nullptr || slot->phase == Phase::abandoned) return;
    const std::shared_ptr<LeasedOp> op = slot->op;
    slot->phase = Phase::running;
    // Once this worker is left behind, the supervisor is gone and `op` reaches for it no more.
    Supervisor& supervisor = *slot->supervisor;
    supervisor.begin(op);
    lock.unlock();
    op->run(supervisor);
    lock.lock();
    if (slot->phase == Phase::abandoned) return;
    slot->phase = Phase::finishing;
    lock.unlock();
    supervisor.end();
    Ended ended = op->finish();
    lock.lock();
    ++shared->counts.by_end[static_cast<std::size_t>(ended.end)];
    if (ended.end == End::lost && ended.last.word != model::Word::lease_lost) {
      shared->trouble = std::move(ended.last);
    }
    slot->op.reset();
    slot->phase = Phase::idle;
    --shared->busy;
    for (const auto& stop : shared->stops) stop->wake();
    lock.unlock();
    shared->idle.notify_all();
    shared->on_free();
    lock.lock();
  }
}

void Crew::wait_idle() {
  std::unique_lock lock(shared_->mutex);
  shared_->idle.wait(lock, [this] { return shared_->busy == 0; });
}

bool Crew::is_inside() const { return Inside::of(identity()); }

void Crew::request_stop() {
  std::vector<std::shared_ptr<LeasedOp>> running;
  {
    const std::lock_guard lock(shared_->mutex);
    for (const auto& slot : slots_) {
      if (slot->op != nullptr) running.push_back(slot->op);
    }
  }
  for (const auto& op : running) op->request_stop();
}

void Crew::stop(std::int64_t grace_us) {
  const auto over = alarms_->make();
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stops.push_back(over);
  }
  request_stop();
  const std::int64_t due_us = sum_us(clock_->now_us(), grace_us).value_or(never_us);
  std::unique_lock lock(shared_->mutex);
  while (shared_->busy > 0 && clock_->now_us() < due_us) {
    lock.unlock();
    over->wait_until(due_us);
    lock.lock();
  }
  lock.unlock();
  for (const auto& slot : slots_) abandon(slot);
  wait_idle();
}

void Crew::abandon(const std::shared_ptr<Slot>& slot) {
  std::shared_ptr<LeasedOp> op;
  {
    const std::lock_guard lock(shared_->mutex);
    // An op whose worker has not begun yet is as good as one that runs.
    const bool runs = slot->phase == Phase::running || slot->phase == Phase::idle;
    if (slot->op == nullptr || !runs) return;
    slot->phase = Phase::abandoned;
    op = slot->op;
  }
  op->close();
  slot->supervisor.reset();
  slot->thread.detach();
  {
    const std::lock_guard lock(shared_->mutex);
    ++shared_->counts.by_end[static_cast<std::size_t>(End::abandoned)];
    --shared_->busy;
  }
  shared_->idle.notify_all();
}

Counts Crew::counts() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->counts;
}

model::Outcome Crew::trouble() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->trouble;
}

}  // namespace leaseproof::engine
