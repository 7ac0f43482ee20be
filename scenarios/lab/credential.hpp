// The key of the model's endpoint: read from the environment where it is needed, kept in memory.
//
// Promise: no text of this lab that is stored or shown holds it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace leaseproof::scenarios::lab {

inline constexpr const char* key_variable = "LLM_API_KEY";

// The key, or one line with the mend, which does not quote it: it must be visible ASCII without
// blanks (it stands in a header), and long enough that finding it in a text means something.
tl::expected<std::string, std::string> read_key();

// Whether one of the texts holds the key that is set today; false where none is set.
bool holds_key(std::initializer_list<std::string_view> texts);

}  // namespace leaseproof::scenarios::lab
