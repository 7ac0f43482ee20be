// Contexts: what ops were allowed under, by scope and revision (SEMANTICS 1 and 2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/write.hpp"
#include "engine/values/shape.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `ok`: the scope has one more revision, which expires at now + `ttl_us`; older ones stay.
// `payload` is canonical.
model::Outcome put_context(Write& write, const model::ContextPut& action);

// `ok`: every revision of the scope is revoked; `not_found` for a scope that was never put.
model::Outcome revoke_context(Write& write, std::string_view scope);

// The first op that names a scope that was never put.
Complaint check_contexts(Write& write, const std::vector<model::OpSpec>& ops);

// Pins the newest revision of the op's scope; it was checked that there is one.
void pin_context(Write& write, std::int64_t op_row, const std::string& scope);

}  // namespace leaseproof::engine::store
