#include "model/delay.hpp"

#include <algorithm>
#include <cstddef>

#include "model/canonical.hpp"
#include "model/promise.hpp"

namespace leaseproof::model {
namespace {

// min(cap, base · factor), where all three are >= 1.
std::int64_t capped_product(std::int64_t base, std::int64_t factor, std::int64_t cap) {
  return base > cap / factor ? cap : std::min(cap, base * factor);
}

// min(cap, base · factorⁿ).
std::int64_t capped_power(std::int64_t base, std::int64_t factor, std::int64_t n,
                          std::int64_t cap) {
  std::int64_t value = std::min(base, cap);
  if (factor == 1) return value;
  for (; n > 0 && value < cap; --n) value = capped_product(value, factor, cap);
  return value;
}

}  // namespace

std::int64_t retry_delay_us(std::string_view op, const RetryPolicy& policy, std::int64_t attempts) {
  promise(attempts >= 1, "a delay follows an attempt");
  switch (policy.policy) {
    case DelayPolicy::fixed: {
      const auto last = static_cast<std::int64_t>(policy.delays_us.size()) - 1;
      return policy.delays_us[static_cast<std::size_t>(std::min(attempts - 1, last))];
    }
    case DelayPolicy::linear:
      return capped_product(policy.base_us, attempts, policy.cap_us);
    case DelayPolicy::exponential:
      return capped_power(policy.base_us, policy.multiplier, attempts - 1, policy.cap_us);
    case DelayPolicy::full_jitter: {
      const std::int64_t bound = capped_power(policy.base_us, 2, attempts, policy.cap_us);
      return static_cast<std::int64_t>(jitter_draw(op, attempts) %
                                       (static_cast<std::uint64_t>(bound) + 1));
    }
  }
  promise(false, "a delay policy is one of its words");
  return 0;
}

}  // namespace leaseproof::model
