// A step: its action, the caller's clock, its fault with interleaved steps, and what is expected.
#pragma once

#include <string>
#include <vector>

#include "properties/step.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

// `steps` of a file or of an interleaving; `parent` is the place of the object that holds the list.
std::vector<properties::Step> read_steps(const Json& list, const Place& parent,
                                         const properties::Config& config);
void write_step(std::string& out, const properties::Step& step, const properties::Config& config);

}  // namespace leaseproof::scenarios
