// The rules of the source tree, as functions from text to findings.
//
// Promise: a rule looks at the (path, text) pairs that it is given and at nothing else, so that
// each is tested on invented bad input. Paths are relative to the repository root. The tables of
// what is allowed where stand in the .cpp files, one subject a file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::properties::tidy {

struct SourceFile {
  std::string path;
  std::string text;
};

struct Finding {
  std::string path;
  std::size_t line;
  std::string why;
  bool operator==(const Finding&) const = default;
};

using Files = std::vector<SourceFile>;
using Findings = std::vector<Finding>;

// includes.cpp: the include graph of ARCHITECTURE.
Findings forbidden_includes(const SourceFile& file);
Findings include_cycles(const Files& files);
// RapidCheck costs seconds of compile time a file, so it stays inside properties/.
Findings rapidcheck_leaking_out(const Files& files);

// words.cpp: what reaches past a seam.
Findings banned_words(const SourceFile& file);
Findings sql_outside_the_catalogue(const SourceFile& file);

// shape.cpp: sizes, names and first lines.
inline constexpr std::size_t longest_line = 100;
inline constexpr std::size_t longest_file = 400;
// The longest files and the length that each may not exceed.
using Ratchet = std::map<std::string, std::size_t>;
Findings long_lines(const SourceFile& file);
Findings long_files(const Files& files, const Ratchet& ratchet);
Findings missing_promise(const SourceFile& file);
Findings shapeless_name(std::string_view path);
// The patterns of a .gitignore file, without the slash that marks a folder.
std::vector<std::string> ignored_names(std::string_view gitignore);
Findings unknown_top_level(const std::vector<std::string>& names);
Findings folders_without_readme(const std::vector<std::string>& paths);

// build.cpp: nothing lies about unused.
Findings sources_outside_the_build(const Files& sources, const Files& cmake_lists);
Findings cases_that_no_test_scans(const std::vector<std::string>& paths, const Files& tests);
// `where` names the folder for the message; the words are qualified names such as "Place::begin".
Findings words_not_standing_once(const std::vector<std::string>& words, const Files& files,
                                 std::string_view where);

}  // namespace leaseproof::properties::tidy
