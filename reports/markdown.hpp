// A report as one Markdown document, for an issue, a wiki or a summary of CI.
//
// Promise: nothing that a file says is taken for Markdown. The same texts as in report.json, in the
// same order.
#pragma once

#include <string>

#include "reports/report.hpp"

namespace leaseproof::reports {

std::string markdown(const Report& report);

}  // namespace leaseproof::reports
