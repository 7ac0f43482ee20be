// JSON texts of an older system, where a number may have a fraction (SEMANTICS 8).
//
// Promise: apart from numbers the same texts are accepted as by canonical_json: no duplicate keys,
// no unpaired surrogates, valid UTF-8, bounded depth. Nothing is changed or rounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace leaseproof::engine {

enum class JsonKind : std::uint8_t { null, boolean, number, string, list, object };

struct JsonMember {
  std::string key;
  JsonKind kind = JsonKind::null;
  std::string text;  // of a string its content, of anything else the value as it was written
};

// Whether the text is one JSON value.
bool is_json(std::string_view text);

// The members of the object that the text is, or one sentence that says what is wrong and where.
tl::expected<std::vector<JsonMember>, std::string> json_members(std::string_view text);

}  // namespace leaseproof::engine
