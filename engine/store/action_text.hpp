// A call in the words of TRACE 2, as it stands in the first event of the call (SEMANTICS 1, event).
//
// Promise: what a reader needs to replay the call and nothing secret: tokens are their SHA-256,
// JSON and artifact texts longer than `longest_inline`, or that look so themselves, are {"sha256":
// …}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

inline constexpr std::size_t longest_inline = 256;

// `token_hash` is that of the lease granted or proved; empty for calls without one. `told` is what
// the outside service had said before: the receipt of `complete`, what `reconcile` found.
std::string action_text(const model::Action& action, std::string_view token_hash,
                        std::int64_t now_us, const model::Outcome& outcome,
                        const std::optional<std::string>& told = std::nullopt);

}  // namespace leaseproof::engine::store
