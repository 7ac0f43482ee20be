#include "reports/place.hpp"

#include <cstdio>
#include <cstdlib>

namespace leaseproof::reports {

namespace {
[[noreturn]] void missing(const Source& source, const std::string& pointer) {
  std::fprintf(stderr, "reports: %s has no %s, which its schema promised\n", source.file.c_str(),
               pointer.c_str());
  std::abort();
}
}  // namespace

Place Place::operator/(std::string_view key) const {
  std::string pointer = pointer_ + "/" + stair(key);
  const auto found = value_->is_object() ? value_->find(std::string(key)) : value_->end();
  if (found == value_->end()) missing(*source_, pointer);
  return {*source_, std::move(pointer), *found};
}

Place Place::operator[](std::size_t index) const {
  std::string pointer = pointer_ + "/" + std::to_string(index);
  if (!value_->is_array() || index >= value_->size()) missing(*source_, pointer);
  return {*source_, std::move(pointer), (*value_)[index]};
}

bool Place::has(std::string_view key) const {
  return value_->is_object() && value_->contains(std::string(key));
}

std::vector<Place> Place::members() const {
  std::vector<Place> all;
  if (value_->is_array()) {
    for (std::size_t i = 0; i < value_->size(); ++i) all.push_back((*this)[i]);
  } else if (value_->is_object()) {
    for (const auto& item : value_->items()) all.push_back(*this / item.key());
  }
  return all;
}

std::int64_t Place::number() const {
  if (value_->is_boolean()) return value_->get<bool>() ? 1 : 0;
  return value_->get<std::int64_t>();
}

}  // namespace leaseproof::reports
