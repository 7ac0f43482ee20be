// A run explained to somebody who has to understand it now: what it is about, its lanes, and at the
// violation the rule, why it is broken, and the model's state beside the engine's.
#pragma once

#include <string>

#include "scenarios/replay.hpp"

namespace leaseproof::scenarios {

// The name of the file's case, what it says about itself, the engine and the config.
std::string introduction(const Scenario& scenario, const std::string& engine);
// The lanes, and what became of it.
std::string explanation(const Replay& replay);

// The rule that is broken, why, and where model and engine differ. There must be a violation.
std::string verdict(const Replay& replay);

// Only the fields that differ, in two columns; empty where none does.
std::string side_by_side(const model::Observation& model, const model::Observation& engine);

}  // namespace leaseproof::scenarios
