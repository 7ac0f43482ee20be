// Workflows and ops come into being: start, ensure, and the ops that a completion emits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/write.hpp"
#include "engine/values/shape.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// SEMANTICS 2, start: `created`, or `exists`. `action` has passed the shape checks.
model::Outcome start(Write& write, const model::Start& action);

// SEMANTICS 2, ensure: `created`, `attached` or `identity_conflict`. `action.identity` is
// canonical.
model::Outcome ensure(Write& write, const model::Ensure& action);

// SEMANTICS 3, complete: the emitted ops of `parent_workflow`, judged after every guard. Nothing is
// written when there is a complaint.
Complaint check_emitted(Write& write, const std::vector<model::OpSpec>& ops,
                        std::int64_t parent_workflow);
// Writes ops that have been checked, and their events in id order.
void create_ops(Write& write, const std::vector<model::OpSpec>& ops, std::int64_t workflow);

// SEMANTICS 2: the id that an identity stands for, `package-<digest>`.
std::string identity_digest(const std::string& canonical_identity);

}  // namespace leaseproof::engine::store
