// Mechanical acceptance of a finished job.
//
// Promise: judges a document of `inspected` and nothing else. It says `not_scored` for what no
// program here can judge: that a citation exists says nothing of what it supports.
#pragma once

#include "scenarios/json.hpp"

namespace leaseproof::scenarios::lab {

// {"job", "passed", "checks": [{"name", "passed"}…], "semantic_support": "not_scored",
//  "model_quality": "not_scored"}
Json evaluated(const Json& job);

}  // namespace leaseproof::scenarios::lab
