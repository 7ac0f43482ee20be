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
  alarm->wake();
  alarm->wait_until(never_us);
  std::thread waits([&] { alarm->wait_until(never_us); });
  for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
  alarm->wake();
  waits.join();
}

}  // namespace
}  // namespace leaseproof::engine
