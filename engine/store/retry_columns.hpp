// The retry policy of an op as columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// "2000000,4000000"; empty for policies without a list.
std::string delays_text(const std::vector<std::int64_t>& delays_us);
std::vector<std::int64_t> delays_of(std::string_view text);

// From five columns in the order policy, delays, base, multiplier, cap, starting at `column`.
model::RetryPolicy retry_policy(const sqlite::Rows& rows, int column);

}  // namespace leaseproof::engine::store
