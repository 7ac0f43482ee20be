// Checks a scheduler that runs by itself: when it wakes up, how it drains and stops, and what it
// leaves behind. Does not check what the engine has to do by then (host_service_test.cpp).
#include <string>
#include <thread>
#include <vector>

#include "engine/scheduler/scheduler_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;

constexpr std::int64_t pause_us = 1'000'000;  // the longest, as it is by default

class AService : public ScheduledOps {
 protected:
  // Of a service that has nothing to do at time 0, as soon as it sleeps.
  std::unique_ptr<Scheduler> idle_service(std::int64_t workers = 1,
                                          SchedulerSettings settings = {}) {
    auto service = scheduler(workers, settings);
    service->start();
    time_.await_sleepers(settings.longest_pause_us);
    return service;
  }
};

TEST_F(AService, without_work_looks_once_a_longest_pause_and_no_more) {
  const auto service = idle_service();
  EXPECT_EQ(1, service->turns());
  time_.advance(pause_us - 1);
  EXPECT_EQ(1, service->turns());
  time_.advance(1);
  time_.await_sleepers(2 * pause_us);
  EXPECT_EQ(2, service->turns());
}

TEST_F(AService, wakes_up_when_an_op_is_due) {
  source_.add("q", "op")->due_us = 700;
  const auto service = scheduler(1);
  service->start();
  time_.await_sleepers(700);
  EXPECT_EQ(1, service->turns());
  EXPECT_EQ(0, source_.leases) << "asks for no lease before it is due";
  time_.advance(700);
  time_.await_sleepers(700 + pause_us);
  service->drain();
  EXPECT_EQ(1, service->counts().of(End::succeeded));
  // One for the op, and one because a worker became free.
  EXPECT_LE(service->turns(), 3);
}

TEST_F(AService, wakes_up_when_refresh_is_due) {
  source_.refresh_us = 300;
  const auto service = scheduler(1);
  service->start();
  time_.await_sleepers(300);
  source_.refresh_us.reset();
  time_.advance(300);
  time_.await_sleepers(300 + pause_us);
  EXPECT_EQ(2, service->turns());
}

TEST_F(AService, wakes_up_when_it_is_told_to) {
  const auto service = idle_service();
  const auto op = source_.add("q", "op");
  service->wake();
  op->returned.await("the op");
}

