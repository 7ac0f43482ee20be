// The course of a run as JSON, for a picture of it: a lane for each who acts, the moments in their
// order, and from which moment to which each lease stood.
//
// Promise: everything that a picture shows is in here, in words that are fit for a page; who draws
// it knows no rule of the engine. Same course, same bytes.
#pragma once

#include <cstddef>
#include <string>

#include "scenarios/course.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

// {"lanes": [{"kind", "name"}], "moments": […], "leases": […]}.
//
// A moment is {"path": "3.1", "depth", "phase", "lane": index, "at_us", "at", "says", "answer",
// "why", "changed": [lines], "at_service", "crashed", "broken", "beside": what the model says
// instead and why, or null, "fault": {"at", "kind", "told", "fired"} or null}. A call that stands
// still has two: its phase is `begins`, then `goes_on`, elsewhere `call`. It takes effect in the
// one that `acts`. A step of the fair schedule has a `+` before its number; a call of a journal has
// its seq.
//
// A lease is {"op", "owner", "generation", "lane", "from": index of a moment, "to": index or null
// where it still stands, "expires": [{"from": index, "at_us", "at"}]}: from that moment on, it
// lasts until `at_us`. `broken` is the index of the step in which the violation showed, or past the
// end.
Json interleaving_json(const Course& course, std::size_t broken);

}  // namespace leaseproof::scenarios
