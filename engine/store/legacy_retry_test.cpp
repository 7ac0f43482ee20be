// Checks the retry columns of an older system's op in every shape: policies, defaults, rounding,
// and sentences for what cannot be read.
#include "engine/store/legacy_retry.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/store/retry_columns.hpp"
#include "engine/values/delay.hpp"

namespace leaseproof::engine::store {
namespace {

constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

// "max_attempts: policy and its columns"
std::string read(const std::string& json) {
  const auto retry = legacy_retry(json);
  if (!retry) return retry.error();
  const model::RetryPolicy& policy = retry->policy;
  std::string out = std::to_string(retry->max_attempts) + ": ";
  out += model::word(policy.policy);
  if (policy.policy == model::DelayPolicy::fixed) return out + " " + delays_text(policy.delays_us);
  out += " " + std::to_string(policy.base_us);
  if (policy.policy == model::DelayPolicy::exponential) {
    out += " x" + std::to_string(policy.multiplier);
  }
  return policy.cap_us == no_cap ? out : out + " to " + std::to_string(policy.cap_us);
}

TEST(LegacyRetry, what_is_absent_has_the_default) {
  for (const char* json :
       {"", "null", "{}", R"({"MaxAttempts":0})", R"({"MaxAttempts":null,"BackoffKind":null})",
        R"({"MaxAttempts":0,"BackoffKind":"","InitialBackoff":0,"MaxBackoff":0,"Multiplier":0})",
        R"({"BackoffKind":"fixed"})", R"({"Unknown":[{"x":1.5}]})"}) {
    EXPECT_EQ(read(json), "3: fixed 2000000,4000000") << json;
  }
  EXPECT_EQ(read(R"({"MaxAttempts":-1})"), "3: fixed 2000000,4000000");
  EXPECT_EQ(read(R"({"BackoffKind":"linear"})"), "3: linear 2000000");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential"})"), "3: exponential 2000000 x2");
}

TEST(LegacyRetry, each_kind_of_backoff_has_its_policy) {
  EXPECT_EQ(read(R"({"MaxAttempts":5,"BackoffKind":"fixed","InitialBackoff":1500000000})"),
            "5: fixed 1500000");
  EXPECT_EQ(read(R"({"BackoffKind":"","InitialBackoff":1500000000})"), "3: fixed 1500000");
  EXPECT_EQ(read(R"({"BackoffKind":"fixed","InitialBackoff":2000,"MaxBackoff":1000})"),
            "3: fixed 1");
  EXPECT_EQ(read(R"({"BackoffKind":"linear","InitialBackoff":1000000,"MaxBackoff":0})"),
            "3: linear 1000");
  EXPECT_EQ(read(R"({"BackoffKind":"linear","InitialBackoff":1000000,"MaxBackoff":5000000})"),
            "3: linear 1000 to 5000");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential","InitialBackoff":1000000,"Multiplier":3,)"
                 R"("MaxBackoff":60000000000,"MaxAttempts":4})"),
            "4: exponential 1000 x3 to 60000000");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential","InitialBackoff":1e6,"Multiplier":2.0})"),
            "3: exponential 1000 x2");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential","InitialBackoff":1e6,"Multiplier":0})"),
            "3: exponential 1000 x2");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential","InitialBackoff":1e6,"Multiplier":1})"),
            "3: exponential 1000 x1");
  EXPECT_EQ(read(R"({"BackoffKind":"exponential","InitialBackoff":1e6,"Multiplier":1e30})"),
            "3: exponential 1000 x9223372036854775807");
}

TEST(LegacyRetry, delays_round_down_to_microseconds_and_up_to_one) {
  for (const char* ns : {"0", "1", "999", "1000", "1999", "-5000"}) {
    EXPECT_EQ(read(std::string(R"({"BackoffKind":"fixed","InitialBackoff":)") + ns + "}"),
              "3: fixed 1")
        << ns;
  }
  EXPECT_EQ(read(R"({"BackoffKind":"fixed","InitialBackoff":2999})"), "3: fixed 2");
  EXPECT_EQ(read(R"({"BackoffKind":"linear","InitialBackoff":2999,"MaxBackoff":999})"),
            "3: linear 2 to 1");
  EXPECT_EQ(read(R"({"BackoffKind":"fixed","InitialBackoff":9223372036854775807})"),
            "3: fixed 9223372036854775");
}

