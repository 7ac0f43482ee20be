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
  bool has_effect = false;
  bool dispatching = false;  // a write to the outside world may exist
  bool context_invalid = false;
};

// From the first nine columns of a guard statement; `owned` is false where no lease row was joined.
Owned owned_of(const sqlite::Rows& rows);

// Nothing when there is no such op.
std::optional<Owned> own(Write& write, std::string_view op, std::string_view token_hash);

// Ends the running op and its lease with `error`: as `failed`, or where a write may exist as
// `reconciling` (SEMANTICS 3, unknown is never hidden). Answers which.
model::OpStatus end_owned(Write& write, const Owned& owned, std::string_view token_hash,
                          std::string_view error);

// The guards deadline and context of a worker call: when one fails the op ends in this transaction,
// and the caller hears `deadline_exceeded` or `context_invalid`.
std::optional<model::Word> failed_guard(Write& write, const Owned& owned,
                                        std::string_view token_hash);

}  // namespace leaseproof::engine::store
