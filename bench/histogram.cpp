#include "bench/histogram.hpp"

#include <algorithm>
#include <bit>

namespace leaseproof::bench {

std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < 2 * each) return static_cast<std::size_t>(value);
  const auto doublings = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
  return doublings * each + static_cast<std::size_t>(value >> doublings);
}

std::uint64_t Histogram::largest_in(std::size_t bucket) {
  if (bucket < 2 * each) return bucket;
  const std::size_t doublings = bucket / each - 1;
  const std::uint64_t first = bucket - doublings * each;
  // Of the last bucket this is 2^64, and the subtraction brings it back.
  return ((first + 1) << doublings) - 1;
}

void Histogram::record(std::uint64_t value) {
  ++buckets_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::uint64_t Histogram::at(std::uint64_t per_mille) const {
  // In two parts, so that no count is too large for the product.
  const std::uint64_t rank = count_ / 1000 * per_mille + (count_ % 1000 * per_mille + 999) / 1000;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0) return std::min(largest_in(i), max_);
  }
  return max_;
}

}  // namespace leaseproof::bench
