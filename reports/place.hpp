// A value in a result file: which file, where in it.
//
// Promise: whoever holds a value can say where it stands. Asking for what is not there is a mistake
// of the asker, since files were judged by the schema before: it aborts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json.hpp"

namespace leaseproof::reports {

// A result.json that was read and found to be one.
struct Source {
  std::string id;    // "A", "B", … "AA", in the order of their files
  std::string file;  // as it is named to people
  std::string folder;
  Json document;
};

// Refers to its source, which must outlive it.
class Place {
 public:
  explicit Place(const Source& source) : source_(&source), value_(&source.document) {}

  [[nodiscard]] Place operator/(std::string_view key) const;
  [[nodiscard]] Place operator[](std::size_t index) const;
  // An object that has this key.
  [[nodiscard]] bool has(std::string_view key) const;
  // Of an object by key, of a list in its order.
  [[nodiscard]] std::vector<Place> members() const;

  [[nodiscard]] const Source& source() const { return *source_; }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] const Json& value() const { return *value_; }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] std::string text() const { return value_->get<std::string>(); }
  // Of a whole number or a truth value.
  [[nodiscard]] std::int64_t number() const;
  // The key under which it stands.
  [[nodiscard]] std::string key() const { return last_key(pointer_); }

 private:
  Place(const Source& source, std::string pointer, const Json& value)
      : source_(&source), pointer_(std::move(pointer)), value_(&value) {}

  const Source* source_;
  std::string pointer_;
  const Json* value_;
};

}  // namespace leaseproof::reports
