// Checks what a leased op tells of its loss, and that its calls end where the lease does, whichever
// thread finds that out and when. How a scheduler handles one is host_test.cpp's subject.
#include "engine/leased_attempt.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/host_fixture_test.hpp"
#include "engine/scheduler/supervisor.hpp"

namespace leaseproof::engine {
namespace {

using model::Outcome;
using model::Word;

// Does something where a worker waits for the beat that is under way.
class BusySupervisor final : public Supervisor {
 public:
  using Supervisor::Supervisor;
  std::function<void()> while_joining;
  std::atomic<int> joins = 0;

 protected:
  void join_beat() override {
    ++joins;
    if (while_joining) while_joining();
    Supervisor::join_beat();
  }
};

class ALeasedAttempt : public EngineTest {
 protected:
  std::unique_ptr<LeasedAttempt> leased(LeaseTerms terms = {}) {
    start("w", {op("a")});
    engine().refresh();
    engine().add_observer([this](const Notice& notice) {
      if (notice.verb == op_lease_lost) ++told_;
    });
    model::Lease action;
    action.worker = "A";
    action.lease_us = terms.lease_us;
    Granted granted = engine().lease(action);
    return std::make_unique<LeasedAttempt>(engine(), clock_, runners_, terms,
                                           std::get<model::Leased>(granted.outcome.detail),
                                           std::move(granted.token));
  }
  void overtake() {
    clock_.time_us += model::default_lease_us;
    engine().refresh();
    lease("B");
  }
  // Of an op whose lease another has by then.
  std::unique_ptr<LeasedAttempt> overtaken() {
    auto attempt = leased();
    overtake();
    return attempt;
  }
  void run(LeasedAttempt& attempt, Runner runner) {
    runners_->put("task", std::move(runner));
    attempt.run(supervisor_);
  }
  // Long enough for another thread to do what it can do.
  static void yield_to(Signal& other) {
    for (int i = 0; i < 2'000 && !other.is_set(); ++i) std::this_thread::yield();
  }

  HandTime time_;
  BusySupervisor supervisor_{time_, time_};
  std::shared_ptr<Runners> runners_ = std::make_shared<Runners>();
  int told_ = 0;
};

TEST_F(ALeasedAttempt, tells_once_that_its_lease_is_lost) {
  const auto attempt = overtaken();
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(1, told_);
  EXPECT_TRUE(attempt->stop_token().stop_requested());
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(1, told_);
}

// It was left behind: whoever did that knows.
TEST_F(ALeasedAttempt, that_is_closed_tells_nobody) {
  const auto attempt = overtaken();
  attempt->close();
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(0, told_);
}

// Such a callback runs within the call that found the lease lost, which nobody else may wait for.
TEST_F(ALeasedAttempt, answers_a_call_of_the_callback_that_its_loss_made) {
  const auto attempt = overtaken();
  Outcome within = Word::ok;
  run(*attempt, [&](Attempt& runs) -> Answer {
    const std::stop_callback stopped(runs.stop_token(),
                                     [&] { within = runs.checkpoint("last", "1"); });
    EXPECT_EQ(Word::lease_lost, runs.checkpoint("step", "1").word);
    return Completed{};
  });
  EXPECT_EQ(Word::lease_lost, within.word);
}

TEST_F(ALeasedAttempt, asks_nothing_once_the_beat_that_it_waited_for_has_found_the_lease_lost) {
  const auto attempt = overtaken();
  int reads = 0;
  supervisor_.while_joining = [&] {
    EXPECT_EQ(Beat::over, attempt->extend());
    reads = clock_.reads;
  };
  run(*attempt, [&](Attempt& runs) -> Answer {
    EXPECT_EQ(Word::lease_lost, runs.checkpoint("step", "1").word);
    return Completed{};
  });
  EXPECT_EQ(1, supervisor_.joins);
  EXPECT_EQ(reads, clock_.reads) << "each call of the engine reads the clock";
}

// The runner has threads of its own that call while another call is under way.
TEST_F(ALeasedAttempt, that_is_closed_reaches_for_nothing_though_a_call_had_begun_to_wait) {
  const auto attempt = leased();
  Signal under_way;
  Signal go_on;
  supervisor_.while_joining = [&] {
    under_way.set();
    go_on.await();
  };
  run(*attempt, [](Attempt&) -> Answer { return Completed{}; });
  std::vector<std::thread> callers;
  std::list<Signal> answers;
  const auto call = [&] {
    Signal& answered = answers.emplace_back();
    callers.emplace_back([&] {
      EXPECT_EQ(Word::lease_lost, attempt->checkpoint("step", "1").word);
      answered.set();
    });
    yield_to(answered);
    return answered.is_set();
  };
  EXPECT_FALSE(call()) << "it waits for the beat";
  under_way.await("the first call");
  EXPECT_FALSE(call()) << "it waits for the first call";
  Signal closed;
  std::thread closes([&] {
    attempt->close();
    closed.set();
  });
  // One that need not wait has found it closed.
  for (int tries = 0; tries < 100 && !call(); ++tries) {
  }
  EXPECT_FALSE(closed.is_set()) << "the first call is under way";
  go_on.set();
  closes.join();
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(1, supervisor_.joins) << "the supervisor of a closed attempt may be gone";
}

TEST_F(ALeasedAttempt, that_is_told_to_stop_asks_for_its_end_once) {
  const auto attempt = leased();
  run(*attempt, [](Attempt&) -> Answer { return Completed{}; });
  LockHolder holder(path());
  ASSERT_TRUE(holder.take());
  int waits = 0;
  clock_.while_waiting = [&] { ++waits; };
  attempt->request_stop();
  const Ended ended = attempt->finish();
  EXPECT_EQ(End::lost, ended.end);
  EXPECT_EQ(Word::busy, ended.last.word);
  EXPECT_EQ(2, waits) << "the engine's own, between its three tries";
}

// Where nobody stops it, and each wait takes the time that it should.
class AnEndThatIsNotHeard : public ALeasedAttempt {
 protected:
  // For how long it was asked, in microseconds.
  std::int64_t asked_us(LeasedAttempt& attempt) {
    run(attempt, [](Attempt&) -> Answer { return Completed{}; });
    LockHolder holder(path());
    EXPECT_TRUE(holder.take());
    const std::int64_t begun_us = clock_.time_us - clock_.waited_us;
    clock_.while_waiting = [&] {
      ++waits_;
      clock_.time_us = begun_us + clock_.waited_us;
    };
    const std::int64_t before_us = clock_.time_us;
    EXPECT_EQ(End::lost, attempt.finish().end);
    return clock_.time_us - before_us;
  }
  // Between the three tries of one asking.
  static constexpr std::int64_t engine_us = 10 + 20;
  int waits_ = 0;
};

TEST_F(AnEndThatIsNotHeard, is_asked_for_until_the_lease_is_over_and_not_longer) {
  const auto attempt = leased({1'000'000, 300'000});
  EXPECT_EQ(1'000'000 + engine_us, asked_us(*attempt));
}

TEST_F(AnEndThatIsNotHeard, is_asked_for_ten_times_at_most) {
  const auto attempt = leased({3'600'000'000, 1'000'000'000});
  asked_us(*attempt);
  EXPECT_EQ(10 * 2 + 9, waits_);
}

TEST_F(AnEndThatIsNotHeard, is_asked_for_until_the_end_that_the_last_heartbeat_gave_the_lease) {
  const auto attempt = leased({1'000'000, 300'000});
  clock_.time_us += 900'000;
  EXPECT_EQ(Beat::extended, attempt->extend());
  EXPECT_EQ(1'000'000 + engine_us, asked_us(*attempt));
}

TEST_F(ALeasedAttempt, whose_heartbeat_is_not_heard_has_lost_nothing) {
  const auto attempt = leased();
  LockHolder holder(path());
  ASSERT_TRUE(holder.take());
  EXPECT_EQ(Beat::unheard, attempt->extend());
  EXPECT_FALSE(attempt->stop_token().stop_requested());
  holder.let_go();
  EXPECT_EQ(Beat::extended, attempt->extend());
  EXPECT_EQ(0, told_);
}

// Somebody has cleared the tables.
TEST_F(ALeasedAttempt, whose_op_is_gone_has_lost_its_lease) {
  const auto attempt = leased();
  run(*attempt, [](Attempt&) -> Answer { return Completed{}; });
  engine().connection().run_script(
      "PRAGMA foreign_keys = OFF; DELETE FROM lease; DELETE FROM op; PRAGMA foreign_keys = ON");
  EXPECT_EQ(Word::not_found, attempt->checkpoint("step", "1").word);
  EXPECT_TRUE(attempt->stop_token().stop_requested());
  EXPECT_EQ(1, told_);
}

}  // namespace
}  // namespace leaseproof::engine
