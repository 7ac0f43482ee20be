#include "scenarios/reader.hpp"

#include <fmt/ranges.h>

#include <numeric>

namespace leaseproof::scenarios {

std::string Place::text() const {
  std::vector<PlaceItem> way;
  for (const Place* place = this; place != nullptr; place = place->parent) {
    if (!place->key.empty() || place->index) {
      way.push_back({std::string(place->key), place->index});
    }
  }
  std::reverse(way.begin(), way.end());
  return place_text(way);
}

void Place::refuse(std::string_view why) const {
  const std::string where = text();
  throw Refused{where.empty() ? std::string(why) : fmt::format("{}: {}", where, why)};
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

// What is quoted from a file stays on one line of sane length.
std::string quoted(std::string_view text) {
  std::size_t longest = 60;
  while (longest > 0 && text.size() > longest && (text[longest] & 0xC0) == 0x80) --longest;
  std::string out;
  write_string(out, text.substr(0, longest));
  out.front() = '\'';
  out.back() = '\'';
  if (text.size() > longest) out.insert(out.size() - 1, "…");
  return out;
}
}  // namespace

std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t best = 3;
  if (word.size() < 60) {
    for (const std::string_view candidate : known) {
      const std::size_t distance = edit_distance(word, candidate);
      if (distance < best && distance < candidate.size()) {
        best = distance;
        nearest = candidate;
      }
    }
  }
  if (!nearest.empty()) {
    return fmt::format("unknown {} {}; did you mean '{}'?", what, quoted(word), nearest);
  }
  return fmt::format("unknown {} {}; known: {}", what, quoted(word), fmt::join(known, ", "));
}

std::string_view type_name(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "true or false";
  if (value.is_string()) return "a text";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return "a number";
}

Reader::Reader(const Json& value, const Place& place, const properties::Config& config)
    : object_(value), place_(place), config_(config) {
  if (!value.is_object())
    place.refuse(fmt::format("must be an object, but is {}", type_name(value)));
}

const Json* Reader::find(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const Json& Reader::require(std::string_view key) {
  const Json* json = find(key);
  if (json != nullptr) return *json;
  for (const auto& member : object_.items()) {
    if (member.key().size() < 60 && edit_distance(member.key(), key) <= 2) {
      at(key).refuse(fmt::format("is missing; '{}' is near, but unknown", member.key()));
    }
  }
  at(key).refuse("is missing; add it");
}

void Reader::end() const {
  for (const auto& member : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), member.key()) == asked_.end()) {
      place_.refuse(unknown_word("key", member.key(), asked_));
    }
  }
}

void Reader::get(const Json& json, const Place& place, std::string& value) {
  if (!json.is_string()) place.refuse(fmt::format("must be a text, but is {}", type_name(json)));
  value = json.get_ref<const std::string&>();
}

void Reader::get(const Json& json, const Place& place, std::int64_t& value) {
  if (const auto number = as_int64(json)) {
    value = *number;
    return;
  }
  if (is_raw(json) || json.is_number()) place.refuse("is past 64 bits; write a smaller number");
  place.refuse(fmt::format("must be an integer, but is {}", type_name(json)));
}

void Reader::get(const Json& json, const Place& place, bool& value) {
  if (!json.is_boolean()) {
    place.refuse(fmt::format("must be true or false, but is {}", type_name(json)));
  }
  value = json.get<bool>();
}

}  // namespace leaseproof::scenarios
