// Checks that a scheduler can be started, drained, stopped and destroyed in any order, by several
// threads, and from inside, by its own runners and observers, who must not wait for themselves.
// Does not check what a service does in between (service_test.cpp).
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/scheduler/scheduler_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;

class AScheduler : public ScheduledOps {
 protected:
  static constexpr std::int64_t pause_us = SchedulerSettings{}.longest_pause_us;
  static constexpr std::int64_t grace_us = SchedulerSettings{}.grace_us;

  static void yield_to(Signal& other) {
    for (int i = 0; i < 2'000 && !other.is_set(); ++i) std::this_thread::yield();
  }
};

TEST_F(AScheduler, that_is_started_twice_runs_once) {
  const auto service = scheduler(1);
  service->start();
  service->start();
  const auto op = source_.add("q", "op");
  service->wake();
  op->returned.await("the op");
  service->start();
  service->drain();
  EXPECT_EQ(1, service->counts().of(End::succeeded));
}

TEST_F(AScheduler, that_is_stopped_before_it_starts_asks_the_engine_nothing_ever) {
  const auto op = source_.add("q", "op");
  {
    const auto service = scheduler(1);
    service->stop();
    service->start();
    EXPECT_EQ(0, service->run_cycle().counts.processed());
    EXPECT_EQ(0, service->work_off().counts.processed());
    service->stop();
    EXPECT_EQ(0, service->turns());
    EXPECT_TRUE(source_.order().empty());
  }
  EXPECT_EQ(1, scheduler(1)->work_off().counts.of(End::succeeded)) << "the next one does it";
}

TEST_F(AScheduler, that_is_drained_before_it_starts_can_still_be_started) {
  const auto service = scheduler(1);
  service->drain();
  service->drain();
  const auto op = source_.add("q", "op");
  EXPECT_EQ(0, service->work_off().counts.processed());
  service->start();
  op->returned.await("the op");
}

TEST_F(AScheduler, that_is_stopped_again_has_nothing_more_to_wait_for) {
  const auto op = add_obedient();
  const auto service = scheduler(1);
  service->start();
  op->begun.await("the op");
  service->stop();
  service->stop();
  service->drain();
  EXPECT_EQ(1, op->finished);
  EXPECT_EQ(1, service->counts().processed());
}

TEST_F(AScheduler, that_is_destroyed_while_it_runs_commits_what_ends_in_time) {
  const auto op = add_obedient();
  auto service = scheduler(1);
  service->start();
  op->begun.await("the op");
  service.reset();
  EXPECT_EQ(1, op->finished);
  EXPECT_FALSE(op->closed);
}

TEST_F(AScheduler, that_two_threads_stop_lets_go_both_when_the_last_op_ends) {
  Signal go_on;
  const auto op = source_.add("q", "op");
  op->while_running = [&](FakeOp&, Supervisor&) { go_on.await(); };
  const auto service = scheduler(1);
  service->start();
  op->begun.await("the op");
  std::thread one([&] { service->stop(); });
  time_.await_sleepers(grace_us, 1);
  std::thread other([&] { service->stop(); });
  time_.await_sleepers(grace_us, 2);
  go_on.set();
  one.join();
  other.join();
  EXPECT_EQ(1, op->finished);
}

// As at a second interrupt, where the first one drains.
TEST_F(AScheduler, that_is_stopped_while_it_drains_asks_what_runs_to_stop) {
  const auto op = add_obedient();
  const auto service = scheduler(1);
  service->start();
  op->begun.await("the op");
  time_.await_sleepers(pause_us);
  std::thread drains([&] { service->drain(); });
  time_.await_no_sleeper(pause_us);
  service->stop();
  drains.join();
  EXPECT_EQ(1, op->finished);
}

TEST_F(AScheduler, that_is_drained_and_stopped_while_it_leases_ends_its_loop_once) {
  for (int i = 0; i < 20; ++i) {
    Signal leasing;
    Signal go_on;
    source_.add("q", "op");
    Scheduler* drained = nullptr;
    source_.while_leasing = [&] {
      leasing.set();
      go_on.await();
      // However late the hosts come, there is no other turn.
      drained->drain();
    };
    const auto service = scheduler(1);
    drained = service.get();
    service->start();
    leasing.await("the lease");
    std::vector<std::thread> hosts;
    for (int host = 0; host < 3; ++host) hosts.emplace_back([&] { service->drain(); });
    for (int host = 0; host < 3; ++host) hosts.emplace_back([&] { service->stop(); });
    go_on.set();
    for (std::thread& host : hosts) host.join();
    EXPECT_EQ(1, service->counts().of(End::succeeded));
    EXPECT_EQ(1, service->turns());
  }
}

TEST_F(AScheduler, that_several_threads_start_runs_once) {
  for (int i = 0; i < 20; ++i) {
    const auto service = scheduler(1);
    std::vector<std::thread> hosts;
    for (int host = 0; host < 4; ++host) hosts.emplace_back([&] { service->start(); });
    for (std::thread& host : hosts) host.join();
    time_.await_sleepers(pause_us);
    EXPECT_EQ(1, service->turns());
  }
}

TEST_F(AScheduler, that_one_thread_starts_while_another_stops_it_is_stopped) {
  for (int i = 0; i < 50; ++i) {
    const auto service = scheduler(1);
    Signal both_are_there;
    std::thread starts([&] {
      both_are_there.await();
      service->start();
    });
    std::thread stops([&] {
      both_are_there.await();
      service->stop();
    });
    both_are_there.set();
    starts.join();
    stops.join();
    const auto op = source_.add("q", "op");
    EXPECT_EQ(0, service->work_off().counts.processed());
    EXPECT_FALSE(op->begun.is_set());
  }
}

// The loop, once it waits, is held there until the test lets it go.
class HoldingAlarms final : public Alarms {
 public:
  explicit HoldingAlarms(HandTime& time) : time_(time) {}
  std::shared_ptr<Alarm> make() override { return std::make_shared<Holding>(*this, time_.make()); }
  Signal waiting;
  Signal woken;
  Signal let_go;

