// Elements of a page that is well-formed XML, with the attributes and the text that they hold.
//
// Promise: reads what reports write; text is without markup, and entities are what they stand for.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace leaseproof::reports {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<std::string> inside;  // names of the elements around it, from the outermost
  std::string text;                 // of all that is in it
  std::string bare;                 // the same without what figures in it hold
};

inline std::string without_entities(const std::string& text) {
  static const std::map<std::string, char> known{
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text.find(';', i);
    const auto found = text[i] == '&' && end != std::string::npos
                           ? known.find(text.substr(i + 1, end - i - 1))
                           : known.end();
    if (found == known.end()) {
      out += text[i];
    } else {
      out += found->second;
      i = end;
    }
  }
  return out;
}

inline std::map<std::string, std::string> attributes_of(const std::string& tag) {
  std::map<std::string, std::string> all;
  for (std::size_t at = tag.find("=\""); at != std::string::npos; at = tag.find("=\"", at)) {
    const std::size_t begin = tag.rfind(' ', at) + 1;
    const std::size_t end = tag.find('"', at + 2);
    all[tag.substr(begin, at - begin)] = without_entities(tag.substr(at + 2, end - at - 2));
    at = end + 1;
  }
  return all;
}

// In the order in which they end.
inline std::vector<Element> elements_of(const std::string& page) {
  std::vector<Element> all;
  std::vector<Element> open;
  std::size_t at = 0;
  const auto say = [&](const std::string& text) {
    bool of_a_figure = false;
    for (auto one = open.rbegin(); one != open.rend(); ++one) {
      one->text += text;
      if (!of_a_figure) one->bare += text;
      of_a_figure = of_a_figure || one->attributes.contains("data-from");
    }
  };
  while (at < page.size()) {
    if (page[at] != '<') {
      const std::size_t end = std::min(page.find('<', at), page.size());
      say(without_entities(page.substr(at, end - at)));
      at = end;
      continue;
    }
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("!") || tag.starts_with("?")) continue;
    if (tag.starts_with("/")) {
      if (open.empty()) continue;
      all.push_back(open.back());
      open.pop_back();
      continue;
    }
    Element one;
    one.name = tag.substr(0, tag.find_first_of(" /"));
    one.attributes = attributes_of(tag);
    for (const Element& around : open) one.inside.push_back(around.name);
    if (tag.ends_with("/")) {
      all.push_back(std::move(one));
    } else {
      open.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace leaseproof::reports
