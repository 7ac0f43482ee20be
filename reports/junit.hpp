// A report as JUnit XML, for what shows results of tests.
//
// Promise: well-formed, one testcase for each check: each rule of the verdict, each part of each
// run, each invariant that was judged, each world, each mutant, each benchmark. What was found is a
// failure; what came to no verdict is skipped and says why.
#pragma once

#include <string>

#include "reports/report.hpp"

namespace leaseproof::reports {

std::string junit(const Report& report);

}  // namespace leaseproof::reports
