// A report for machines: the verdict, its reasons, and each figure with where it comes from.
//
// Promise: a figure's `from` are pairs of a file and a JSON Pointer into it; `by` says how the
// value comes of the values there. All that report.md and report.html show as tables is in here.
#pragma once

#include <string>

#include "reports/report.hpp"

namespace leaseproof::reports {

std::string report_json(const Report& report);

}  // namespace leaseproof::reports
