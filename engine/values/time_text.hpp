// RFC 3339 text at the edges of the engine: only old databases and people see it, nothing compares
// it (I15).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leaseproof::engine {

// Microseconds since the epoch of an RFC 3339 time with 0 to 9 fraction digits and any offset,
// rounded down; nothing when the text is none or the instant does not fit.
std::optional<std::int64_t> us_of_rfc3339(std::string_view text);

// In UTC, with six fraction digits unless they are all zero.
std::string rfc3339_of(std::int64_t time_us);

}  // namespace leaseproof::engine
