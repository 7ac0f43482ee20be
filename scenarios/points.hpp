// Which faults a trace may name, and which of them this build can do.
//
// Promise: what makes no sense anywhere is refused when a file is read; what an engine cannot do is
// told when it would have to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/plan.hpp"
#include "properties/sut.hpp"

namespace leaseproof::scenarios {

// Whether a machine could come to it. More than `faults::allows` lets through: other steps might
// run between two operations of the disk.
bool makes_sense(faults::Point point, faults::Kind kind);
// Empty, or what keeps the fault from firing at this engine.
std::string beyond(const faults::Plan& plan, const properties::Sut& sut);

std::optional<faults::Kind> kind_named(std::string_view word);
std::optional<faults::Role> file_named(std::string_view word);
std::vector<std::string_view> all_point_names();

}  // namespace leaseproof::scenarios
