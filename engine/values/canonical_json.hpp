// Canonical JSON (RFC 8785) of texts that callers hand in.
//
// Promise: what is accepted is JSON whose numbers are integers (all their digits are kept), without
// duplicate keys or unpaired surrogates (SEMANTICS, order of refusals); the result is the one text
// that stands for the value. Depth is bounded, so that no input can overflow the stack.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace leaseproof::engine {

inline constexpr int max_json_depth = 200;

// The canonical text, or one sentence that says what is wrong and at which byte.
tl::expected<std::string, std::string> canonical_json(std::string_view text);

// Appends `text`, which must be valid UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

bool is_valid_utf8(std::string_view text);

}  // namespace leaseproof::engine