 private:
  class Holding final : public Alarm {
   public:
    Holding(HoldingAlarms& alarms, std::shared_ptr<Alarm> alarm)
        : alarms_(alarms), alarm_(std::move(alarm)) {}
    void wait_until(std::int64_t due_us) override {
      alarms_.waiting.set();
      alarms_.let_go.await();
      alarm_->wait_until(due_us);
    }
    void wake() override {
      alarms_.woken.set();
      alarm_->wake();
    }

   private:
    HoldingAlarms& alarms_;
    const std::shared_ptr<Alarm> alarm_;
  };
  HandTime& time_;
};

TEST_F(AScheduler, that_is_started_while_it_drains_starts_when_the_drain_is_over) {
  const auto alarms = std::make_shared<HoldingAlarms>(time_);
  SchedulerSeam holding;
  holding.alarms = alarms;
  Scheduler service(source_, time_, {}, holding);
  service.start();
  alarms->waiting.await("the end of the first turn");
  Signal drained;
  std::thread drains([&] {
    service.drain();
    drained.set();
  });
  alarms->woken.await("the drain");
  yield_to(drained);
  Signal started;
  std::thread starts([&] {
    service.start();
    started.set();
  });
  yield_to(started);
  EXPECT_FALSE(started.is_set()) << "the old loop still runs";
  const auto op = source_.add("q", "op");
  alarms->let_go.set();
  drained.await("the end of the drain");
  starts.join();
  op->returned.await("the op");
  service.stop();
  drains.join();
}

TEST_F(AScheduler, tells_its_trouble_while_it_has_some) {
  const std::string why = "a sentence that is longer than a word";
  source_.refresh_trouble = model::Outcome::invalid(why);
  const auto service = scheduler(1);
  service->start();
  // What no assertion sees, a build with the thread sanitizer does.
  while (service->turns() < 50) {
    service->wake();
    const auto trouble = service->trouble();
    EXPECT_EQ(trouble.word == Word::ok ? "" : why, trouble.why);
  }
  EXPECT_EQ(Word::invalid, service->trouble().word);
}

}  // namespace
}  // namespace leaseproof::engine
