// Checks that a plan fires at exactly the hits it names, on its own thread only, and that what it
// does to the code at the point is what TRACE 3 says. The engine's own points are checked by
// properties/.
#include "faults/plan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

namespace leaseproof::faults {
namespace {

constexpr Point begin_of_lease = point_of(Call::lease, Place::begin);
constexpr Point begin_of_fail = point_of(Call::fail, Place::begin);

TEST(APoint, does_nothing_unarmed) { EXPECT_EQ(Injected::none, hit(begin_of_lease)); }

TEST(APlan, fires_at_its_hit_and_the_hits_that_follow) {
  const Armed armed({begin_of_lease, Kind::busy, 2, 2});
  EXPECT_EQ(Injected::none, hit(begin_of_lease));
  EXPECT_EQ(Injected::none, hit(begin_of_fail));
  EXPECT_EQ(Injected::busy, hit(begin_of_lease));
  EXPECT_EQ(Injected::busy, hit(begin_of_lease));
  EXPECT_EQ(Injected::none, hit(begin_of_lease));
  EXPECT_EQ(2, armed.fired());
}

TEST(APlan, of_a_crash_unwinds_from_its_point) {
  const Armed armed({begin_of_lease, Kind::crash, 1, 1});
  EXPECT_THROW(hit(begin_of_lease), Crash);
}

TEST(APlan, ends_with_its_scope) {
  { const Armed armed({begin_of_lease, Kind::busy, 1, 100}); }
  EXPECT_EQ(Injected::none, hit(begin_of_lease));
}

TEST(APlan, sleeps_while_interleaved_steps_run) {
  int inner = 0;
  const Armed outer({begin_of_lease, Kind::interleave, 1, 1}, [&] {
    ++inner;
    EXPECT_EQ(Injected::none, hit(begin_of_lease));
    const Armed nested({begin_of_lease, Kind::disk_full, 1, 1});
    EXPECT_EQ(Injected::disk_full, hit(begin_of_lease));
  });
  EXPECT_EQ(Injected::none, hit(begin_of_lease));
  EXPECT_EQ(1, inner);
  EXPECT_EQ(1, outer.fired());
}

TEST(APlan, watches_without_injecting_and_after_what_it_interleaves) {
  std::vector<std::string_view> order;
  Armed armed({begin_of_lease, Kind::interleave, 1, 1}, [&] { order.emplace_back("steps"); });
  armed.watch(begin_of_lease, [&] { order.emplace_back("watched"); });
  EXPECT_EQ(Injected::none, hit(begin_of_lease));
  EXPECT_EQ((std::vector<std::string_view>{"steps", "watched"}), order);
}

// libfiu shares its registry among threads; a decision must not.
TEST(APlan, is_seen_by_its_own_thread_only) {
  std::atomic<int> wrong{0};
  const auto work = [&wrong](Point mine, Point other) {
    for (int i = 0; i < 20'000; ++i) {
      int seen = 0;
      Armed armed({mine, Kind::busy, 1, 1});
      armed.watch(other, [&] { ++seen; });
      if (hit(other) != Injected::none || seen != 1) ++wrong;
      if (hit(mine) != Injected::busy) ++wrong;
      if (hit(mine) != Injected::none) ++wrong;
    }
  };
  std::thread first(work, begin_of_lease, begin_of_fail);
  std::thread second(work, begin_of_fail, begin_of_lease);
  first.join();
  second.join();
  EXPECT_EQ(0, wrong);
}

TEST(TheRegistry, holds_each_name_once_and_finds_it_again) {
  std::set<std::string_view> names;
  for (Point point = 0; point < point_count; ++point) {
    EXPECT_TRUE(names.insert(point_names[point]).second) << point_names[point];
    EXPECT_EQ(point, find_point(point_names[point]));
  }
  EXPECT_FALSE(find_point("engine/lease/middle"));
}

TEST(TheRegistry, allows_each_point_a_kind_and_no_point_every_kind) {
  for (Point point = 0; point < point_count; ++point) {
    int allowed = 0;
    for (std::size_t kind = 0; kind < kind_words.size(); ++kind) {
      allowed += allows(point, static_cast<Kind>(kind)) ? 1 : 0;
    }
    EXPECT_GT(allowed, 0) << point_names[point];
    EXPECT_LT(allowed, static_cast<int>(kind_words.size())) << point_names[point];
  }
}

}  // namespace
}  // namespace leaseproof::faults
