#include "engine/values/canonical_json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace leaseproof::engine {
namespace {

// Length of the UTF-8 sequence at `at`, or 0 when it is none: overlong forms, surrogates and code
// points past U+10FFFF are none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  const std::uint8_t next = byte(at + 1);
  if (lead == 0xE0 && next < 0xA0) return 0;
  if (lead == 0xED && next > 0x9F) return 0;
  if (lead == 0xF0 && next < 0x90) return 0;
  if (lead == 0xF4 && next > 0x8F) return 0;
  return length;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0U | (code >> 6U));
    push(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    push(0xE0U | (code >> 12U));
    push(0x80U | ((code >> 6U) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  } else {
    push(0xF0U | (code >> 18U));
    push(0x80U | ((code >> 12U) & 0x3FU));
    push(0x80U | ((code >> 6U) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  }
}

// RFC 8785 sorts keys by UTF-16 code units. UTF-8 sorts by code point; the two differ only where
// one side is a supplementary character (a surrogate pair, so D800…) and the other lies in
// E000…FFFF.
bool utf16_less(const std::string& a, const std::string& b) {
  const auto [pa, pb] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (pa == a.end() || pb == b.end()) return pa == a.end() && pb != b.end();
  const auto left = static_cast<std::uint8_t>(*pa);
  const auto right = static_cast<std::uint8_t>(*pb);
  const bool left_pair = left >= 0xF0;
  const bool right_pair = right >= 0xF0;
  if (left_pair != right_pair) {
    // Lead bytes EE and EF are U+E000…FFFF; every other BMP character sorts before a pair.
    if (left_pair) return right >= 0xEE;
    return left < 0xEE;
  }
  return left < right;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  tl::expected<std::string, std::string> whole() {
    std::string out;
    out.reserve(text_.size());
    skip_space();
    if (!value(out, 0)) return tl::unexpected(std::move(why_));
    skip_space();
    if (at_ != text_.size()) {
      fail("there is text after the value");
      return tl::unexpected(std::move(why_));
    }
    return out;
  }

 private:
  bool fail(std::string_view what) {
    if (why_.empty()) {
      why_ = std::string(what) + " at byte " + std::to_string(at_);
    }
    return false;
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool literal(std::string& out, std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return fail("this is no JSON value");
    out += word;
    at_ += word.size();
    return true;
  }

  bool value(std::string& out, int depth) {
    if (depth > max_json_depth) return fail("the nesting is deeper than 200");
    switch (peek()) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"': {
        std::string content;
        if (!string(content)) return false;
        append_json_string(out, content);
        return true;
      }
      case 't':
        return literal(out, "true");
      case 'f':
        return literal(out, "false");
      case 'n':
        return literal(out, "null");
      default:
        return number(out);
    }
  }

  bool number(std::string& out) {
    const std::size_t start = at_;
    if (peek() == '-') ++at_;
    const std::size_t digits = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == digits) return fail("this is no JSON value");
    if (text_[digits] == '0' && at_ - digits > 1) return fail("a number starts with 0");
    if (peek() == '.' || peek() == 'e' || peek() == 'E') return fail("a number is no integer");
    const bool minus_zero = text_.substr(start, at_ - start) == "-0";
    out += minus_zero ? std::string_view("0") : text_.substr(start, at_ - start);
    return true;
  }

  bool array(std::string& out, int depth) {
    out.push_back('[');
    ++at_;
    skip_space();
    if (peek() == ']') {
      ++at_;
      out.push_back(']');
      return true;
    }
    while (true) {
      skip_space();
      if (!value(out, depth + 1)) return false;
      skip_space();
      if (peek() == ']') break;
      if (peek() != ',') return fail("a list is not closed");
      ++at_;
      out.push_back(',');
    }
    ++at_;
    out.push_back(']');
    return true;
  }

  bool object(std::string& out, int depth) {
    std::vector<std::pair<std::string, std::string>> members;
    ++at_;
    skip_space();
    if (peek() == '}') {
      ++at_;
      out += "{}";
      return true;
    }
    while (true) {
      skip_space();
      if (peek() != '"') return fail("a key must be a string");
      auto& [key, text] = members.emplace_back();
      if (!string(key)) return false;
      skip_space();
      if (peek() != ':') return fail("a key has no value");
      ++at_;
      skip_space();
      if (!value(text, depth + 1)) return false;
      skip_space();
      if (peek() == '}') break;
      if (peek() != ',') return fail("an object is not closed");
      ++at_;
    }
    ++at_;
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return utf16_less(a.first, b.first); });
    const auto twice = std::adjacent_find(members.begin(), members.end(),
                                          [](auto& a, auto& b) { return a.first == b.first; });
    if (twice != members.end()) return fail("a key stands twice in an object that ends");
    for (std::size_t i = 0; i < members.size(); ++i) {
      out.push_back(i == 0 ? '{' : ',');
      append_json_string(out, members[i].first);
      out.push_back(':');
      out += members[i].second;
    }
    out.push_back('}');
    return true;
  }

  std::optional<std::uint32_t> hex4() {
    if (at_ + 4 > text_.size()) return std::nullopt;
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text_[at_ + i];
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A') + 10;
      } else {
        return std::nullopt;
      }
      code = code * 16 + digit;
    }
    at_ += 4;
    return code;
  }

  bool unicode_escape(std::string& out) {
    const auto first = hex4();
    if (!first) return fail("an escape is not four hex digits");
    std::uint32_t code = *first;
    if (code >= 0xDC00 && code <= 0xDFFF) return fail("a surrogate is unpaired");
    if (code >= 0xD800 && code <= 0xDBFF) {
      if (text_.substr(at_, 2) != "\\u") return fail("a surrogate is unpaired");
      at_ += 2;
      const auto second = hex4();
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return fail("a surrogate is unpaired");
      code = 0x10000 + ((code - 0xD800) << 10U) + (*second - 0xDC00);
    }
    append_utf8(out, code);
    return true;
  }

  bool string(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<std::uint8_t>(c) < 0x20) return fail("a control character is not escaped");
      if (c != '\\') {
        const std::size_t length = sequence_length(text_, at_);
        if (length == 0) return fail("this is no UTF-8");
        out.append(text_, at_, length);
        at_ += length;
        continue;
      }
      ++at_;
      const char escaped = peek();
      ++at_;
      switch (escaped) {
        case '"':
        case '\\':
        case '/':
          out.push_back(escaped);
          break;
        case 'b':
          out.push_back('\b');
          break;
        case 'f':
          out.push_back('\f');
          break;
        case 'n':
          out.push_back('\n');
          break;
        case 'r':
          out.push_back('\r');
          break;
        case 't':
          out.push_back('\t');
          break;
        case 'u':
          if (!unicode_escape(out)) return false;
          break;
        default:
          return fail("an escape is unknown");
      }
    }
    return fail("a string is not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

namespace {

bool stands_for_itself(char c) {
  return static_cast<std::uint8_t>(c) >= 0x20 && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  static constexpr char digits[] = "0123456789abcdef";
  out.push_back('\\');
  switch (c) {
    case '"':
    case '\\':
      out.push_back(c);
      return;
    case '\b':
      out.push_back('b');
      return;
    case '\f':
      out.push_back('f');
      return;
    case '\n':
      out.push_back('n');
      return;
    case '\r':
      out.push_back('r');
      return;
    case '\t':
      out.push_back('t');
      return;
    default:
      out += "u00";
      out.push_back(digits[static_cast<std::uint8_t>(c) >> 4U]);
      out.push_back(digits[static_cast<std::uint8_t>(c) & 0x0FU]);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (true) {
    const auto* const end = std::find_if_not(text.begin(), text.end(), stands_for_itself);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    out += text.substr(0, plain);
    if (plain == text.size()) break;
    append_escape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out.push_back('"');
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

tl::expected<std::string, std::string> canonical_json(std::string_view text) {
  return Reader(text).whole();
}

}  // namespace leaseproof::engine
