// The shape of a list of new ops: ids once, needs known, no cycle (SEMANTICS 2).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/action.hpp"

namespace leaseproof::model {

// One sentence that names the op at fault, or the empty string. `exists` says whether a need that
// is not in the list may be needed all the same; such an op cannot be part of a cycle, since it was
// made before the list. A need on itself is a cycle.
std::string graph_fault(const std::vector<OpSpec>& ops,
                        const std::function<bool(std::string_view)>& exists);

}  // namespace leaseproof::model
