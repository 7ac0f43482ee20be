#include "model/queue_room.hpp"

#include <algorithm>

namespace leaseproof::model {

std::int64_t refilled(const QueueState& queue, std::int64_t now_us) {
  if (queue.burst == 0) return 0;
  const std::int64_t full = queue.burst * micro_tokens;
  if (now_us <= queue.last_refill_us) return std::min(full, queue.tokens);
  // `rate` tokens a second are `rate` micro-tokens a microsecond. Anything from 2^63 on fills the
  // bucket, so that the product may saturate there.
  constexpr std::uint64_t plenty = std::uint64_t{1} << 63;
  const auto rate = static_cast<std::uint64_t>(queue.rate_per_s);
  const std::uint64_t passed =
      static_cast<std::uint64_t>(now_us) - static_cast<std::uint64_t>(queue.last_refill_us);
  const std::uint64_t inflow = passed > plenty / rate ? plenty : passed * rate;
  const auto room = static_cast<std::uint64_t>(full - queue.tokens);
  return inflow >= room ? full : queue.tokens + static_cast<std::int64_t>(inflow);
}

bool has_room(const QueueState& queue, std::int64_t now_us) {
  if (queue.max_in_flight > 0 && queue.running >= queue.max_in_flight) return false;
  return queue.burst == 0 || refilled(queue, now_us) >= micro_tokens;
}

void spend_token(QueueState& queue, std::int64_t now_us) {
  if (queue.burst == 0) return;
  queue.tokens = refilled(queue, now_us) - micro_tokens;
  queue.last_refill_us = std::max(queue.last_refill_us, now_us);
}

}  // namespace leaseproof::model
