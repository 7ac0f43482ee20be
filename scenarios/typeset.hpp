// Text set on a page of fixed width: how wide it is, and where its lines break.
//
// Promise: a column is a character, however many bytes it has; nothing is lost but spaces at
// breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::scenarios {

inline constexpr std::size_t page_width = 116;

std::size_t columns(std::string_view text);
// Filled up with spaces on the right, or on the left.
std::string padded(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);
// At most so many columns; what is cut off leaves a `…`.
std::string shortened(std::string_view text, std::size_t width);
// Broken at spaces where that fits, but not before a word of one or two letters, such as a unit;
// every line after the first begins with `indent` spaces.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace leaseproof::scenarios
