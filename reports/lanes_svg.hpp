// The picture of a counterexample: time runs down, a lane for each who acts.
//
// Promise: leases are bars from the moment in which they were granted to the one in which their row
// went, faint from when they had expired; faults, crashes, calls that stand still and the violating
// step are marked. Every word of it carries its place. Knows no rule of the engine: all is drawn as
// the interleaving says.
#pragma once

#include <string>

#include "reports/place.hpp"

namespace leaseproof::reports {

// `interleaving` is one of the schema. The SVG element, `width` pixels wide.
std::string lanes_svg(const Place& interleaving, double width);

}  // namespace leaseproof::reports
