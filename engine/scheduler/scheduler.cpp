#include "engine/scheduler/scheduler.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "engine/scheduler/inside.hpp"
#include "engine/values/check.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

using model::Outcome;
using model::Word;

namespace {

// After trouble, and where the engine has nothing to do although something is due: another process
// is about to do it, or its clock goes after ours.
constexpr std::int64_t idle_us = 100'000;

constexpr const char* no_cycle_inside =
    "a cycle was asked for by a runner or an observer, which would wait for itself; use start() or "
    "ask from a thread of your own";

std::shared_ptr<Alarms> alarms_of(SchedulerSeam& seam, Clock& clock) {
  if (seam.alarms == nullptr) seam.alarms = std::make_shared<SystemAlarms>(clock);
  return seam.alarms;
}

}  // namespace

std::optional<std::string> complaint_about(const SchedulerSettings& settings) {
  if (auto why = check_least("max_workers", settings.max_workers, 1)) return why;
  if (auto why = check_least("lease_us", settings.lease_us, 3)) return why;
  if (auto why = check_least("heartbeat_us", settings.heartbeat_us, 0)) return why;
  if (auto why = check_least("grace_us", settings.grace_us, 0)) return why;
  if (auto why = check_least("longest_pause_us", settings.longest_pause_us, 1)) return why;
  if (settings.heartbeat_us >= settings.lease_us) {
    return "heartbeat_us must be less than lease_us, or each lease is over before its first "
           "heartbeat";
  }
  return std::nullopt;
}

Scheduler::Scheduler(OpSource& source, Clock& clock, SchedulerSettings settings, SchedulerSeam seam)
    : source_(&source),
      clock_(&clock),
      settings_(std::move(settings)),
      alarm_(alarms_of(seam, clock)->make()),
      crew_(settings_.max_workers, clock, seam, [this] { wake(); }) {}

Scheduler::~Scheduler() {
  LP_CHECK(!crew_.is_inside(), "no runner or observer destroys the scheduler that calls it");
  stop();
}

void Scheduler::wake() { alarm_->wake(); }

model::Outcome Scheduler::trouble() const {
  auto of_an_op = crew_.trouble();
  if (of_an_op.word != Word::ok) return of_an_op;
  const std::lock_guard lock(state_);
  return trouble_;
}

bool Scheduler::serves(const QueueName& queue) const {
  return settings_.queues.empty() || std::find(settings_.queues.begin(), settings_.queues.end(),
                                               queue) != settings_.queues.end();
}

std::vector<QueueName> Scheduler::open_queues(const store::Due& due, std::int64_t now_us) const {
  std::vector<QueueName> open;
  for (const auto& queue : due.queues) {
    QueueName name{queue.site, queue.queue};
    if (queue.due_us <= now_us && serves(name)) open.push_back(std::move(name));
  }
  // Without this a single worker would serve the first queue alone.
  if (last_) {
    std::rotate(open.begin(), std::upper_bound(open.begin(), open.end(), *last_), open.end());
  }
  return open;
}

std::int64_t Scheduler::admit(const store::Due& due, std::int64_t now_us, model::Outcome& trouble) {
  std::vector<QueueName> open = open_queues(due, now_us);
  std::vector<std::shared_ptr<LeasedOp>> leased;
  const auto room = static_cast<std::size_t>(crew_.free());
  // Where leases have to wait for other writers, those of one pass must not wait for many more.
  const auto full = [&] {
    return leased.size() == room || !admits() ||
           (!leased.empty() && clock_->now_us() - now_us >= settings_.lease_us / 3);
  };
  while (!open.empty() && !full() && trouble.word == Word::ok) {
    std::vector<QueueName> asked;
    while (leased.size() + asked.size() < room) asked.push_back(open[asked.size() % open.size()]);
    std::rotate(open.begin(),
                open.begin() + static_cast<std::ptrdiff_t>(asked.size() % open.size()), open.end());
    std::vector<Leasing> leasings = source_->lease(asked);
    for (std::size_t i = 0; i < leasings.size(); ++i) {
      auto& [outcome, op] = leasings[i];
      if (outcome.word == Word::leased) {
        leased.push_back(std::move(op));
        last_ = asked[i];
        continue;
      }
      open.erase(std::remove(open.begin(), open.end(), asked[i]), open.end());
      if (outcome.word != Word::none && trouble.word == Word::ok) trouble = std::move(outcome);
    }
  }
  // An op runs only once all leases of the turn are taken: nothing that it does is in this turn.
  for (auto& op : leased) crew_.put(std::move(op));
  // A stop from inside that came before has asked only those that ran by then.
  if (stopping_) crew_.request_stop();
  return static_cast<std::int64_t>(leased.size());
}

