// Writes one JSON object field by field: the mirror of `Reader`, so that one list of fields serves
// both ways.
//
// Promise: same value, same bytes; fields that equal their default are left out unless they are
// asked for; keys stand in the order in which a reader of the file wants to meet them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/words.hpp"
#include "properties/step.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

// A file is read by us, who know the defaults; a program of somebody else does not.
enum class Defaults : std::uint8_t { left_out, written };

class Writer {
 public:
  static constexpr bool reading = false;

  Writer(std::string& out, const properties::Config& config, Defaults defaults = Defaults::left_out)
      : out_(out), config_(config), defaults_(defaults) {
    out_ += '{';
  }
  [[nodiscard]] const properties::Config& config() const { return config_; }

  template <class T>
  void must(std::string_view key, const T& value) {
    name(key);
    put(value);
  }
  template <class T>
  void may(std::string_view key, const T& value, const T& otherwise) {
    if (value != otherwise || defaults_ == Defaults::written) must(key, value);
  }
  template <class T>
  void may(std::string_view key, const std::optional<T>& value) {
    if (value) must(key, *value);
  }

  // The text is JSON already.
  void must_json(std::string_view key, std::string_view text) {
    name(key);
    out_ += text;
  }
  void may_json(std::string_view key, std::string_view text, std::string_view otherwise) {
    if (text != otherwise || defaults_ == Defaults::written) must_json(key, text);
  }
  void may_json(std::string_view key, const std::optional<std::string>& text) {
    if (text) must_json(key, *text);
  }

  template <class T>
  void must_list(std::string_view key, const std::vector<T>& list) {
    name(key);
    out_ += '[';
    for (const T& item : list) {
      if (&item != list.data()) out_ += ", ";
      put(item);
    }
    out_ += ']';
  }
  template <class T>
  void may_list(std::string_view key, const std::vector<T>& list) {
    if (!list.empty()) must_list(key, list);
  }

  void end() { out_ += '}'; }

 private:
  void name(std::string_view key) {
    if (out_.back() != '{') out_ += ", ";
    write_string(out_, key);
    out_ += ": ";
  }
  void put(std::string_view value) { write_string(out_, value); }
  void put(const std::string& value) { write_string(out_, value); }
  void put(std::int64_t value) { out_ += std::to_string(value); }
  void put(bool value) { out_ += value ? "true" : "false"; }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) { write_string(out_, model::word(value)); }
  // `fields` takes a value that it could also fill; here it only looks.
  template <class T>
  requires std::is_class_v<T>
  void put(const T& value) {
    T copy = value;
    write_object(copy);
  }
  template <class T>
  void write_object(T& value) {
    Writer writer(out_, config_, defaults_);
    fields(writer, value);
    writer.end();
  }

  std::string& out_;
  const properties::Config& config_;
  const Defaults defaults_;
};

}  // namespace leaseproof::scenarios
