// JSON as it is read here, and JSON Pointers (RFC 6901).
//
// Promise: objects are kept in the order of their keys, so that the same files give the same bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::reports {

using Json = nlohmann::json;

// "a/b" as one stair of a pointer: "a~1b".
std::string stair(std::string_view key);
// The last stair of a pointer, as the key that it stands for; empty for the whole document.
std::string last_key(std::string_view pointer);
// As it stands after `#` in a URI: what a URI does not take is written as %XX.
std::string fragment(std::string_view pointer);

}  // namespace leaseproof::reports
