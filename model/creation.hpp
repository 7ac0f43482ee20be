// New ops, whether a workflow begins with them or a completion emits them (SEMANTICS 2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// What only the database can tell about new ops: an id that is taken, a scope that was never put.
// One sentence, or the empty string.
std::string creation_fault(const State& state, const std::vector<OpSpec>& ops);

// The same for ops that `workflow` emits, with their graph: they may need each other and every op
// that the workflow already has.
std::string emission_fault(const State& state, std::string_view workflow,
                           const std::vector<OpSpec>& ops);

// Adds the ops as pending, with one event each in id order. They have been judged.
void create_ops(State& state, std::string_view workflow, const std::vector<OpSpec>& ops,
                std::int64_t now_us);

}  // namespace leaseproof::model
