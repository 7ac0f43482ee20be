#include "reports/escape.hpp"

#include <algorithm>

namespace leaseproof::reports {

namespace {
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// U+FFFE and U+FFFF.
bool is_noncharacter(std::string_view text, std::size_t at) {
  return text.substr(at, 2) == "\xEF\xBF" && at + 2 < text.size() &&
         (text[at + 2] == '\xBE' || text[at + 2] == '\xBF');
}

// Where the character stands that makes the text a list, a heading or a rule; past the end for
// none.
std::size_t opener_of(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr std::string_view after_digits = ".)";
  constexpr std::string_view alone = "#+-=";
  if (digits == text.size()) return digits;
  const bool opens = (digits > 0 ? after_digits : alone).find(text[digits]) != std::string::npos;
  return opens ? digits : text.size();
}
}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += ' ';
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') {
          out += replacement;
        } else if (is_noncharacter(text, i)) {
          out += replacement;
          i += 2;
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view meaning = "\\`*_[]<>|~&$";
  const std::size_t opener = opener_of(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') {
      out += ' ';
      continue;
    }
    if (i == opener || meaning.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace leaseproof::reports
