// Reads one JSON object field by field, strictly.
//
// Promise: a key that nobody asked for, a missing key, a wrong type or an unknown word ends the
// reading with `Refused`, whose text is one line that names step and key and says how to mend it.
// `Refused` never leaves this folder: the codec turns it into an error value.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/words.hpp"
#include "properties/step.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

struct Refused {
  std::string text;
};

// Where a value stands; a chain on the stack, so that reading a good file builds no text.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::optional<std::size_t> index;

  [[nodiscard]] std::string text() const;
  [[noreturn]] void refuse(std::string_view why) const;
};

// "'leese' is unknown; did you mean 'lease'?", or the list when nothing is near.
std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string_view>& known);
std::string_view type_name(const Json& value);

template <class E>
E word_or_refuse(const Place& place, std::string_view text) {
  if (const auto value = model::from_word<E>(text)) return *value;
  const auto& all = model::Words<E>::all;
  place.refuse(unknown_word("word", text, {all.begin(), all.end()}));
}

class Reader {
 public:
  static constexpr bool reading = true;

  Reader(const Json& value, const Place& place, const properties::Config& config);

  [[nodiscard]] const properties::Config& config() const { return config_; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] bool has(std::string_view key) { return find(key) != nullptr; }
  [[nodiscard]] Place at(std::string_view key) const { return {&place_, key, std::nullopt}; }

  template <class T>
  void must(std::string_view key, T& value) {
    get(require(key), at(key), value);
  }
  template <class T>
  void may(std::string_view key, T& value, const T& otherwise) {
    if (const Json* json = find(key)) {
      get(*json, at(key), value);
    } else {
      value = otherwise;
    }
  }
  template <class T>
  void may(std::string_view key, std::optional<T>& value) {
    if (const Json* json = find(key)) get(*json, at(key), value.emplace());
  }

  // A JSON value that is kept as canonical text.
  void must_json(std::string_view key, std::string& text) { text = canonical(require(key)); }
  void may_json(std::string_view key, std::string& text, std::string_view otherwise) {
    const Json* json = find(key);
    text = json != nullptr ? canonical(*json) : std::string(otherwise);
  }
  void may_json(std::string_view key, std::optional<std::string>& text) {
    if (const Json* json = find(key)) text = canonical(*json);
  }

  template <class T>
  void must_list(std::string_view key, std::vector<T>& list) {
    list_of(require(key), key, list);
  }
  template <class T>
  void may_list(std::string_view key, std::vector<T>& list) {
    if (const Json* json = find(key)) list_of(*json, key, list);
  }

  // An object of its own, read whole.
  template <class Read>
  void inside(std::string_view key, Read read) {
    const Place place = at(key);
    inside(require(key), place, read);
  }
  // A list whose items are texts or objects, each read by its own function; `what` says so to
  // whoever wrote something else.
  template <class Text, class Object>
  void each_text_or_object(std::string_view key, std::string_view what, Text text, Object object) {
    const Json* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array()) {
      at(key).refuse(fmt::format("must be a list, but is {}", type_name(*list)));
    }
    for (const Json& item : *list) {
      const Place place{&place_, key, static_cast<std::size_t>(&item - &list->front())};
      if (item.is_string()) {
        text(item.get_ref<const std::string&>());
      } else {
        if (!item.is_object()) place.refuse(what);
        inside(item, place, object);
      }
    }
  }

  [[nodiscard]] const Json* find(std::string_view key);
  const Json& require(std::string_view key);
  // Refuses what is left over. Not in a destructor, since it may throw.
  void end() const;

 private:
  template <class Read>
  void inside(const Json& json, const Place& place, Read& read) {
    Reader inner(json, place, config_);
    read(inner);
    inner.end();
  }
  static void get(const Json& json, const Place& place, std::string& value);
  static void get(const Json& json, const Place& place, std::int64_t& value);
  static void get(const Json& json, const Place& place, bool& value);
  template <class E>
  requires std::is_enum_v<E>
  static void get(const Json& json, const Place& place, E& value) {
    std::string text;
    get(json, place, text);
    value = word_or_refuse<E>(place, text);
  }
  // A struct is read by its `fields`, found where the struct's codec is declared.
  template <class T>
  requires std::is_class_v<T>
  void get(const Json& json, const Place& place, T& value) const {
    Reader reader(json, place, config_);
    fields(reader, value);
    reader.end();
  }

  template <class T>
  void list_of(const Json& json, std::string_view key, std::vector<T>& list) const {
    if (!json.is_array()) {
      at(key).refuse(fmt::format("must be a list, but is {}", type_name(json)));
    }
    list.clear();
    list.reserve(json.size());
    for (const Json& item : json) {
      const Place place{&place_, key, list.size()};
      get(item, place, list.emplace_back());
    }
  }

  const Json& object_;
  const Place& place_;
  const properties::Config& config_;
  std::vector<std::string_view> asked_;
};

}  // namespace leaseproof::scenarios
