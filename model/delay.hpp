// How long an op waits before its next attempt (SEMANTICS 3, delay).
#pragma once

#include <cstdint>
#include <string_view>

#include "model/action.hpp"

namespace leaseproof::model {

// The delay after `attempts` (>= 1) attempts, in 0 … INT64_MAX; never overflows, however large
// base, multiplier and `attempts` are. `policy` has passed the shape checks.
std::int64_t retry_delay_us(std::string_view op, const RetryPolicy& policy, std::int64_t attempts);

}  // namespace leaseproof::model
