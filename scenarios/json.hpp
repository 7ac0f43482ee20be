// Strict JSON text in, canonical JSON text out (SEMANTICS 9).
//
// Promise: what is read is UTF-8 without unpaired surrogates, duplicate keys, numbers that are no
// integers, or nesting deeper than `max_depth`; all else is refused in one line of our own words,
// in time and stack that do not grow with the nesting. Integers keep all their digits: those past
// 64 bits are carried as `raw` text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace leaseproof::scenarios {

using Json = nlohmann::json;

inline constexpr std::size_t max_depth = 200;

// One stair of the way from the top of a file down to a value.
struct PlaceItem {
  std::string key;
  std::optional<std::size_t> index;
};
// "step 4, interleaved step 2, key 'ops[1].id'": steps are numbered from 1, as a reader counts.
std::string place_text(const std::vector<PlaceItem>& way);

// The error is one line that names line and column, or step and key.
tl::expected<Json, std::string> parse_json(std::string_view text);

// RFC 8785, except that integers are never rounded to a double.
std::string canonical(const Json& value);
// For files and terminals that people read: canonical order, two spaces a level, a line end.
std::string pretty(const Json& value);
void write_string(std::string& out, std::string_view text);

// JSON text that is kept as it is: nlohmann's binary type never occurs in text, so it is free.
Json raw(std::string_view json_text);
inline bool is_raw(const Json& value) { return value.is_binary(); }

// An action's payload (canonical text) as a value; text that is no JSON stays raw.
Json embedded(const std::string& canonical_text);

// The value as a 64-bit integer, or nothing when it is none or does not fit.
std::optional<std::int64_t> as_int64(const Json& value);

}  // namespace leaseproof::scenarios
