// The delay before the next attempt (SEMANTICS 3, delay).
#pragma once

#include <cstdint>
#include <string_view>

#include "model/vocabulary.hpp"

namespace leaseproof::engine {

// Microseconds, ≥ 0, saturating at the largest 64-bit value. `attempts` ≥ 1 counts the attempts so
// far. Full jitter depends on op id and attempts alone.
std::int64_t delay_us(const model::RetryPolicy& policy, std::string_view op_id,
                      std::int64_t attempts);

}  // namespace leaseproof::engine
