// Text of others, as it may stand among lines of ours.
//
// Promise: an id, an error or a payload can neither end its line, nor move or colour what a
// terminal shows, nor be run as another command than the one that was meant.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

// Control characters, line ends among them, marks that turn the direction of writing, and bytes
// that are no UTF-8 stand as `\x1b` or `\u202e`. For one value: our own line ends come after it.
std::string printable(std::string_view text);
// A JSON value on one line.
std::string printable_json(const Json& value);

// One word of a shell command that people copy: quoted where it must be.
std::string shell_word(std::string_view text);

}  // namespace leaseproof::scenarios
