// What an op's needs say about it, shared by refresh and retry (SEMANTICS 3).
#pragma once

#include <cstdint>
#include <vector>

#include "model/state.hpp"

namespace leaseproof::model {

// Whether some required need is failed, blocked or canceled.
bool has_stopping_need(const State& state, const Op& op);

// One pass of refresh (4): every blocked op without a stopping need becomes pending, in
// (created, id) order, and is added to `changed`. With `below`, only what needs one of those, be it
// optionally. Answers how many.
std::int64_t reopen_pass(State& state, const std::vector<OpRef>* below,
                         std::vector<OpRef>& changed);

}  // namespace leaseproof::model
