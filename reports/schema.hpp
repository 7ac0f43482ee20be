// Judges a document by reports/result.schema.json, which is compiled in.
//
// Promise: takes the part of JSON Schema that the kept schema uses (type, enum, minimum, required,
// properties, additionalProperties, items, anyOf, oneOf and $ref into definitions); a test compares
// it with another validator. What is wrong is one line that names the place and the mend.
#pragma once

#include <string>
#include <string_view>

#include "reports/json.hpp"

namespace leaseproof::reports {

// The text of the kept file.
std::string_view result_schema_text();
const Json& result_schema();

// Empty, or "/tally: 'goals' is missing", of the first thing that is wrong.
std::string schema_problem(const Json& document);

}  // namespace leaseproof::reports
