// A draft: a summary and the ids of the sources that it cites.
//
// Promise: what is accepted is shape and ids, nothing else. That a cited source supports a sentence
// is not judged here or anywhere in the lab.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "scenarios/json.hpp"
#include "scenarios/lab/sources.hpp"

namespace leaseproof::scenarios::lab {

struct Draft {
  std::string summary;
  std::vector<std::string> citations;
};

Json draft_json(const Draft& draft);

// {"summary": text, "citations": [ids]}, both non-empty, no other key. The error is `fenced_json`,
// `bad_json` or `bad_shape` with a sentence that quotes nothing of the text.
tl::expected<Draft, std::string> parse_draft(std::string_view text);
tl::expected<Draft, std::string> draft_of(const Json& value);

// Empty when each citation is the id of a source, else `unknown_citation` with a sentence.
std::string complaint_about_citations(const Draft& draft, const std::vector<Source>& sources);

}  // namespace leaseproof::scenarios::lab
