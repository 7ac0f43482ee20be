// The latency plot: one line for each benchmark that has percentiles, over a logarithmic scale.
//
// Promise: each point carries its place and its value; the numbers of the scale are no figures and
// stand in a group of their own. Empty where no benchmark has percentiles.
#pragma once

#include <string>

#include "reports/evidence.hpp"

namespace leaseproof::reports {

std::string latency_svg(const Evidence& evidence, double width);

}  // namespace leaseproof::reports
