// lease and heartbeat: who owns an op, and for how long (SEMANTICS 3 and 4).
#pragma once

#include <string>
#include <string_view>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `leased` or `none`. `token` is the new lease's token and is stored only as its hash.
model::Outcome lease(Write& write, const model::Lease& action, const std::string& token_hash);

// `extended` or `lease_lost`. The new expiry is now + `lease_us`.
model::Outcome heartbeat(Write& write, std::string_view op, std::string_view token_hash,
                         std::int64_t lease_us);

}  // namespace leaseproof::engine::store
