// What was not checked: commands that nobody ran, parts that were left out, and what a green result
// does not say.
//
// Promise: it is told also where it costs no verdict; an empty list means that nothing of this kind
// was seen in the results, not that all was checked.
#pragma once

#include <vector>

#include "reports/evidence.hpp"
#include "reports/rules.hpp"

namespace leaseproof::reports {

std::vector<Text> unchecked(const Evidence& evidence, const Judgement& judgement);

}  // namespace leaseproof::reports
