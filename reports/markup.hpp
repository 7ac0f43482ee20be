// The elements of which pages and pictures are made.
//
// Promise: well-formed as XML, whatever is put in; a figure carries `data-from`, the ids of its
// files with a JSON Pointer as URI fragment each, and `data-by`, how it comes of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/figure.hpp"

namespace leaseproof::reports {

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

// `content` is markup already; without any the element is closed at once.
std::string element(std::string_view name, const Attributes& attributes,
                    const std::string& content);
std::string element(std::string_view name, const Attributes& attributes);

// A picture of that size, to be told by its class.
std::string svg(std::string_view of_class, double width, double height, const std::string& content);

// `data-from` and `data-by`.
Attributes origin_of(const Figure& one);
// Words as they are, figures as spans.
std::string marked_up(const Text& text);

// A coordinate: with one decimal where it needs it.
std::string px(double value);
// Broken into lines of so many characters, at spaces where there are any.
std::vector<std::string> broken(const std::string& text, std::size_t width);
// How many characters it has.
std::size_t characters(std::string_view text);

}  // namespace leaseproof::reports
