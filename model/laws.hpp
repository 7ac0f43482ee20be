// What holds in every state and over every step, whatever is done to the model (SEMANTICS 7).
//
// Promise: each function answers one sentence that begins with the invariant's id, or the empty
// string. They judge the rules from outside: nothing in the rooms of `apply` uses them.
#pragma once

#include <string>

#include "model/action.hpp"
#include "model/outcome.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// I3 (first half) is judged by `step_fault`, since it holds after a refresh only.
std::string state_fault(const State& state);

// The same, where it is known that `lawful` breaks none: what both share is not judged again but
// where it depends on the rest.
std::string state_fault(const State& state, const State& lawful);

// `after` and `outcome` are what `apply` made of `before`.
std::string step_fault(const State& before, const Action& action, const Given& given,
                       const Outcome& outcome, const State& after);

// The same where the caller knows whether `before` and `after` differ (`==`).
std::string step_fault(const State& before, const Action& action, const Given& given,
                       const Outcome& outcome, const State& after, bool changed);

// Whether an answer with this word promises that nothing was changed.
bool changes_nothing(Word word);

}  // namespace leaseproof::model