std::int64_t Scheduler::next_moment(const store::Due& due) const {
  std::int64_t next_us = due.refresh_us().value_or(never_us);
  // Without a free worker no queue matters: the worker that becomes free looks again.
  if (crew_.free() == 0) return next_us;
  for (const auto& queue : due.queues) {
    if (serves({queue.site, queue.queue})) next_us = std::min(next_us, queue.due_us);
  }
  return next_us;
}

Scheduler::Turn Scheduler::turn() {
  const Inside inside(crew_.identity());
  const std::lock_guard lock(turning_);
  Turn turn;
  if (!admits()) return turn;
  const std::int64_t begun_us = clock_->now_us();
  bool vain = true;
  turn.trouble = source_->refresh();
  if (const auto* counts = std::get_if<model::Refreshed>(&turn.trouble.detail)) {
    vain = *counts == model::Refreshed{};
    turn.trouble = Word::ok;
  }
  store::Due due;
  if (turn.trouble.word == Word::ok) turn.trouble = source_->next_due(due);
  if (turn.trouble.word == Word::ok) {
    turn.leased = admit(due, clock_->now_us(), turn.trouble);
    if (turn.leased > 0 && turn.trouble.word == Word::ok) turn.trouble = source_->next_due(due);
    turn.next_us = next_moment(due);
  }
  const std::int64_t soon_us = sum_us(begun_us, idle_us).value_or(never_us);
  if (turn.trouble.word != Word::ok) {
    turn.next_us = soon_us;
    const std::lock_guard state(state_);
    trouble_ = turn.trouble;
  } else if (vain && turn.leased == 0 && turn.next_us <= begun_us) {
    turn.next_us = soon_us;
  }
  return turn;
}

Cycle Scheduler::run_cycle() {
  if (crew_.is_inside()) return {{}, Outcome::invalid(no_cycle_inside)};
  const Counts before = crew_.counts();
  Cycle cycle;
  cycle.trouble = turn().trouble;
  crew_.wait_idle();
  cycle.counts = crew_.counts().since(before);
  return cycle;
}

Cycle Scheduler::work_off() {
  if (crew_.is_inside()) return {{}, Outcome::invalid(no_cycle_inside)};
  const Counts before = crew_.counts();
  Cycle all;
  while (true) {
    const Turn made = turn();
    crew_.wait_idle();
    all.trouble = made.trouble;
    if (made.trouble.word != Word::ok) break;
    if (made.leased > 0) continue;
    if (made.next_us == never_us) break;
    wait_for_next(made);
  }
  all.counts = crew_.counts().since(before);
  return all;
}

void Scheduler::start() {
  if (crew_.is_inside()) return;
  const std::lock_guard control(controlling_);
  // One from inside has left the waiting to others.
  if (draining_) drain_and_wait();
  const std::lock_guard lock(state_);
  if (loop_.joinable()) return;
  draining_ = false;
  loop_ = std::thread([this] { run(); });
}

void Scheduler::wait_for_next(const Turn& made) {
  const auto longest_us = sum_us(clock_->now_us(), settings_.longest_pause_us);
  alarm_->wait_until(std::min(made.next_us, longest_us.value_or(never_us)));
}

void Scheduler::run() {
  while (admits()) {
    const Turn made = turn();
    ++turns_;
    wait_for_next(made);
  }
}

void Scheduler::end_loop() {
  wake();
  std::thread loop;
  {
    const std::lock_guard lock(state_);
    loop = std::move(loop_);
  }
  if (loop.joinable()) loop.join();
  // A turn of `run_cycle` that is under way ends its leasing and has put what it leased.
  const std::lock_guard lock(turning_);
}

void Scheduler::drain() {
  if (crew_.is_inside()) {
    draining_ = true;
    return wake();
  }
  const std::lock_guard control(controlling_);
  drain_and_wait();
}

void Scheduler::drain_and_wait() {
  draining_ = true;
  end_loop();
  crew_.wait_idle();
}

void Scheduler::stop() {
  stopping_ = true;
  if (crew_.is_inside()) {
    wake();
    return crew_.request_stop();
  }
  end_loop();
  crew_.stop(settings_.grace_us);
}

}  // namespace leaseproof::engine
