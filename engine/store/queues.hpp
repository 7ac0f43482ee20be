// Queue limits and the token bucket (SEMANTICS 3, queue room).
#pragma once

#include <cstdint>
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
Room room(Write& write, std::string_view site, std::string_view queue);
// Takes the token that `room` found, in the leasing transaction.
void spend(Write& write, std::string_view site, std::string_view queue, const Room& room);

}  // namespace leaseproof::engine::store
