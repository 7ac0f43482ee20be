// C++ text taken apart just far enough to search it.
//
// Promise: `code` has the length and the lines of the input; comments and the insides of literals
// are blanks in it, so that a word found there is a word that the compiler sees. Not a parser: it
// knows comments, literals and identifiers, and nothing of the preprocessor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::properties::tidy {

struct Literal {
  std::size_t line;
  std::string text;
  bool raw;
};

struct Parts {
  std::string code;
  std::vector<Literal> literals;
};

Parts take_apart(std::string_view text);

// Lines without their newline; line n of the file is element n - 1.
std::vector<std::string_view> lines_of(std::string_view text);

// The line number, from 1, of an offset.
std::size_t line_at(std::string_view text, std::size_t offset);

// Where `word` stands in `code` as a whole: not as a part of a longer identifier.
std::vector<std::size_t> find_word(std::string_view code, std::string_view word);

// `*` in the pattern stands for any characters, slashes too.
bool matches(std::string_view pattern, std::string_view path);
bool matches_any(const std::vector<std::string_view>& patterns, std::string_view path);

}  // namespace leaseproof::properties::tidy
