// The calls of a journal that led to one of its events, as a course that can be drawn.
//
// Promise: reads only, in the transaction of the caller's connection. What is shown of a call is
// what the journal tells and what the model makes of it. Times count from the moment of the first
// event, since those of real clocks fill a line. Workers have the names under which they leased.
#pragma once

#include <cstdint>

#include "engine/sqlite/connection.hpp"
#include "scenarios/course.hpp"

namespace leaseproof::scenarios {

// The call of event `seq` comes last; before it the last ones that changed the same op, and what
// came just before it. Where the model cannot follow the journal so far, the call that it does not
// follow comes last, with what it answers instead. A frame has the seq of its call's first event as
// its name. Leases are those that were granted in the course. Empty where there is no such event.
// Faults of reading stay with the connection.
Course course_to(engine::sqlite::Connection& db, std::int64_t clock_slack_us, std::int64_t seq);

}  // namespace leaseproof::scenarios
