// A step: its action, the caller's clock, its fault with interleaved steps, and what is expected.
#pragma once

#include <string>
#include <vector>

#include "properties/step.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/writer.hpp"

namespace leaseproof::scenarios {

// `steps` of a file or of an interleaving; `parent` is the place of the object that holds the list.
std::vector<properties::Step> read_steps(const Json& list, const Place& parent,
                                         const properties::Config& config);
// A fault alone (TRACE 3).
void read_fault(const Json& json, const Place& place, const properties::Config& config,
                properties::StepFault& fault);
void write_fault(std::string& out, const properties::StepFault& fault,
                 const properties::Config& config, Defaults defaults = Defaults::left_out);
void write_step(std::string& out, const properties::Step& step, const properties::Config& config);

}  // namespace leaseproof::scenarios
