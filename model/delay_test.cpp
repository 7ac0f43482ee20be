// Checks the delay policies of SEMANTICS 3, also at the ends of 64 bits. Does not check when a
// retry is scheduled at all; completion_test.cpp does.
#include "model/delay.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace leaseproof::model {
namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

RetryPolicy growing(DelayPolicy policy, std::int64_t base, std::int64_t cap,
                    std::int64_t multiplier = 2) {
  RetryPolicy retry;
  retry.policy = policy;
  retry.base_us = base;
  retry.cap_us = cap;
  retry.multiplier = multiplier;
  return retry;
}

TEST(Delay, fixed_repeats_its_last_value) {
  const RetryPolicy retry;
  EXPECT_EQ(retry_delay_us("a", retry, 1), 2'000'000);
  EXPECT_EQ(retry_delay_us("a", retry, 2), 4'000'000);
  EXPECT_EQ(retry_delay_us("a", retry, 3), 4'000'000);
  EXPECT_EQ(retry_delay_us("a", retry, longest), 4'000'000);
}

TEST(Delay, linear_grows_by_its_base_up_to_the_cap) {
  const RetryPolicy retry = growing(DelayPolicy::linear, 10, 25);
  EXPECT_EQ(retry_delay_us("a", retry, 1), 10);
  EXPECT_EQ(retry_delay_us("a", retry, 2), 20);
  EXPECT_EQ(retry_delay_us("a", retry, 3), 25);
}

TEST(Delay, exponential_begins_at_its_base) {
  const RetryPolicy retry = growing(DelayPolicy::exponential, 10, 1'000, 3);
  EXPECT_EQ(retry_delay_us("a", retry, 1), 10);
  EXPECT_EQ(retry_delay_us("a", retry, 2), 30);
  EXPECT_EQ(retry_delay_us("a", retry, 3), 90);
  EXPECT_EQ(retry_delay_us("a", retry, 6), 1'000);
}

TEST(Delay, a_multiplier_of_one_never_grows) {
  EXPECT_EQ(retry_delay_us("a", growing(DelayPolicy::exponential, 10, 1'000, 1), longest), 10);
}

TEST(Delay, a_base_above_the_cap_is_capped) {
  for (const auto policy : {DelayPolicy::linear, DelayPolicy::exponential}) {
    EXPECT_EQ(retry_delay_us("a", growing(policy, 50, 20), 1), 20);
  }
  EXPECT_LE(retry_delay_us("a", growing(DelayPolicy::full_jitter, 50, 20), 1), 20);
}

TEST(Delay, nothing_overflows) {
  EXPECT_EQ(retry_delay_us("a", growing(DelayPolicy::linear, longest, longest), longest), longest);
  EXPECT_EQ(retry_delay_us("a", growing(DelayPolicy::linear, 1, longest), longest), longest);
  EXPECT_EQ(retry_delay_us("a", growing(DelayPolicy::exponential, 3, longest, 7), longest),
            longest);
  EXPECT_EQ(retry_delay_us("a", growing(DelayPolicy::exponential, 1, longest, longest), 2),
            longest);
  EXPECT_GE(retry_delay_us("a", growing(DelayPolicy::full_jitter, longest, longest), longest), 0);
}

TEST(Delay, full_jitter_stays_within_its_bound_and_reaches_both_ends) {
  const RetryPolicy retry = growing(DelayPolicy::full_jitter, 1, 2);
  bool low = false;
  bool high = false;
  for (std::int64_t attempts = 1; attempts <= 50; ++attempts) {
    const std::int64_t delay = retry_delay_us("a", retry, attempts);
    ASSERT_GE(delay, 0);
    ASSERT_LE(delay, 2);
    low |= delay == 0;
    high |= delay == 2;
  }
  EXPECT_TRUE(low && high);
}

TEST(Delay, full_jitter_draws_the_same_for_the_same_op_and_attempt_only) {
  const RetryPolicy retry = growing(DelayPolicy::full_jitter, 1'000'000, 60'000'000);
  EXPECT_EQ(retry_delay_us("a", retry, 3), retry_delay_us("a", retry, 3));
  EXPECT_NE(retry_delay_us("a", retry, 3), retry_delay_us("b", retry, 3));
  EXPECT_NE(retry_delay_us("a", retry, 3), retry_delay_us("a", retry, 4));
}

}  // namespace
}  // namespace leaseproof::model
