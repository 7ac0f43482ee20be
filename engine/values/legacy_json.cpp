#include "engine/values/legacy_json.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/values/canonical_json.hpp"

namespace leaseproof::engine {
namespace {

class LegacyReader {
 public:
  explicit LegacyReader(std::string_view text) : text_(text) {}

  bool whole() {
    if (!is_valid_utf8(text_)) return fail("the text is no UTF-8");
    return value(0) && ended();
  }
  bool whole_object(std::vector<JsonMember>& members) {
    if (!is_valid_utf8(text_)) return fail("the text is no UTF-8");
    skip_space();
    if (peek() != '{') return fail("this is no JSON object");
    return object(0, &members) && ended();
  }
  [[nodiscard]] std::string why() const { return why_ + " at byte " + std::to_string(at_); }

 private:
  bool fail(const char* what) {
    if (why_.empty()) why_ = what;
    return false;
  }
  bool ended() {
    skip_space();
    return at_ == text_.size() || fail("there is text after the value");
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool literal(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return fail("this is no JSON value");
    at_ += word.size();
    return true;
  }

  bool value(int depth, JsonMember* into = nullptr) {
    if (depth > max_json_depth) return fail("the nesting is too deep");
    skip_space();
    const std::size_t start = at_;
    JsonKind kind = JsonKind::number;
    std::string content;
    bool good = false;
    switch (peek()) {
      case '{':
        kind = JsonKind::object;
        good = object(depth, nullptr);
        break;
      case '[':
        kind = JsonKind::list;
        good = list(depth);
        break;
      case '"':
        kind = JsonKind::string;
        good = string(content);
        break;
      case 't':
      case 'f':
        kind = JsonKind::boolean;
        good = literal(peek() == 't' ? "true" : "false");
        break;
      case 'n':
        kind = JsonKind::null;
        good = literal("null");
        break;
      default:
        good = number();
    }
    if (!good || into == nullptr) return good;
    into->kind = kind;
    into->text = kind == JsonKind::string ? content : text_.substr(start, at_ - start);
    return true;
  }

  bool digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start || fail("this is no JSON value");
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (peek() >= '0' && peek() <= '9') return fail("a number starts with 0");
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  bool list(int depth) {
    ++at_;
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (!value(depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return fail("a list is not closed");
    }
  }

  bool object(int depth, std::vector<JsonMember>* members) {
    std::vector<std::string> keys;
    ++at_;
    skip_space();
    if (take('}')) return true;
    while (true) {
      JsonMember member;
      skip_space();
      if (peek() != '"') return fail("a key must be a string");
      if (!string(member.key)) return false;
      skip_space();
      if (!take(':')) return fail("a key has no value");
      if (!value(depth + 1, members == nullptr ? nullptr : &member)) return false;
      keys.push_back(member.key);
      if (members != nullptr) members->push_back(std::move(member));
      skip_space();
      if (take('}')) break;
      if (!take(',')) return fail("an object is not closed");
    }
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) == keys.end()) return true;
    return fail("a key stands twice in an object that ends");
  }

  // Whether four hex digits follow; `code` is what they say.
  bool hex4(std::uint32_t& code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      static constexpr std::string_view hex = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = hex.find(peek());
      if (digit == std::string_view::npos) return fail("an escape is not four hex digits");
      code = code * 16 + static_cast<std::uint32_t>(digit % 16);
    }
    return true;
  }
  bool unicode_escape(std::string& out) {
    std::uint32_t code = 0;
    if (!hex4(code)) return false;
    if (code >= 0xD800 && code <= 0xDFFF) {
      std::uint32_t low = 0;
      if (code >= 0xDC00 || !take('\\') || !take('u') || !hex4(low) || low < 0xDC00 ||
          low > 0xDFFF) {
        return fail("a surrogate is unpaired");
      }
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
      push(code);
    } else if (code < 0x800) {
      push(0xC0U | (code >> 6U));
    } else if (code < 0x10000) {
      push(0xE0U | (code >> 12U));
    } else {
      push(0xF0U | (code >> 18U));
      push(0x80U | ((code >> 12U) & 0x3FU));
    }
    if (code >= 0x800) push(0x80U | ((code >> 6U) & 0x3FU));
    if (code >= 0x80) push(0x80U | (code & 0x3FU));
    return true;
  }
  bool string(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<std::uint8_t>(c) < 0x20) return fail("a control character is not escaped");
      if (c != '\\') {
        out.push_back(c);
        continue;
      }
      static constexpr std::string_view escapes = "\"\\/bfnrt";
      static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
      const std::size_t escape =
          at_ < text_.size() ? escapes.find(text_[at_]) : std::string_view::npos;
      if (escape != std::string_view::npos) {
        out.push_back(meanings[escape]);
        ++at_;
      } else if (!take('u')) {
        return fail("an escape is unknown");
      } else if (!unicode_escape(out)) {
        return false;
      }
    }
    return fail("a string is not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

bool is_json(std::string_view text) { return LegacyReader(text).whole(); }

tl::expected<std::vector<JsonMember>, std::string> json_members(std::string_view text) {
  std::vector<JsonMember> members;
  LegacyReader reader(text);
  if (!reader.whole_object(members)) return tl::unexpected(reader.why());
  return members;
}

}  // namespace leaseproof::engine
