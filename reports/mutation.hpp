// Mutants in the shape of the public mutation-testing-report-schema, for viewers of that shape.
//
// Promise: a file for each statement that was changed, with its text, and each mutant where its
// change stands in it; bugs that are no change of a statement stand in a file of their kind, whose
// text is what each would make a user suffer. Survived is survived, whoever hunted.
#pragma once

#include <string>

#include "reports/report.hpp"

namespace leaseproof::reports {

std::string mutation_report(const Report& report);

}  // namespace leaseproof::reports
