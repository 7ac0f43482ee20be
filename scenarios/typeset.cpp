#include "scenarios/typeset.hpp"

#include <algorithm>

namespace leaseproof::scenarios {

namespace {

bool begins_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// How many bytes the first `width` columns take.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (begins_a_character(text[at]) && width-- == 0) break;
    ++at;
  }
  return at;
}

// The last space up to `end` at which a line may be broken, better or worse.
std::size_t last_break(std::string_view text, std::size_t end) {
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t last = text.rfind(' ', end);
  const auto breaks = [begin](std::size_t at) {
    return at != std::string_view::npos && at > begin;
  };
  for (std::size_t at = last; breaks(at); at = text.rfind(' ', at - 1)) {
    const std::string_view word = text.substr(at + 1, text.find(' ', at + 1) - at - 1);
    const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (number || columns(word) > 2) return at;
  }
  return breaks(last) ? last : std::string_view::npos;
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_a_character));
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string shortened(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  return std::string(text.substr(0, bytes_of(text, width == 0 ? 0 : width - 1))) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  std::string begin;
  do {
    const std::size_t room = std::max(width, begin.size() + 8) - begin.size();
    std::size_t end = bytes_of(text, room);
    std::size_t next = end;
    if (end < text.size()) {
      const std::size_t space = last_break(text, end);
      if (space != std::string_view::npos) end = next = space;
    }
    while (next < text.size() && text[next] == ' ') ++next;
    std::string line = begin + std::string(text.substr(0, end));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    lines.push_back(std::move(line));
    text.remove_prefix(next);
    begin.assign(indent, ' ');
  } while (!text.empty());
  return lines;
}

}  // namespace leaseproof::scenarios
