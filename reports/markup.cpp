#include "reports/markup.hpp"

#include <algorithm>
#include <cmath>

#include "reports/escape.hpp"

namespace leaseproof::reports {

namespace {

std::string opening(std::string_view name, const Attributes& attributes) {
  std::string out = "<" + std::string(name);
  for (const auto& [key, value] : attributes) {
    out += " " + std::string(key) + "=\"" + xml_text(value) + "\"";
  }
  return out;
}

bool begins_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::string element(std::string_view name, const Attributes& attributes,
                    const std::string& content) {
  return opening(name, attributes) + ">" + content + "</" + std::string(name) + ">";
}

std::string element(std::string_view name, const Attributes& attributes) {
  return opening(name, attributes) + "/>";
}

std::string svg(std::string_view of_class, double width, double height,
                const std::string& content) {
  return element("svg",
                 {{"class", std::string(of_class)},
                  {"role", "img"},
                  {"xmlns", "http://www.w3.org/2000/svg"},
                  {"width", px(width)},
                  {"height", px(height)},
                  {"viewBox", "0 0 " + px(width) + " " + px(height)}},
                 content);
}

Attributes origin_of(const Figure& one) {
  std::string from;
  for (const Origin& origin : one.from) {
    from += (from.empty() ? "" : " ") + origin.source->id + "#" + fragment(origin.pointer);
  }
  Attributes attributes{{"data-from", std::move(from)}};
  if (one.by != By::itself) attributes.emplace_back("data-by", word(one.by));
  return attributes;
}

std::string marked_up(const Text& text) {
  std::string out;
  for (const Piece& piece : text.pieces) {
    if (const auto* words = std::get_if<std::string>(&piece)) {
      out += xml_text(*words);
    } else {
      const Figure& one = std::get<Figure>(piece);
      out += element("span", origin_of(one), xml_text(one.shown));
    }
  }
  return out;
}

std::string px(double value) {
  const auto tenths = static_cast<long long>(std::llround(value * 10));
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(std::abs(tenths % 10));
  return text;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_a_character));
}

std::vector<std::string> broken(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    // To the end of the last character that fits, or back to the last space before it.
    std::size_t end = begin;
    std::size_t space = std::string::npos;
    for (std::size_t count = 0; end < text.size(); ++end) {
      if (!begins_a_character(text[end])) continue;
      if (text[end] == ' ') space = end;
      if (count++ == width) break;
    }
    const bool at_space = end < text.size() && space != std::string::npos && space > begin;
    const std::size_t cut = at_space ? space : end;
    lines.push_back(text.substr(begin, cut - begin));
    begin = at_space ? cut + 1 : cut;
  }
  return lines;
}

}  // namespace leaseproof::reports
