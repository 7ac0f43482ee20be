#include "engine/store/queues.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/store/catalog.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine::store {
namespace {

constexpr std::int64_t micro = 1'000'000;

struct Bucket {
  std::int64_t max_in_flight = 0;
  std::int64_t rate_per_s = 0;
  std::int64_t burst = 0;
  std::int64_t tokens = 0;  // micro-tokens
  std::int64_t last_refill_us = 0;
};

std::optional<Bucket> bucket_in(sqlite::Rows rows) {
  if (!rows.next()) return std::nullopt;
  return Bucket{rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3),
                rows.integer(4)};
}

std::optional<Bucket> find(Write& write, std::string_view site, std::string_view queue) {
  return bucket_in(write.query(Sql::queue_state, site, queue));
}

// A rate per second is the same number of micro-tokens per microsecond. Time that a clock gives
// back is counted once: `last_refill_us` never goes back.
void refill(Bucket& bucket, std::int64_t now_us) {
  const std::int64_t since = now_us - bucket.last_refill_us;
  if (since > 0) {
    std::int64_t gained = 0;
    const std::int64_t cap = bucket.burst * micro;
    if (__builtin_mul_overflow(bucket.rate_per_s, since, &gained) ||
        __builtin_add_overflow(bucket.tokens, gained, &gained)) {
      gained = std::numeric_limits<std::int64_t>::max();
    }
    bucket.tokens = std::min(cap, gained);
  }
  bucket.last_refill_us = std::max(bucket.last_refill_us, now_us);
}

}  // namespace

model::Outcome set_queue(Write& write, const model::Queue& action) {
  const auto before = find(write, action.site, action.queue);
  Bucket after{action.max_in_flight, action.rate_per_s, action.burst, action.burst * micro,
               write.now_us()};
  if (before) {
    Bucket refilled = *before;
    if (before->burst > 0) {
      refill(refilled, write.now_us());
      after.tokens = std::min(refilled.tokens, action.burst * micro);
    }
    after.last_refill_us = std::max(before->last_refill_us, write.now_us());
    const bool same = before->max_in_flight == after.max_in_flight &&
                      before->rate_per_s == after.rate_per_s && before->burst == after.burst &&
                      before->tokens == after.tokens;
    if (same) return model::Word::ok;
  }
  write.known_queues().forget();
  write.execute(Sql::put_queue, action.site, action.queue, after.max_in_flight, after.rate_per_s,
                after.burst, after.tokens, after.last_refill_us);
  write.journal().other("queue_set");
  return model::Word::ok;
}

Room room(Write& write, const KnownQueues::Name& queue) {
  Room room;
  auto& facts = write.known_queues().facts_of(queue);
  if (facts.has_no_limits) return room;
  const auto bucket = find(write, queue.first, queue.second);
  facts.has_no_limits = !bucket.has_value();
  if (!bucket) return room;
  if (bucket->max_in_flight > 0) {
    auto rows = write.query(Sql::queue_running, queue.first, queue.second);
    if (rows.next() && rows.integer(0) >= bucket->max_in_flight) room.open = false;
  }
  if (bucket->burst > 0) {
    Bucket refilled = *bucket;
    refill(refilled, write.now_us());
    if (refilled.tokens < micro) room.open = false;
    room.spends = true;
    room.tokens_left = refilled.tokens - micro;
    room.last_refill_us = refilled.last_refill_us;
  }
  return room;
}

std::optional<std::int64_t> room_from_us(sqlite::Connection& db, std::string_view site,
                                         std::string_view queue, std::int64_t running) {
  const auto bucket = bucket_in(db.query(index(Sql::queue_state), site, queue));
  if (!bucket) return 0;
  if (bucket->max_in_flight > 0 && running >= bucket->max_in_flight) return std::nullopt;
  if (bucket->burst == 0 || bucket->tokens >= micro) return 0;
  const std::int64_t lacking = micro - bucket->tokens;
  const std::int64_t refill_us = (lacking + bucket->rate_per_s - 1) / bucket->rate_per_s;
  return sum_us(bucket->last_refill_us, refill_us);
}

void spend(Write& write, const KnownQueues::Name& queue, const Room& room) {
  if (!room.spends) return;
  write.execute(Sql::spend_token, queue.first, queue.second, room.tokens_left, room.last_refill_us);
}

}  // namespace leaseproof::engine::store
