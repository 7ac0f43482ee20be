// How long many calls took: every one is counted, none is kept.
//
// Promise: memory is fixed, whatever is recorded. A percentile is never below the sorted values'
// own, and above it by less than 1/128 of it; values below 256 and the largest one are exact. The
// merge of parts is the histogram of all, in whatever order they are merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leaseproof::bench {

class Histogram {
 public:
  // In any unit; the benches record nanoseconds.
  void record(std::uint64_t value);
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // 0 while nothing is recorded.
  [[nodiscard]] std::uint64_t max() const { return max_; }
  // The value at rank ⌈per_mille · count / 1000⌉, from 1 on, of all values in order; `per_mille` is
  // in 1 … 1000. 0 while nothing is recorded.
  [[nodiscard]] std::uint64_t at(std::uint64_t per_mille) const;

  bool operator==(const Histogram&) const = default;

 private:
  // Values below 2^(bits + 1) have a bucket each; from there on each doubling has 2^bits of them.
  static constexpr unsigned bits = 7;
  static constexpr std::size_t each = std::size_t{1} << bits;
  static constexpr std::size_t bucket_count = each * (64 - bits + 1);
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t largest_in(std::size_t bucket);

  std::array<std::uint64_t, bucket_count> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace leaseproof::bench
