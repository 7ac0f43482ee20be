// Which guard decided, in one sentence: why a call was answered with the word that it was.
//
// Promise: a reading of SEMANTICS 3 to 6 for people, made from the answer and the model's state
// just before the call. It decides nothing: where an engine answered what the state does not
// account for, it says what the guard would look at.
#pragma once

#include <string>

#include "model/vocabulary.hpp"
#include "properties/runner.hpp"

namespace leaseproof::scenarios {

// Empty where the call did what was asked. `outcome` is what was answered, or what the model says.
std::string guard(const properties::CallSeen& seen, const model::Outcome& outcome);

}  // namespace leaseproof::scenarios
