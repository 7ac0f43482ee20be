// SQL text cut into tokens, as far as mutants of a catalogue need it.
//
// Promise: tokens are views of the text, in its order, with how deep in parentheses each stands;
// blanks are left out. Knows strings, parameters, words, numbers and the signs of SQLite's
// expressions; no comments, no quoted names, which the catalogue has none of.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace leaseproof::properties {

struct SqlToken {
  std::size_t begin = 0;
  std::string_view text;
  int depth = 0;

  [[nodiscard]] std::size_t end() const { return begin + text.size(); }
  [[nodiscard]] bool is(std::string_view word) const { return text == word; }
  [[nodiscard]] bool is_parameter() const { return text.front() == '?'; }
  [[nodiscard]] bool is_string() const { return text.front() == '\''; }
};

std::vector<SqlToken> tokens_of(std::string_view sql);

}  // namespace leaseproof::properties
