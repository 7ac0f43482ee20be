// Room in a queue (SEMANTICS 3, queue room): a cap on running ops and a token bucket.
//
// Promise: integer micro-tokens only; nothing overflows, and a clock that steps back and forth
// counts no time twice.
#pragma once

#include <cstdint>

#include "model/state.hpp"

namespace leaseproof::model {

inline constexpr std::int64_t micro_tokens = 1'000'000;

// Micro-tokens at `now_us`, with what has flowed in since the last refill; 0 without a rate limit.
std::int64_t refilled(const QueueState& queue, std::int64_t now_us);

// Whether one more op may run.
bool has_room(const QueueState& queue, std::int64_t now_us);

// Stores the refill and takes one token; nothing for a queue without a rate limit.
void spend_token(QueueState& queue, std::int64_t now_us);

}  // namespace leaseproof::model
