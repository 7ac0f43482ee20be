#include "scenarios/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace leaseproof::scenarios {

namespace {

struct Character {
  std::size_t bytes = 0;  // 0: no UTF-8 begins here
  std::uint32_t code = 0;
};

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80) return {};
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return {bytes, code};
}

bool is_shown_as_itself(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) {
    return first <= code && code <= last;
  };
  const bool control = code < 0x20 || within(0x7f, 0x9f);
  const bool ends_a_line = within(0x2028, 0x2029);
  const bool turns_direction =
      code == 0x61c || within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069);
  return !control && !ends_a_line && !turns_direction;
}

bool is_plain_in_a_shell(char c) {
  constexpr std::string_view also = "_-./:=@%+,";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         also.find(c) != std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character first = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(first.bytes, 1);
    if (first.bytes == 0 || (first.bytes == 1 && !is_shown_as_itself(first.code))) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (!is_shown_as_itself(first.code)) {
      out += fmt::format("\\u{:04x}", first.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable_json(const Json& value) { return printable(canonical(value)); }

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_in_a_shell)) {
    return std::string(text);
  }
  // What cannot be shown can still be copied, in the form that spells it out.
  const bool spelled = printable(text) != text;
  std::string out = spelled ? "$'" : "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (spelled && (byte < 0x20 || byte >= 0x7f)) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (spelled && (c == '\'' || c == '\\')) {
      out += '\\';
      out += c;
    } else if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace leaseproof::scenarios
