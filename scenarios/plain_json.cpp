#include "scenarios/plain_json.hpp"

#include <array>
#include <utility>

namespace leaseproof::scenarios {

namespace {

using Byte = unsigned char;

// Bytes that stand for themselves within a text.
constexpr std::array<bool, 256> make_ordinary() {
  std::array<bool, 256> ordinary{};
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) ordinary[byte] = byte != '"' && byte != '\\';
  return ordinary;
}
constexpr std::array<bool, 256> ordinary = make_ordinary();

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_between(char c, unsigned low, unsigned high) {
  return static_cast<Byte>(c) >= low && static_cast<Byte>(c) <= high;
}

// How many bytes the character of more than one byte at the start of `text` has; 0: it is none
// (Unicode, table 3-7).
std::size_t length_of_character(std::string_view text) {
  const auto lead = static_cast<Byte>(text[0]);
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || text.size() < length) return 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!is_between(text[1], low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_between(text[i], 0x80, 0xBF)) return 0;
  }
  return length;
}

// Most names differ in their first letter.
bool is_before(std::string_view a, std::string_view b) {
  if (!a.empty() && !b.empty() && a.front() != b.front()) return a.front() < b.front();
  return a < b;
}

// The character that an escape stands for; 0: it is none, or another one. A canonical text escapes
// none of those that need not be.
char escaped(char letter) {
  switch (letter) {
    case '"':
    case '\\':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace

class PlainScanner {
 public:
  PlainScanner(std::string_view text, std::vector<PlainJson::Node>& nodes)
      : text_(text), nodes_(nodes) {}

  bool read_all() { return read_value({}, 0) && at_ == text_.size(); }

 private:
  using Kind = PlainJson::Kind;

  [[nodiscard]] bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool pass(char c) {
    if (!is_at(c)) return false;
    ++at_;
    return true;
  }
  bool pass(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool read_value(std::string_view name, std::size_t depth) {
    const std::size_t place = nodes_.size();
    const std::size_t begin = at_;
    nodes_.emplace_back().name = name;
    if (!read_inside(place, depth)) return false;
    PlainJson::Node& node = nodes_[place];
    node.written = text_.substr(begin, at_ - begin);
    node.next = static_cast<std::uint32_t>(nodes_.size());
    return true;
  }

  bool read_inside(std::size_t place, std::size_t depth) {
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return read_object(place, depth);
      case '[':
        return read_list(place, depth);
      case '"':
        nodes_[place].kind = Kind::text;
        return read_text(nodes_[place].has_escapes);
      case 't':
        nodes_[place].kind = Kind::boolean;
        return pass("true");
      case 'f':
        nodes_[place].kind = Kind::boolean;
        return pass("false");
      case 'n':
        return pass("null");
      default:
        nodes_[place].kind = Kind::integer;
        return read_integer(nodes_[place].number);
    }
  }

  bool read_object(std::size_t place, std::size_t depth) {
    nodes_[place].kind = Kind::object;
    ++at_;
    if (pass('}')) return true;
    if (depth == PlainJson::max_depth) return false;
    std::string_view last;
    bool is_first = true;
    do {
      const std::size_t begin = at_ + 1;
      if (!is_at('"') || !read_name()) return false;
      const std::string_view name = text_.substr(begin, at_ - begin - 1);
      if (!is_first && !is_before(last, name)) nodes_[place].is_canonical = false;
      is_first = false;
      last = name;
      if (!pass(':') || !read_held(place, name, depth)) return false;
    } while (pass(','));
    return pass('}');
  }

  bool read_list(std::size_t place, std::size_t depth) {
    nodes_[place].kind = Kind::list;
    ++at_;
    if (pass(']')) return true;
    if (depth == PlainJson::max_depth) return false;
    do {
      if (!read_held(place, {}, depth)) return false;
    } while (pass(','));
    return pass(']');
  }

  bool read_held(std::size_t holder, std::string_view name, std::size_t depth) {
    const std::size_t place = nodes_.size();
    if (!read_value(name, depth + 1)) return false;
    if (!nodes_[place].is_canonical) nodes_[holder].is_canonical = false;
    return true;
  }

  bool read_name() {
    do ++at_;
    while (at_ < text_.size() && ordinary[static_cast<Byte>(text_[at_])]);
    return pass('"');
  }

  bool read_text(bool& has_escapes) {
    ++at_;
    for (;;) {
      while (at_ < text_.size() && ordinary[static_cast<Byte>(text_[at_])]) ++at_;
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        if (at_ + 1 == text_.size() || escaped(text_[at_ + 1]) == 0) return false;
        has_escapes = true;
        at_ += 2;
        continue;
      }
      const std::size_t length =
          static_cast<Byte>(c) < 0x80 ? 0 : length_of_character(text_.substr(at_));
      if (length == 0) return false;
      at_ += length;
    }
    ++at_;
    return true;
  }

  bool read_integer(std::int64_t& number) {
    constexpr std::size_t most = 18;
    const bool is_negative = pass('-');
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      if (at_ - begin == most) return false;
      number = 10 * number + (text_[at_++] - '0');
    }
    if (at_ == begin) return false;
    // Neither 007 nor -0.
    if (text_[begin] == '0' && (at_ - begin > 1 || is_negative)) return false;
    if (is_negative) number = -number;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<PlainJson::Node>& nodes_;
};

std::optional<PlainJson> PlainJson::read(std::string_view text) {
  std::optional<PlainJson> json{PlainJson()};
  constexpr std::size_t bytes_each = 16;
  json->nodes_.reserve(text.size() / bytes_each + 4);
  if (!PlainScanner(text, json->nodes_).read_all()) return std::nullopt;
  return json;
}

std::string text_of(const PlainJson::Node& text) {
  const std::string_view inner = text.written.substr(1, text.written.size() - 2);
  if (!text.has_escapes) return std::string(inner);
  std::string said;
  said.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    said += inner[i] == '\\' ? escaped(inner[++i]) : inner[i];
  }
  return said;
}

}  // namespace leaseproof::scenarios
