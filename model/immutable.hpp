// A value that never changes after it was made, shared between copies of what holds it.
//
// Promise: behaves as the value itself (`==` compares values, a copy can never be told from the
// original), but a copy costs a reference count. A state is copied for each step of a search, and
// what was asked for is the largest part of it.
#pragma once

#include <memory>
#include <utility>

namespace leaseproof::model {

template <class T>
class Immutable {
 public:
  Immutable() : value_(std::make_shared<const T>()) {}
  explicit Immutable(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Immutable& other) const {
    return value_ == other.value_ || *value_ == *other.value_;
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace leaseproof::model
