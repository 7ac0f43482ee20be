// Approvals: a person's word, bound to exactly one action (SEMANTICS 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/effects.hpp"
#include "engine/store/ownership.hpp"
#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// SEMANTICS 3, request_approval: `waiting` with the binding hash, or the word of the guard that
// refused. `payload` is canonical; the request expires at now + `ttl_us`.
model::Outcome request_approval(Write& write, std::string_view op, std::string_view token_hash,
                                std::string_view payload, std::int64_t ttl_us);

// SEMANTICS 5, decide. The actor's roles and scopes come from the caller's authenticated session.
model::Outcome decide(Write& write, const model::Decide& action);

// SEMANTICS 6: nothing when an approval covers this payload now; else the word, after what the
// refusal changes.
std::optional<model::Word> refused_approval(Write& write, const Owned& owned, const Effect& effect,
                                            std::string_view token_hash, std::string_view payload);

}  // namespace leaseproof::engine::store
