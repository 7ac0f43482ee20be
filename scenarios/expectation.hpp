// `expect` and `finally`: whether an answer and the last state hold what the writer of a trace
// says.
//
// Promise: what is written must be contained in what is observed; lists are exact; null means
// absent; a difference is one sentence that names the key.
#pragma once

#include <string>

#include "model/vocabulary.hpp"
#include "properties/step.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

// Refuses unknown words and keys; called when a trace is read.
void check_expect_shape(const Json& expect, const Place& place, const model::Action& action);
void check_finally_shape(const Json& expected, const Place& place);

// Empty when `expected` is contained in `observed`, else the sentence that says where it is not.
std::string difference(const Json& expected, const Json& observed);

std::string check_expect(const properties::Step& step, const model::Outcome& outcome);
std::string check_finally(const std::string& expected, const model::Observation& observation);

}  // namespace leaseproof::scenarios
