// Checks that a host that runs by itself wakes up for all that falls due in its engine, and that a
// stop leaves behind what the next host can go on with. Does not check single answers of runners
// (host_test.cpp).
#include <string>
#include <thread>
#include <vector>

#include "engine/host_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::FailKind;
using model::OpStatus;
using model::Word;

constexpr std::int64_t hour_us = 3600 * second_us;

// Sleeps for an hour unless something is due.
class ServingHost : public HostTest {
 protected:
  void SetUp() override {
    HostTest::SetUp();
    auto options = host_options();
    options.scheduler.longest_pause_us = hour_us;
    host_ = open(options);
  }
  // Until what is due now has been done, and the service sleeps until `due_us`.
  void await_idle(std::int64_t due_us) { time_.await_sleepers(due_us); }
  static void await_stop(const Attempt& attempt) {
    Signal stopped;
    const std::stop_callback told(attempt.stop_token(), [&] { stopped.set(); });
    stopped.await("the stop");
  }
};

TEST_F(ServingHost, hears_of_a_workflow_that_is_started_beside_it) {
  Signal ran;
  host().on("task", [&](Attempt&) -> Answer {
    ran.set();
    return Completed{};
  });
  host().start();
  await_idle(hour_us);
  start_ops({op("a")});
  ran.await("the op");
  host().drain();
  EXPECT_EQ(OpStatus::succeeded, seen("a").status);
  EXPECT_EQ(0, time_.now_us());
  EXPECT_LE(host().scheduler().turns(), 4);
}

TEST_F(ServingHost, works_off_a_graph_without_any_time_passing) {
  Signal ran;
  host().on("task", [&](Attempt& attempt) -> Answer {
    if (attempt.op() == "c") ran.set();
    return Completed{};
  });
  host().start();
  start_ops({op("a"), op("b", {{"a"}}), op("c", {{"b"}})});
  ran.await("the last op");
  host().drain();
  EXPECT_EQ(OpStatus::succeeded, seen("c").status);
}

// Each would be a turn in vain, and a reading of the database, at each beat of each op.
TEST_F(ServingHost, is_not_woken_by_what_makes_no_work) {
  Signal calls;
  Signal called;
  Signal ends;
  host().on("task", [&](Attempt& attempt) -> Answer {
    calls.await("the permission to call");
    EXPECT_EQ(Word::ok, attempt.checkpoint("step", "1").word);
    EXPECT_EQ(Word::dispatching, attempt.dispatch("1").outcome.word);
    called.set();
    ends.await("the end of the test");
    return Completed{};
  });
  host().start();
  await_idle(hour_us);
  auto spec = op("a");
  spec.effect = model::EffectSpec{};
  start_ops({spec});
  await_idle(30 * second_us);
  EXPECT_EQ(2, host().scheduler().turns()) << "refresh and lease are its own";
  calls.set();
  called.await("the calls");
  await_idle(30 * second_us);
  EXPECT_EQ(2, host().scheduler().turns()) << "checkpoint and dispatch";
  time_.advance(10 * second_us);
  time_.await_sleepers(20 * second_us);
  await_idle(30 * second_us);
  EXPECT_EQ(1, told("heartbeat"));
  EXPECT_EQ(2, host().scheduler().turns()) << "heartbeat";
  ASSERT_EQ(Word::ok, host().engine().cancel({"w"}).word);
  await_idle(10 * second_us + hour_us);
  EXPECT_EQ(3, host().scheduler().turns()) << "a cancel may make work";
  time_.advance(10 * second_us);
  time_.await_sleepers(never_us);
  await_idle(10 * second_us + hour_us);
  EXPECT_EQ(1, told(op_lease_lost));
  EXPECT_EQ(3, host().scheduler().turns()) << "a lost lease";
  ends.set();
  host().drain();
}

