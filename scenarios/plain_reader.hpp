// Reads one object of plain JSON field by field: what `Reader` is for a journal of millions of
// rows.
//
// Promise: the same calls as `Reader`, so that one list of fields serves both, and the same values.
// Where `Reader` would refuse, and wherever this one knows less, it throws `NotPlain`, which says
// no more: whoever catches it reads the row again with `Reader`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/shared_map.hpp"
#include "model/words.hpp"
#include "properties/step.hpp"
#include "scenarios/plain_json.hpp"

namespace leaseproof::scenarios {

struct NotPlain {};

class PlainReader {
 public:
  static constexpr bool reading = true;

  using Node = PlainJson::Node;

  // A place that can be refused, as `Reader::at` gives one.
  struct Place {
    [[noreturn]] static void refuse(std::string_view /*why*/) { throw NotPlain(); }
  };

  PlainReader(PlainJson& json, std::size_t object, const properties::Config& config)
      : json_(json), object_(object), at_(object + 1), config_(config) {
    expect(object, PlainJson::Kind::object);
  }

  [[nodiscard]] const properties::Config& config() const { return config_; }
  [[nodiscard]] static Place at(std::string_view /*key*/) { return {}; }
  [[nodiscard]] bool has(std::string_view key) const { return place_of(key) != 0; }

  // The next `must` for this key finds nothing, and takes that for the default.
  void let_lack(std::string_view key) { lacks_ = key; }

  template <class T>
  void must(std::string_view key, T& value) {
    if (key == lacks_) {
      lacks_ = {};
      value = T();
    } else {
      get(require(key), value);
    }
  }
  template <class T>
  void may(std::string_view key, T& value, const T& otherwise) {
    if (const std::size_t place = find(key)) {
      get(place, value);
    } else {
      value = otherwise;
    }
  }
  template <class T>
  void may(std::string_view key, std::optional<T>& value) {
    if (const std::size_t place = find(key)) get(place, value.emplace());
  }

  // A JSON value that is kept as canonical text.
  void must_json(std::string_view key, std::string& text) { text = canonical_at(require(key)); }
  void may_json(std::string_view key, std::string& text, std::string_view otherwise) {
    const std::size_t place = find(key);
    text = place != 0 ? canonical_at(place) : otherwise;
  }
  void may_json(std::string_view key, std::optional<std::string>& text) {
    if (const std::size_t place = find(key)) text = canonical_at(place);
  }

  template <class T>
  void must_list(std::string_view key, std::vector<T>& list) {
    list_at(require(key), list);
  }
  template <class T>
  void may_list(std::string_view key, std::vector<T>& list) {
    if (const std::size_t place = find(key)) list_at(place, list);
  }

  // An object of its own, read whole.
  template <class Read>
  void inside(std::string_view key, Read read) {
    inside(require(key), read);
  }
  // A list whose items are texts or objects: either is read by its own function.
  template <class Text, class Object>
  void each_text_or_object(std::string_view key, std::string_view /*what*/, Text text,
                           Object object) {
    const std::size_t list = find(key);
    if (list == 0) return;
    expect(list, PlainJson::Kind::list);
    for (std::size_t place = list + 1; place < node(list).next; place = node(place).next) {
      if (node(place).kind == PlainJson::Kind::text) {
        text(text_of(node(place)));
      } else {
        inside(place, object);
      }
    }
  }
  // A text, or an object for which its canonical form stands.
  void must_text_or_object(std::string_view key, std::string& value) {
    const std::size_t place = require(key);
    if (node(place).kind == PlainJson::Kind::object) {
      value = canonical_at(place);
    } else {
      get(place, value);
    }
  }

  // Refuses what is left over.
  void end() const {
    if (!lacks_.empty()) throw NotPlain();
    for (std::size_t place = object_ + 1; place < node(object_).next; place = node(place).next) {
      if (!node(place).is_taken) throw NotPlain();
    }
  }

 private:
  [[nodiscard]] const Node& node(std::size_t place) const { return json_.node(place); }
  void expect(std::size_t place, PlainJson::Kind kind) const {
    if (node(place).kind != kind) throw NotPlain();
  }

  // 0: there is none, since no member stands at the start of the whole. Fields are mostly asked for
  // in the order in which they stand.
  [[nodiscard]] std::size_t place_of(std::string_view key) const {
    const std::size_t end = node(object_).next;
    for (std::size_t place = at_; place < end; place = node(place).next) {
      if (model::is_same_key(node(place).name, key)) return place;
    }
    for (std::size_t place = object_ + 1; place < at_; place = node(place).next) {
      if (model::is_same_key(node(place).name, key)) return place;
    }
    return 0;
  }
  std::size_t find(std::string_view key) {
    const std::size_t place = place_of(key);
    if (place == 0) return 0;
    json_.take(place);
    at_ = node(place).next;
    return place;
  }
  std::size_t require(std::string_view key) {
    const std::size_t place = find(key);
    if (place == 0) throw NotPlain();
    return place;
  }

  template <class Read>
  void inside(std::size_t place, Read& read) {
    PlainReader inner(json_, place, config_);
    read(inner);
    inner.end();
  }

  [[nodiscard]] std::string_view canonical_at(std::size_t place) const {
    if (!node(place).is_canonical) throw NotPlain();
    return node(place).written;
  }
  void get(std::size_t place, std::string& value) const {
    expect(place, PlainJson::Kind::text);
    value = text_of(node(place));
  }
  void get(std::size_t place, std::int64_t& value) const {
    expect(place, PlainJson::Kind::integer);
    value = node(place).number;
  }
  void get(std::size_t place, bool& value) const {
    expect(place, PlainJson::Kind::boolean);
    value = node(place).written == "true";
  }
  template <class E>
  requires std::is_enum_v<E>
  void get(std::size_t place, E& value) const {
    expect(place, PlainJson::Kind::text);
    // A word has no escapes: its quotes are all that does not belong to it.
    const std::string_view written = node(place).written;
    const auto word = model::from_word<E>(written.substr(1, written.size() - 2));
    if (!word) throw NotPlain();
    value = *word;
  }
  template <class T>
  requires std::is_class_v<T>
  void get(std::size_t place, T& value) const {
    PlainReader reader(json_, place, config_);
    fields(reader, value);
    reader.end();
  }
  template <class T>
  void list_at(std::size_t list, std::vector<T>& items) const {
    expect(list, PlainJson::Kind::list);
    items.clear();
    for (std::size_t place = list + 1; place < node(list).next; place = node(place).next) {
      get(place, items.emplace_back());
    }
  }

  PlainJson& json_;
  std::size_t object_;
  std::size_t at_;          // where the next field is looked for first
  std::string_view lacks_;  // what `let_lack` said
  const properties::Config& config_;
};

}  // namespace leaseproof::scenarios
