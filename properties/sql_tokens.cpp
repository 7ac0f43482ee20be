#include "properties/sql_tokens.hpp"

#include <cctype>

namespace leaseproof::properties {

namespace {
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t length_of_token(std::string_view sql, std::size_t at) {
  const char first = sql[at];
  if (first == '\'') return sql.find('\'', at + 1) - at + 1;
  std::size_t end = at + 1;
  if (is_word(first) || first == '?') {
    while (end < sql.size() && is_word(sql[end])) ++end;
    return end - at;
  }
  const std::string_view two = sql.substr(at, 2);
  return two == "<=" || two == ">=" || two == "<>" || two == "||" || two == "!=" ? 2 : 1;
}
}  // namespace

std::vector<SqlToken> tokens_of(std::string_view sql) {
  std::vector<SqlToken> tokens;
  int depth = 0;
  for (std::size_t at = 0; at < sql.size();) {
    if (sql[at] == ' ' || sql[at] == '\n') {
      ++at;
      continue;
    }
    const std::size_t length = length_of_token(sql, at);
    if (sql[at] == ')') --depth;
    tokens.push_back({at, sql.substr(at, length), depth});
    if (sql[at] == '(') ++depth;
    at += length;
  }
  return tokens;
}

}  // namespace leaseproof::properties