TEST_F(ServingHost, that_is_destroyed_while_it_serves_commits_what_ends_in_time) {
  Signal begun;
  start_op([&](Attempt& attempt) -> Answer {
    begun.set();
    await_stop(attempt);
    return Completed{"\"kept\"", {}, {}, {}, {}};
  });
  host().start();
  begun.await("the op");
  host_.reset();
  EXPECT_EQ("\"kept\"", seen("a").result);
}

TEST_F(ServingHost, wakes_up_for_a_retry) {
  std::atomic<int> runs = 0;
  start_op([&](Attempt&) -> Answer {
    if (++runs == 1) return Failed{FailKind::retryable, "no"};
    return Completed{};
  });
  host().start();
  await_idle(2 * second_us);
  const std::int64_t turns = host().scheduler().turns();
  time_.advance(2 * second_us - 1);
  EXPECT_LE(host().scheduler().turns(), turns + 1) << "one because the worker became free";
  time_.advance(1);
  await_idle(2 * second_us + hour_us);
  EXPECT_EQ(2, runs);
}

TEST_F(ServingHost, wakes_up_for_the_lease_of_a_process_that_died) {
  Options options;
  options.path = path();
  options.clock = &time_;
  auto dead = Engine::open(options);
  ASSERT_TRUE(dead.has_value());
  Signal ran;
  start_op([&](Attempt&) -> Answer {
    ran.set();
    return Completed{};
  });
  ASSERT_EQ(Word::ok, (*dead)->refresh().word);
  model::Lease action;
  action.worker = "dead";
  ASSERT_EQ(Word::leased, (*dead)->lease(action).outcome.word);
  host().start();
  await_idle(30 * second_us);
  time_.advance(30 * second_us);
  ran.await("the op");
}

TEST_F(ServingHost, wakes_up_for_a_request_that_expires) {
  auto spec = op("a");
  spec.effect = model::EffectSpec{};
  spec.effect->approval = true;
  spec.effect->scope = "team";
  spec.effect->requester = "paul";
  start_op(
      [](Attempt& attempt) -> Answer {
        attempt.request_approval("1", 50 * second_us);
        return Waits{};
      },
      spec);
  host().start();
  await_idle(50 * second_us);
  EXPECT_EQ(OpStatus::waiting_approval, seen("a").status);
  time_.advance(50 * second_us);
  await_idle(50 * second_us + hour_us);
  EXPECT_EQ("approval_expired", seen("a").error);
}

TEST_F(ServingHost, wakes_up_when_a_queue_has_a_token_again) {
  model::Queue queue;
  queue.rate_per_s = 2;
  queue.burst = 1;
  ASSERT_EQ(Word::ok, host().engine().set_queue(queue).word);
  host().on("task", [](Attempt&) -> Answer { return Completed{}; });
  start_ops({op("a"), op("b")});
  host().start();
  await_idle(second_us / 2);
  EXPECT_EQ(OpStatus::ready, seen("b").status);
  time_.advance(second_us / 2);
  await_idle(second_us / 2 + hour_us);
  host().drain();
  EXPECT_EQ(2, host().scheduler().counts().of(End::succeeded));
}

TEST_F(ServingHost, does_not_spin_before_a_queue_that_is_full) {
  model::Queue queue;
  queue.max_in_flight = 1;
  ASSERT_EQ(Word::ok, host().engine().set_queue(queue).word);
  Signal begun;
  Signal go_on;
  std::atomic<int> runs = 0;
  host().on("task", [&](Attempt&) -> Answer {
    if (++runs == 1) {
      begun.set();
      go_on.await();
    }
    return Completed{};
  });
  start_ops({op("a"), op("b")});
  host().start();
  begun.await("the first op");
  // The lease of the op that runs is the next thing that could fall due.
  await_idle(30 * second_us);
  EXPECT_LE(host().scheduler().turns(), 2);
  go_on.set();
  await_idle(hour_us);
  EXPECT_EQ(2, runs);
}