TEST(LegacyRetry, a_multiplier_that_is_no_integer_becomes_a_list_of_equal_delays) {
  EXPECT_EQ(read(R"({"MaxAttempts":5,"BackoffKind":"exponential","InitialBackoff":1000000000,)"
                 R"("Multiplier":1.5})"),
            "5: fixed 1000000,1500000,2250000,3375000,5062500");
  // Each delay rounds for itself: 1500, 2250, 3375, 5062.5 ns.
  EXPECT_EQ(read(R"({"MaxAttempts":4,"BackoffKind":"exponential","InitialBackoff":1500,)"
                 R"("Multiplier":1.5})"),
            "4: fixed 1,2,3,5");
  EXPECT_EQ(read(R"({"MaxAttempts":9,"BackoffKind":"exponential","InitialBackoff":1000000000,)"
                 R"("Multiplier":1.5,"MaxBackoff":2000000000})"),
            "9: fixed 1000000,1500000,2000000");
  EXPECT_EQ(read(R"({"MaxAttempts":9,"BackoffKind":"exponential","InitialBackoff":4000,)"
                 R"("Multiplier":0.5})"),
            "9: fixed 4,2,1");
}

TEST(LegacyRetry, a_list_of_delays_is_bounded_and_never_overflows) {
  const auto slow = legacy_retry(
      R"({"MaxAttempts":1000000000,"BackoffKind":"exponential","InitialBackoff":1000000,)"
      R"("Multiplier":1.000001})");
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->policy.delays_us.size(), static_cast<std::size_t>(longest_delay_list));
  const auto steep = legacy_retry(
      R"({"MaxAttempts":1000000000,"BackoffKind":"exponential","InitialBackoff":1000000,)"
      R"("Multiplier":123456.5})");
  ASSERT_TRUE(steep.has_value());
  EXPECT_EQ(steep->policy.delays_us.back(), no_cap / 1'000);
  EXPECT_EQ(delay_us(steep->policy, "op", 1'000'000), no_cap / 1'000);
  EXPECT_LT(steep->policy.delays_us.size(), 10U);
}

TEST(LegacyRetry, what_cannot_be_read_is_named_by_its_member) {
  EXPECT_EQ(read(R"({"MaxAttempts":2.5})"), "MaxAttempts 2.5 is no integer");
  EXPECT_EQ(read(R"({"MaxAttempts":"3"})"), "MaxAttempts 3 is no number");
  EXPECT_EQ(read(R"({"MaxAttempts":true})"), "MaxAttempts true is no number");
  EXPECT_EQ(read(R"({"MaxAttempts":9223372036854775808})"),
            "MaxAttempts 9223372036854775808 is out of range");
  EXPECT_EQ(read(R"({"InitialBackoff":1e19})"), "InitialBackoff 1e19 is out of range");
  EXPECT_EQ(read(R"({"InitialBackoff":"1s"})"), "InitialBackoff 1s is no number");
  EXPECT_EQ(read(R"({"Multiplier":1e400})"), "Multiplier 1e400 is out of range");
  EXPECT_EQ(read(R"({"Multiplier":[2]})"), "Multiplier [2] is no number");
  EXPECT_EQ(read(R"({"BackoffKind":"jitter"})"),
            "BackoffKind jitter is none of fixed, linear, exponential");
  EXPECT_EQ(read(R"({"BackoffKind":1})"), "BackoffKind 1 is no string");
  EXPECT_EQ(read("[]"), "this is no JSON object at byte 0");
  EXPECT_EQ(read("{} x"), "there is text after the value at byte 3");
}

std::string state_of(const std::string& json) {
  const auto state = legacy_retry_state(json);
  if (!state) return state.error();
  return std::to_string(state->attempt) + ": " + state->last_error;
}

TEST(LegacyRetry, the_state_tells_failures_so_far_and_the_last_error) {
  EXPECT_EQ(state_of(""), "0: ");
  EXPECT_EQ(state_of("null"), "0: ");
  EXPECT_EQ(state_of("{}"), "0: ");
  EXPECT_EQ(state_of(R"({"Attempt":2,"NextAttemptAt":null,"LastError":"a \"b\" \u00fc"})"),
            "2: a \"b\" ü");
  EXPECT_EQ(state_of(R"({"Attempt":-1})"), "Attempt -1 is out of range");
  EXPECT_EQ(state_of(R"({"Attempt":2147483648})"), "Attempt 2147483648 is out of range");
  EXPECT_EQ(state_of(R"({"Attempt":"1"})"), "Attempt 1 is no number");
  EXPECT_EQ(state_of(R"({"LastError":7})"), "LastError 7 is no string");
}

}  // namespace
}  // namespace leaseproof::engine::store
