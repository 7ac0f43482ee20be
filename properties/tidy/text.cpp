#include "properties/tidy/text.hpp"

#include <algorithm>
#include <utility>

namespace leaseproof::properties::tidy {
namespace {

bool in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Walks the text once; each `skip_` function blanks what it passes and leaves `at_` behind it.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { parts_.code = std::string(text); }

  Parts read() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        skip_line_comment();
      } else if (text_.substr(at_, 2) == "/*") {
        blank_until(text_.find("*/", at_ + 2), 2);
      } else if (text_[at_] == '"' && raw_prefix()) {
        skip_raw_string();
      } else if (text_[at_] == '"') {
        skip_quoted('"');
      } else if (text_[at_] == '\'' && !digit_separator()) {
        skip_quoted('\'');
      } else {
        ++at_;
      }
    }
    return std::move(parts_);
  }

 private:
  void skip_line_comment() {
    std::size_t end = at_;
    do {
      end = text_.find('\n', end + 1);
    } while (end != std::string_view::npos && text_[end - 1] == '\\');
    blank_until(end, 0);
  }

  void skip_quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    if (quote == '"') keep(at_ + 1, end, false);
    blank_until(end, 1);
  }

  void skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return skip_quoted('"');
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    keep(open + 1, std::min(end, text_.size()), true);
    blank_until(end, close.size());
  }

  void keep(std::size_t begin, std::size_t end, bool raw) {
    std::string text(text_.substr(begin, end - begin));
    parts_.literals.push_back({line_at(text_, begin), std::move(text), raw});
  }

  void blank_until(std::size_t end, std::size_t closing) {
    end = end >= text_.size() ? text_.size() : std::min(end + closing, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') parts_.code[at_] = ' ';
    }
  }

  bool raw_prefix() const { return at_ > 0 && text_[at_ - 1] == 'R'; }
  bool digit_separator() const { return at_ > 0 && in_identifier(text_[at_ - 1]); }

  std::string_view text_;
  std::size_t at_ = 0;
  Parts parts_;
};

}  // namespace

Parts take_apart(std::string_view text) { return Reader(text).read(); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::vector<std::size_t> find_word(std::string_view code, std::string_view word) {
  std::vector<std::size_t> found;
  for (std::size_t at = code.find(word); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !in_identifier(code[at - 1]);
    const bool ends = end == code.size() || !in_identifier(code[end]);
    if (begins && ends) found.push_back(at);
  }
  return found;
}

bool matches(std::string_view pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  if (path.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= path.size(); ++at) {
    if (matches(rest, path.substr(at))) return true;
  }
  return false;
}

bool matches_any(const std::vector<std::string_view>& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return matches(pattern, path); });
}

}  // namespace leaseproof::properties::tidy
