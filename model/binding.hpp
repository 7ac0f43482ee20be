// What an approval of an op is bound to (SEMANTICS 5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/canonical.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// The binding hash of writing `payload` by `op`, which has an effect, under that request.
std::string binding_of(const Op& op, std::string_view payload, std::int64_t request_no);

}  // namespace leaseproof::model
