// Names of fault points as a trace may write them.
//
// Promise: every name of TRACE 3 is readable, also of points that the registry does not hold yet;
// those get numbers past the registry's own, so that a file keeps them, and no engine ever sees
// one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/plan.hpp"

namespace leaseproof::scenarios {

std::optional<faults::Point> point_named(std::string_view name);
std::string_view name_of(faults::Point point);
inline bool in_registry(faults::Point point) { return point < faults::point_count; }

// Whether the kind makes sense at the point, now or once its part is built.
bool makes_sense(faults::Point point, faults::Kind kind);
// Whether this build can do it.
bool can_do(faults::Point point, faults::Kind kind);

std::optional<faults::Kind> kind_named(std::string_view word);
std::vector<std::string_view> all_point_names();

}  // namespace leaseproof::scenarios
