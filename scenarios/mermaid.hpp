// A run as a Mermaid sequence diagram: who calls the engine or the service, what is answered, where
// calls stand still, and what changes.
//
// Promise: whatever names and payloads hold, the text is one valid diagram that shows them as they
// are; same course, same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "properties/violation.hpp"
#include "scenarios/course.hpp"

namespace leaseproof::scenarios {

// Text of others, as it may stand in a message or a note: what Mermaid would take for its own is
// written as an entity.
std::string mermaid_text(std::string_view text);

// `violation` may be null; otherwise its step is highlighted.
std::string mermaid(const Course& course, const properties::Violation* violation);

}  // namespace leaseproof::scenarios
