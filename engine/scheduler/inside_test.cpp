// Checks what a scheduler answers to its own runners and observers, on each thread on which they
// may run: who would wait for himself does not. Does not check what an engine makes of it
// (runner_test.cpp).
#include "engine/scheduler/inside.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/scheduler/scheduler_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;

enum class From : std::uint8_t { runner, turn, beat };

class FromInside : public ScheduledOps, public testing::WithParamInterface<From> {
 protected:
  // Makes `call` there while an op runs, the last of so many, on a scheduler that `run` runs.
  void make(Scheduler& scheduled, const std::function<void()>& call,
            const std::function<void()>& run, int ops = 1) {
    Signal called;
    const auto op = source_.add("q", "op");
    const auto once = [&] {
      if (called.is_set()) return;
      call();
      called.set();
    };
    op->while_running = [&](FakeOp&, Supervisor&) {
      if (GetParam() == From::runner) once();
      called.await("the call");
    };
    op->while_beating = [&] {
      if (GetParam() == From::beat) once();
    };
    source_.while_leasing = [&] {
      if (GetParam() == From::turn) once();
    };
    std::thread beats([&] {
      if (GetParam() != From::beat) return;
      time_.await_sleepers(op->beat_us(), ops);
      time_.advance(op->beat_us());
    });
    run();
    op->returned.await("the op");
    beats.join();
    // Before what it refers to goes.
    scheduled.stop();
    EXPECT_EQ(1, op->finished);
    source_.while_leasing = nullptr;
  }
};

TEST_P(FromInside, a_drain_waits_for_nothing_and_no_more_is_leased) {
  const auto scheduled = scheduler(1);
  make(
      *scheduled, [&] { scheduled->drain(); },
      [&] {
        scheduled->work_off();
        source_.add("q", "later");
        EXPECT_EQ(0, scheduled->work_off().counts.processed());
      });
}

TEST_P(FromInside, a_stop_waits_for_nothing_and_asks_what_runs_to_stop) {
  const auto scheduled = scheduler(2);
  const auto other = add_obedient();
  make(
      *scheduled, [&] { scheduled->stop(); },
      [&] {
        scheduled->start();
        other->stop_requested.await("the stop, though its owner has not said so");
      },
      2);
  EXPECT_EQ(1, other->finished);
}

TEST_P(FromInside, no_cycle_is_made_and_the_trouble_says_so) {
  const auto scheduled = scheduler(1);
  std::array<Cycle, 2> cycles;
  make(
      *scheduled,
      [&] {
        cycles = {scheduled->run_cycle(), scheduled->work_off()};
      },
      [&] { scheduled->run_cycle(); });
  for (const Cycle& cycle : cycles) {
    EXPECT_EQ(Word::invalid, cycle.trouble.word);
    EXPECT_NE(std::string::npos, cycle.trouble.why.find("would wait for itself"));
  }
}

TEST_P(FromInside, a_start_does_nothing) {
  const auto scheduled = scheduler(1);
  make(
      *scheduled, [&] { scheduled->start(); }, [&] { scheduled->run_cycle(); });
  EXPECT_EQ(0, scheduled->turns());
}

// Another scheduler can be waited for, and what it does inside of the first is inside of both.
TEST_P(FromInside, another_scheduler_can_be_run_and_stopped) {
  const auto scheduled = scheduler(1);
  FakeSource source(time_);
  const auto op = source.add("q", "op");
  make(
      *scheduled,
      [&] {
        SchedulerSettings settings;
        settings.max_workers = 1;
        Scheduler other(source, time_, settings, seam());
        source.while_leasing = [&] { scheduled->stop(); };
        EXPECT_EQ(1, other.run_cycle().counts.processed());
        other.stop();
      },
      [&] { scheduled->run_cycle(); });
  EXPECT_EQ(1, op->finished);
}

INSTANTIATE_TEST_SUITE_P(Each, FromInside, testing::Values(From::runner, From::turn, From::beat));

class AnOwnScheduler : public ScheduledOps {};

// The observer of a turn that found nothing.
TEST_F(AnOwnScheduler, that_a_turn_drains_or_stops_works_off_no_more_and_waits_for_no_moment) {
  source_.add("q", "op");
  source_.gives_nothing = true;
  for (void (Scheduler::*const ends)() : {&Scheduler::drain, &Scheduler::stop}) {
    const auto scheduled = scheduler(1);
    source_.while_leasing = [&] { (*scheduled.*ends)(); };
    EXPECT_EQ(0, scheduled->work_off().counts.processed());
    EXPECT_EQ(0, time_.now_us());
  }
}

// What no assertion sees, a build with the thread sanitizer does.
TEST_F(AnOwnScheduler, that_a_runner_stops_while_others_are_put_asks_each_of_them) {
  for (int i = 0; i < 20; ++i) {
    const auto service = scheduler(8);
    source_.add("q", "first")->while_running = [&](FakeOp&, Supervisor&) { service->stop(); };
    std::vector<std::shared_ptr<FakeOp>> others;
    while (others.size() < 7) others.push_back(add_obedient());
    service->start();
    for (const auto& op : others) op->stop_requested.await("the stop");
    service->stop();
    EXPECT_EQ(8, service->counts().of(End::succeeded));
  }
}

TEST_F(AnOwnScheduler, that_a_runner_has_drained_can_be_started_again) {
  const auto op = source_.add("q", "op");
  const auto service = scheduler(1);
  op->while_running = [&](FakeOp&, Supervisor&) { service->drain(); };
  service->start();
  op->returned.await("the op");
  const auto later = source_.add("q", "later");
  service->start();
  later->returned.await("the later op");
}

TEST_F(AnOwnScheduler, that_its_own_runner_destroys_says_so_and_ends_the_process) {
  const auto destroy_inside = [this] {
    auto scheduled = scheduler(1);
    source_.add("q", "op")->while_running = [&](FakeOp&, Supervisor&) { scheduled.reset(); };
    scheduled->run_cycle();
  };
  EXPECT_DEATH(destroy_inside(), "no runner or observer destroys");
}

}  // namespace
}  // namespace leaseproof::engine
