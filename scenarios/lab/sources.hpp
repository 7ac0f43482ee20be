// The approved sources that a report is made of.
//
// Promise: a source is a value with the SHA-256 of its text beside it, so that a job names exactly
// what it was submitted with. Nothing here fetches anything: the two built-in ones are synthetic.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios::lab {

struct Source {
  std::string id;
  std::string title;
  std::string text;
  std::string sha256;  // of `text`
};

// A job carries its sources inline; larger ones belong into a store of their own, by their hash.
inline constexpr std::size_t most_sources = 16;
inline constexpr std::size_t most_source_bytes = std::size_t{256} << 10;  // of all texts together

std::vector<Source> built_in_sources();

// A JSON list of {"id", "title", "text"}, all non-empty, ids unique. The error is one line that
// names the place ("source 2, key 'id'") but not the file.
tl::expected<std::vector<Source>, std::string> parse_sources(std::string_view text);

// As a job's input carries them, and as they are known by: without their texts.
Json sources_with_texts(const std::vector<Source>& sources);
Json sources_by_digest(const std::vector<Source>& sources);

bool is_source(const std::vector<Source>& sources, std::string_view id);

}  // namespace leaseproof::scenarios::lab
