// Checks that a ticker's pause, and a wait of the system's alarms, end at a wake and with their
// owner, however long they were to be. Does not check that time ends them: that takes time.
#include "engine/scheduler/ticker.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "engine/scheduler/alarm.hpp"
#include "engine/scheduler/time_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;

TEST(ATicker, ends_its_pause_with_its_owner) {
  Signal turned;
  {
    const Ticker ticker([&] {
      turned.set();
      return day_us;
    });
    turned.await("the first turn");
  }
  SUCCEED() << "or this test would not end";
}

TEST(ATicker, makes_a_turn_when_it_is_woken_and_none_before) {
  std::atomic<int> turns = 0;
  Signal first;
  Signal second;
  Ticker ticker([&] {
    (++turns == 1 ? first : second).set();
    return never_us;
  });
  first.await("the first turn");
  for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
  EXPECT_EQ(1, turns);
  ticker.wake();
  second.await("the second turn");
  for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
  EXPECT_EQ(2, turns);
}

TEST(ASystemAlarm, ends_its_wait_at_a_wake_and_at_once_where_its_moment_is_past) {
  HandTime time;
  const auto alarm = SystemAlarms(time).make();
  time.advance(5);
  alarm->wait_until(5);
  alarm->wait_until(4);
  // So far in the past that the system could not count its nanoseconds.
  alarm->wait_until(-9'300'000'000'000'000);
  alarm->wake();
  alarm->wait_until(never_us);
  std::thread waits([&] { alarm->wait_until(never_us); });
  for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
  alarm->wake();
  waits.join();
}

// Tells when somebody who is about to wait looks at it, and where it stands.
class WatchedClock final : public Clock {
 public:
  std::int64_t now_us() override {
    looked_at.set();
    return time_us;
  }
  void wait_us(std::int64_t) override {}
  std::int64_t time_us = 5;
  Signal looked_at;
};

// Whether a wait that nobody has woken up ends though its moment is far away.
bool ends_early(const std::shared_ptr<Alarm>& alarm, WatchedClock& clock, std::int64_t due_us) {
  Signal ended;
  std::thread waits([&] {
    alarm->wait_until(due_us);
    ended.set();
  });
  clock.looked_at.await("the wait");
  for (int i = 0; i < 2'000 && !ended.is_set(); ++i) std::this_thread::yield();
  const bool early = ended.is_set();
  alarm->wake();
  waits.join();
  return early;
}

TEST(ASystemAlarm, waits_for_a_moment_that_is_too_far_away_for_the_system_to_add_up) {
  WatchedClock clock;
  const auto alarm = SystemAlarms(clock).make();
  EXPECT_FALSE(ends_early(alarm, clock, never_us));
  EXPECT_FALSE(ends_early(alarm, clock, never_us - 1));
}

TEST(ASystemAlarm, waits_where_a_day_later_cannot_be_said_any_more) {
  WatchedClock clock;
  clock.time_us = never_us - day_us / 2;
  EXPECT_FALSE(ends_early(SystemAlarms(clock).make(), clock, never_us));
}

TEST(ASystemAlarm, ends_one_wait_for_each_wake) {
  WatchedClock clock;
  const auto alarm = SystemAlarms(clock).make();
  alarm->wake();
  alarm->wait_until(never_us);
  EXPECT_FALSE(ends_early(alarm, clock, never_us));
  EXPECT_FALSE(ends_early(alarm, clock, never_us));
}

}  // namespace
}  // namespace leaseproof::engine