// The code ignores its token, goes on after the host is gone, and what it does then reaches
// nothing.
TEST_F(ServingHost, that_stops_without_a_runner_leaves_its_op_to_the_next_host) {
  struct Meanwhile {
    Signal begun;
    Signal go_on;
    Signal over;
    std::atomic<Word> checkpointed = Word::ok;
  };
  const auto meanwhile = std::make_shared<Meanwhile>();
  start_op([meanwhile](Attempt& attempt) -> Answer {
    meanwhile->begun.set();
    meanwhile->go_on.await();
    meanwhile->checkpointed = attempt.checkpoint("late", "1").word;
    meanwhile->over.set();
    return Completed{"\"late\"", {}, {}, {}, {}};
  });
  host().start();
  meanwhile->begun.await("the op");
  std::thread stops([&] { host().stop(); });
  time_.await_sleepers(10 * second_us, 2);  // a beat and the end of the grace
  time_.advance(10 * second_us);
  stops.join();
  EXPECT_EQ(1, host().scheduler().counts().of(End::abandoned));
  host_.reset();

  host().on("task", [](Attempt&) -> Answer { return Completed{"\"in time\"", {}, {}, {}, {}}; });
  EXPECT_EQ(0, host().run_cycle().counts.processed()) << "the lease still stands";
  time_.advance(40 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  meanwhile->go_on.set();
  meanwhile->over.await("the end of the code");
  EXPECT_EQ(Word::lease_lost, meanwhile->checkpointed);
  EXPECT_EQ("\"in time\"", seen("a").result);
}

TEST_F(ServingHost, that_stops_keeps_what_a_runner_brings_in_time) {
  Signal begun;
  start_op([&](Attempt& attempt) -> Answer {
    begun.set();
    await_stop(attempt);
    EXPECT_EQ(Word::ok, attempt.checkpoint("so far", "1").word) << "the lease is still ours";
    return Completed{"\"kept\"", {}, {}, {}, {}};
  });
  host().start();
  begun.await("the op");
  host().stop();
  EXPECT_EQ("\"kept\"", seen("a").result);
}

// I7 and I1 with the system's own time: two hosts wait for each other's locks in earnest.
class TwoHosts : public HostTest {
 protected:
  std::unique_ptr<Host> real_host(const std::string& worker, const Runner& runner) {
    HostOptions options;
    options.engine.path = path();
    options.engine.synchronous = Synchronous::off;
    options.worker = worker;
    options.scheduler.max_workers = 8;
    // Neither is told of what the other has done.
    options.scheduler.longest_pause_us = 1'000;
    auto opened = open(std::move(options));
    opened->on("task", runner);
    return opened;
  }
};

TEST_F(TwoHosts, run_each_op_once_and_never_more_than_the_queue_allows) {
  std::atomic<int> active = 0;
  std::atomic<int> most = 0;
  std::atomic<int> runs = 0;
  const Runner runner = [&](Attempt&) -> Answer {
    const int now = ++active;
    int seen_most = most;
    while (now > seen_most && !most.compare_exchange_weak(seen_most, now)) {
    }
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    ++runs;
    --active;
    return Completed{};
  };
  host_ = real_host("one", runner);
  const auto other = real_host("other", runner);
  model::Queue queue;
  queue.max_in_flight = 3;
  ASSERT_EQ(Word::ok, host().engine().set_queue(queue).word);
  std::vector<model::OpSpec> ops;
  for (int i = 0; i < 60; ++i) ops.push_back(op(std::to_string(i)));
  start_ops(ops);
  Cycle beside;
  std::thread works([&] { beside = other->work_off(); });
  const Cycle here = host().work_off();
  works.join();
  EXPECT_EQ(60, here.counts.of(End::succeeded) + beside.counts.of(End::succeeded));
  EXPECT_EQ(60, runs);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace leaseproof::engine
