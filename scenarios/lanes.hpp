// A run as lanes: one column for each who acts, one row for each call, and beneath it what changed.
//
// Promise: steps that ran inside another call's fault point stand inside it; fits a page of 116
// columns; no colour; same course, same bytes.
#pragma once

#include <cstddef>
#include <string>

#include "scenarios/course.hpp"

namespace leaseproof::scenarios {

// The names above the columns.
std::string lanes_head(const Course& course);
// One step, `index` from 0, with all that happened inside it; `marked` puts `>` before its rows.
std::string lanes_of_step(const Course& course, std::size_t index, bool marked);
// The end of the fair schedule, where the violation showed in it; else empty.
std::string lanes_of_fair_steps(const Course& course);
// All of it; `broken` is the index of the step to mark, or past the end for none.
std::string lanes(const Course& course, std::size_t broken);

// "just before its COMMIT": where a call stands still or dies; empty at the disk.
std::string told_place(faults::Point point);

}  // namespace leaseproof::scenarios