TEST_F(AService, does_not_spin_where_nothing_comes_of_what_is_due) {
  source_.add("q", "op");
  source_.gives_nothing = true;
  source_.refresh_us = 0;
  const auto service = scheduler(1);
  service->start();
  time_.await_sleepers(100'000);
  EXPECT_EQ(1, service->turns());
}

TEST_F(AService, looks_again_soon_after_trouble) {
  source_.refresh_trouble = Word::busy;
  const auto service = scheduler(1);
  service->start();
  time_.await_sleepers(100'000);
  EXPECT_EQ(1, service->turns());
  EXPECT_EQ(Word::busy, service->trouble().word);
}

TEST_F(AService, goes_on_while_one_op_takes_long) {
  Signal go_on;
  source_.add("a", "long")->while_running = [&](FakeOp&, Supervisor&) { go_on.await(); };
  const auto service = scheduler(2);
  service->start();
  for (int i = 0; i < 3; ++i) {
    const auto op = source_.add("b", "short");
    service->wake();
    ASSERT_TRUE(op->returned.await("a short op"));
  }
  go_on.set();
}

TEST_F(AService, with_all_workers_busy_asks_for_no_lease) {
  Signal go_on;
  const auto first = source_.add("a", "first");
  first->while_running = [&](FakeOp&, Supervisor&) { go_on.await(); };
  const auto second = source_.add("a", "second");
  const auto service = scheduler(1);
  service->start();
  first->begun.await("the first op");
  time_.await_sleepers(pause_us);
  EXPECT_EQ(1, source_.leases);
  go_on.set();
  second->returned.await("the second op, without any time passing");
}

TEST_F(AService, that_drains_leases_no_more_and_waits_for_what_runs) {
  Signal go_on;
  const auto running = source_.add("a", "running");
  running->while_running = [&](FakeOp&, Supervisor&) { go_on.await(); };
  const auto service = scheduler(1);
  service->start();
  running->begun.await("the op");
  time_.await_sleepers(pause_us);
  const auto later = source_.add("a", "later");
  std::thread host([&] {
    service->drain();
    EXPECT_EQ(1, running->finished);
  });
  time_.await_no_sleeper(pause_us);
  EXPECT_FALSE(running->stop_requested.is_set());
  go_on.set();
  host.join();
  EXPECT_FALSE(later->begun.is_set());
  // And goes on where it stopped.
  service->start();
  later->returned.await("the later op");
}

TEST_F(AService, that_stops_commits_what_ends_in_time) {
  const auto running = source_.add("a", "running");
  running->while_running = [](FakeOp& op, Supervisor&) { op.stop_requested.await(); };
  const auto service = scheduler(1);
  service->start();
  running->begun.await("the op");
  service->stop();
  EXPECT_EQ(1, running->finished);
  EXPECT_EQ(1, service->counts().of(End::succeeded));
  EXPECT_EQ(0, service->run_cycle().counts.processed()) << "for good";
}

TEST_F(AService, that_stops_waits_for_each_op_though_another_has_ended) {
  Signal go_on;
  const auto quick = source_.add("a", "quick");
  quick->while_running = [](FakeOp& op, Supervisor&) { op.stop_requested.await(); };
  const auto slow = source_.add("b", "slow");
  slow->while_running = [&](FakeOp&, Supervisor&) { go_on.await(); };
  const auto service = scheduler(2);
  service->start();
  quick->begun.await("the quick op");
  slow->begun.await("the slow op");
  std::thread host([&] { service->stop(); });
  quick->returned.await("the end of the quick op");
  for (int i = 0; i < 2'000 && !slow->closed; ++i) std::this_thread::yield();
  go_on.set();
  host.join();
  EXPECT_FALSE(slow->closed);
  EXPECT_EQ(2, service->counts().of(End::succeeded));
}

// Its worker may not have taken the op yet, and must not do so afterwards.
TEST(ACrew, that_stops_at_once_leaves_an_op_behind_that_has_hardly_been_put) {
  HandTime time;
  for (int i = 0; i < 20; ++i) {
    const auto go_on = std::make_shared<Signal>();
    const auto op = std::make_shared<FakeOp>("op");
    op->while_running = [go_on](FakeOp&, Supervisor&) { go_on->await("the end of the crew"); };
    {
      SchedulerSeam seam;
      seam.alarms = std::shared_ptr<Alarms>(std::shared_ptr<void>(), &time);
      Crew crew(1, time, seam, [] {});
      crew.put(op);
      crew.stop(0);
      EXPECT_EQ(1, crew.counts().of(End::abandoned));
    }
    go_on->set();
    EXPECT_TRUE(op->closed);
    EXPECT_EQ(0, op->finished);
  }
}

TEST_F(AService, that_stops_waits_for_a_final_transition_also_past_its_grace) {
  const auto op = source_.add("a", "op");
  Signal finishing;
  Signal go_on;
  op->while_finishing = [&] {
    finishing.set();
    go_on.await();
  };
  const auto service = scheduler(1);
  service->start();
  finishing.await("the final transition");
  Signal stopped;
  std::thread host([&] {
    service->stop();
    EXPECT_EQ(1, op->finished);
    stopped.set();
  });
  op->stop_requested.await("the stop");
  time_.await_sleepers(SchedulerSettings{}.grace_us);
  time_.advance(SchedulerSettings{}.grace_us);
  for (int i = 0; i < 2'000 && !stopped.is_set(); ++i) std::this_thread::yield();
  go_on.set();
  host.join();
  EXPECT_EQ(1, service->counts().of(End::succeeded));
}

// The op's code ignores its token, and outlives the scheduler.
TEST_F(AService, that_stops_leaves_a_stubborn_runner_behind_and_drops_what_it_returns) {
  auto go_on = std::make_shared<Signal>();
  const auto stubborn = source_.add("a", "stubborn");
  stubborn->while_running = [go_on](FakeOp&, Supervisor&) { go_on->await("the end of the test"); };
  SchedulerSettings settings;
  settings.grace_us = 5'000;
  auto service = scheduler(2, settings);
  service->start();
  stubborn->begun.await("the op");
  std::thread host([&] { service->stop(); });
  time_.await_sleepers(5'000);
  EXPECT_TRUE(stubborn->stop_requested.is_set());
  time_.advance(4'999);
  EXPECT_FALSE(stubborn->closed);
  time_.advance(1);
  host.join();
  EXPECT_TRUE(stubborn->closed);
  EXPECT_EQ(1, service->counts().of(End::abandoned));
  EXPECT_EQ(1, service->counts().processed());
  service.reset();
  go_on->set();
  stubborn->returned.await("the end of the code");
  EXPECT_EQ(0, stubborn->finished);
}

TEST_F(AService, that_stops_in_a_cycle_ends_the_cycle) {
  auto go_on = std::make_shared<Signal>();
  const auto stubborn = source_.add("a", "stubborn");
  stubborn->while_running = [go_on](FakeOp&, Supervisor&) { go_on->await("the end of the test"); };
  SchedulerSettings settings;
  settings.grace_us = 0;
  const auto scheduled = scheduler(1, settings);
  std::thread host([&] { EXPECT_EQ(1, scheduled->run_cycle().counts.of(End::abandoned)); });
  stubborn->begun.await("the op");
  scheduled->stop();
  host.join();
  go_on->set();
  stubborn->returned.await("the end of the code");
}

TEST_F(AService, that_stops_while_it_leases_runs_what_it_has_leased) {
  Signal leasing;
  Signal go_on;
  source_.add("a", "op");
  source_.add("b", "other");
  source_.while_leasing = [&] {
    leasing.set();
    go_on.await();
  };
  const auto service = scheduler(2);
  service->start();
  leasing.await("the lease");
  std::thread host([&] { service->stop(); });
  go_on.set();
  host.join();
  std::vector<std::string> leased = source_.order();
  std::erase(leased, "refresh");
  EXPECT_FALSE(leased.empty());
  EXPECT_EQ(leased.size(), static_cast<std::size_t>(service->counts().of(End::succeeded)));
}

}  // namespace
}  // namespace leaseproof::engine
