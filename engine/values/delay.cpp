#include "engine/values/delay.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/values/canonical_json.hpp"
#include "engine/values/check.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine {
namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? longest : product;
}

// min(cap, base · factorᵗⁱᵐᵉˢ), without a loop longer than the 63 doublings that reach the cap.
std::int64_t grown(std::int64_t base, std::int64_t factor, std::int64_t times, std::int64_t cap) {
  std::int64_t value = std::min(base, cap);
  for (std::int64_t i = 0; i < times && value < cap && factor > 1; ++i) {
    value = std::min(cap, saturating_product(value, factor));
  }
  return value;
}

std::int64_t jittered(std::string_view op_id, std::int64_t attempts, std::int64_t bound) {
  std::string drawn = "[";
  append_json_string(drawn, op_id);
  drawn += "," + std::to_string(attempts) + ",\"jitter/v1\"]";
  std::uint64_t number = 0;
  for (const char c : sha256_hex(drawn).substr(0, 16)) {
    number = number * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return static_cast<std::int64_t>(number % (static_cast<std::uint64_t>(bound) + 1));
}

}  // namespace

std::int64_t delay_us(const model::RetryPolicy& policy, std::string_view op_id,
                      std::int64_t attempts) {
  LP_CHECK(attempts >= 1, "a delay follows an attempt");
  switch (policy.policy) {
    case model::DelayPolicy::fixed: {
      LP_CHECK(!policy.delays_us.empty(), "a fixed policy has a delay");
      const auto last = static_cast<std::int64_t>(policy.delays_us.size()) - 1;
      return policy.delays_us[static_cast<std::size_t>(std::min(attempts - 1, last))];
    }
    case model::DelayPolicy::linear:
      return std::min(policy.cap_us, saturating_product(policy.base_us, attempts));
    case model::DelayPolicy::exponential:
      return grown(policy.base_us, policy.multiplier, attempts - 1, policy.cap_us);
    case model::DelayPolicy::full_jitter:
      return jittered(op_id, attempts, grown(policy.base_us, 2, attempts, policy.cap_us));
  }
  LP_CHECK(false, "an unknown delay policy");
}

}  // namespace leaseproof::engine
