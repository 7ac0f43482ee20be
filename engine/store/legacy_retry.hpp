// The retry columns of an older system's op: retry_json and retry_state_json (SEMANTICS 8).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

struct LegacyRetry {
  std::int64_t max_attempts = 3;
  model::RetryPolicy policy;
};

// A policy that waits as the old one did, in whole microseconds rounded down, at least one. What is
// absent, null, or 0 where 0 meant "not set", is this engine's default; MaxBackoff 0 is no cap. A
// multiplier that is no integer has no policy here: its delays become a fixed list. The error is
// one sentence that names the member.
tl::expected<LegacyRetry, std::string> legacy_retry(std::string_view retry_json);

struct LegacyRetryState {
  std::int64_t attempt = 0;  // failures so far: the old system counted when it reported one
  std::string last_error;
};

tl::expected<LegacyRetryState, std::string> legacy_retry_state(std::string_view retry_state_json);

// The longest list that stands for a multiplier; a policy that allows more attempts repeats its
// last delay from there.
inline constexpr std::int64_t longest_delay_list = 1'000;

}  // namespace leaseproof::engine::store
