// Text of others, fit to stand in HTML, XML or Markdown.
//
// Promise: whatever a file says shows as what it says, and ends no element, no attribute, no cell
// and no emphasis. Takes valid UTF-8, as JSON is.
#pragma once

#include <string>
#include <string_view>

namespace leaseproof::reports {

// For text and for attributes in double quotes; what XML cannot hold becomes U+FFFD.
std::string xml_text(std::string_view text);
// One line of Markdown, fit for a cell of a table.
std::string markdown_text(std::string_view text);

}  // namespace leaseproof::reports
