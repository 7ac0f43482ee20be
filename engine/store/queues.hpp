// Queue limits and the token bucket (SEMANTICS 3, queue room).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `queue`: `ok`. Keeps min(tokens, new burst) after a refill, or fills a bucket that had no limit.
model::Outcome set_queue(Write& write, const model::Queue& action);

// Whether a queue may lease one more op now, and the bucket as it stands after that.
struct Room {
  bool open = true;
  bool spends = false;
  std::int64_t tokens_left = 0;
  std::int64_t last_refill_us = 0;
};
Room room(Write& write, const KnownQueues::Name& queue);
// For who only waits: from when on a queue in which `running` ops run has room, 0 where it has now;
// nothing where only the end of a running op makes room.
std::optional<std::int64_t> room_from_us(sqlite::Connection& db, std::string_view site,
                                         std::string_view queue, std::int64_t running);
// Takes the token that `room` found, in the leasing transaction.
void spend(Write& write, const KnownQueues::Name& queue, const Room& room);

}  // namespace leaseproof::engine::store
