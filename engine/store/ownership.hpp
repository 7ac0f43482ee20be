// The ownership proof that every worker call starts with (SEMANTICS 3, own; 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

struct Owned {
  std::int64_t row = 0;
  std::int64_t workflow = 0;
  std::int64_t generation = 0;
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  std::optional<std::int64_t> deadline_us;
  bool owned = false;  // own(op, token, now)
};

// From the first seven columns of a guard statement; `owned` is false where no lease row was
// joined.
Owned owned_of(const sqlite::Rows& rows);

// Nothing when there is no such op.
std::optional<Owned> own(Write& write, std::string_view op, std::string_view token_hash);

// The deadline guard of a worker call: past it the op ends as `deadline_exceeded` in this
// transaction, and the caller hears that word.
bool ended_by_deadline(Write& write, const Owned& owned, std::string_view token_hash);

}  // namespace leaseproof::engine::store
