// The rules of SEMANTICS 1 to 6 as one pure function, and what can be seen of a state.
//
// Promise: `apply` is a function of its three arguments alone; the same call on equal states gives
// equal states and equal outcomes. A call that is refused with a word that "changes nothing" leaves
// the state `==` to what it was. Every change of a status stands in the tables of lifecycle.hpp;
// that is checked in every build.
//
// The JSON texts inside an action must already be canonical (RFC 8785): the model compares text.
// `Given.now_us` is the caller's clock after the write lock; `Given.lease_generation` 0 proves
// nothing. `start` without a workflow id needs `Given.fresh_id`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "model/action.hpp"
#include "model/observation.hpp"
#include "model/outcome.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// One call, in place. Aborts for `call`, `deliver`, `advance`, `restart` and `forget`, which speak
// to the world around an engine and must be played by the harness.
Outcome apply(State& state, const Action& action, const Given& given);

// The same on a copy.
std::pair<State, Outcome> step(State state, const Action& action, const Given& given);

// TRACE 4. `events` is the model's own count and `writes` is empty; neither takes part in `==`.
Observation observe(const State& state);

// Whether `observe(state) == seen`, without making an observation or allocating.
bool agrees(const State& state, const Observation& seen);

// One sentence that names the first field in which the two differ, with both values; empty when
// they agree.
std::string first_difference(const State& state, const Observation& seen);

// Where a reader stands after it was told `page`: the seq of the last workflow on it, or where it
// stood. `state` must be the one that answered the page.
std::int64_t page_cursor(const State& state, const Page& page, std::int64_t old_cursor);

}  // namespace leaseproof::model
