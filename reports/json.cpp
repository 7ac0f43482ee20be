#include "reports/json.hpp"

namespace leaseproof::reports {

std::string stair(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string last_key(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  if (slash == std::string_view::npos) return {};
  std::string out;
  for (std::size_t i = slash + 1; i < pointer.size(); ++i) {
    if (pointer[i] != '~' || i + 1 == pointer.size()) {
      out += pointer[i];
    } else {
      out += pointer[++i] == '1' ? '/' : '~';
    }
  }
  return out;
}

std::string fragment(std::string_view pointer) {
  constexpr std::string_view plain = "-._~/!$()*+,;=:@";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : pointer) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

}  // namespace leaseproof::reports
