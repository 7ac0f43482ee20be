#include "scenarios/lab/credential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace leaseproof::scenarios::lab {

namespace {

constexpr std::size_t shortest_key = 8;
constexpr std::size_t longest_key = 4096;

std::string_view key_that_is_set() {
  const char* key = std::getenv(key_variable);
  return key != nullptr ? key : "";
}

}  // namespace

tl::expected<std::string, std::string> read_key() {
  const std::string_view key = key_that_is_set();
  if (key.empty()) {
    return tl::unexpected(
        fmt::format("{} is not set; set it to the key of the job's endpoint", key_variable));
  }
  const bool visible =
      std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!visible || key.size() < shortest_key || key.size() > longest_key) {
    return tl::unexpected(fmt::format(
        "{} is no key: it must be {} to {} visible ASCII characters without blanks or line ends",
        key_variable, shortest_key, longest_key));
  }
  return std::string(key);
}

bool holds_key(std::initializer_list<std::string_view> texts) {
  const std::string_view key = key_that_is_set();
  if (key.size() < shortest_key) return false;
  return std::any_of(texts.begin(), texts.end(), [key](std::string_view text) {
    return text.find(key) != std::string_view::npos;
  });
}

}  // namespace leaseproof::scenarios::lab
