// Checks notices by themselves: what is counted, and what observers and other threads may do while
// one is told. Does not check of which calls an engine tells (engine_test.cpp).
#include "engine/scheduler/notices.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engine/scheduler/time_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

Notice notice(std::int64_t call) { return {call, 0, "start", model::Word::created, {}}; }

TEST(Notices, that_an_observer_throws_at_are_counted_each) {
  Notices notices;
  notices.add([](const Notice&) { throw 1; });
  notices.add([](const Notice&) { throw std::string("not an exception"); });
  for (int call = 1; call <= 3; ++call) {
    notices.push(notice(call));
    notices.deliver();
  }
  EXPECT_EQ(6, notices.failures());
}

TEST(Notices, are_told_to_an_observer_that_another_one_has_added_from_the_next_on) {
  Notices notices;
  std::vector<std::int64_t> told;
  notices.add([&](const Notice& first) {
    if (first.call > 1) return;
    // So many that none of them could stay where it was.
    for (int i = 0; i < 100; ++i) {
      notices.add([&told](const Notice& later) { told.push_back(later.call); });
    }
  });
  notices.push(notice(1));
  notices.push(notice(2));
  notices.deliver();
  EXPECT_EQ(std::vector<std::int64_t>(100, 2), told);
}

TEST(Notices, may_be_pushed_counted_and_asked_for_while_one_is_told) {
  Notices notices;
  Signal telling;
  Signal go_on;
  int told = 0;
  notices.add([&](const Notice&) {
    ++told;
    telling.set();
    go_on.await();
    throw 1;
  });
  notices.push(notice(1));
  std::thread tells([&] { notices.deliver(); });
  telling.await("the first notice");
  // None of these waits for the observer, who will tell the rest himself.
  EXPECT_TRUE(notices.wanted());
  EXPECT_EQ(0, notices.failures());
  notices.push(notice(2));
  notices.deliver();
  EXPECT_EQ(1, told);
  go_on.set();
  tells.join();
  EXPECT_EQ(2, told);
  EXPECT_EQ(2, notices.failures());
}

// What no assertion sees, a build with the thread sanitizer does.
TEST(Notices, of_several_threads_are_each_told_once) {
  Notices notices;
  int told = 0;
  notices.add([&](const Notice&) {
    ++told;
    throw 1;
  });
  Signal all_are_there;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      all_are_there.await();
      for (int call = 0; call < 500; ++call) {
        notices.push(notice(call));
        notices.deliver();
        for (int looks = 0; looks < 20; ++looks) {
          EXPECT_LE(notices.failures(), 2'000);
          EXPECT_TRUE(notices.wanted());
        }
        if (call % 20 == 0) notices.add([](const Notice&) {});
      }
      // Nothing that this thread does after it makes it look ordered.
      notices.add([](const Notice&) {});
    });
  }
  all_are_there.set();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(2'000, told);
  EXPECT_EQ(2'000, notices.failures());
}

}  // namespace
}  // namespace leaseproof::engine
