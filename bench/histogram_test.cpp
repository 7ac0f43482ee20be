// Checks the histogram against the sorted values themselves, on drawn values of every size. Does
// not check how fast it is.
#include "bench/histogram.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace leaseproof::bench {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// Of every size alike: a uniform draw would leave the small ones out.
rc::Gen<std::uint64_t> any_value() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0U, 64U)),
                      [](const auto& drawn) { return drawn.first >> drawn.second; });
}
rc::Gen<Values> any_values() { return rc::gen::container<Values>(any_value()); }

Histogram of(const Values& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

Histogram merged(Histogram left, const Histogram& right) {
  left.merge(right);
  return left;
}

std::uint64_t exact(Values values, std::uint64_t per_mille) {
  std::sort(values.begin(), values.end());
  const std::uint64_t rank = (values.size() * per_mille + 999) / 1000;
  return values[rank - 1];
}

TEST(Histogram, a_percentile_is_above_the_sorted_values_own_by_less_than_a_128th) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::nonEmpty(any_values());
    const Histogram histogram = of(values);
    for (const std::uint64_t per_mille : {1U, 500U, 950U, 990U, 999U, 1000U}) {
      const std::uint64_t right = exact(values, per_mille);
      const std::uint64_t told = histogram.at(per_mille);
      RC_ASSERT(told >= right);
      RC_ASSERT(told - right <= right / 128);
    }
  }));
}

TEST(Histogram, count_and_largest_are_exact) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::nonEmpty(any_values());
    const Histogram histogram = of(values);
    RC_ASSERT(histogram.count() == values.size());
    RC_ASSERT(histogram.max() == *std::max_element(values.begin(), values.end()));
    RC_ASSERT(histogram.at(1000) == histogram.max());
  }));
}

TEST(Histogram, the_merge_of_parts_is_the_histogram_of_all) {
  EXPECT_TRUE(rc::check([](std::uint64_t cut) {
    const auto values = *any_values();
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(cut % (values.size() + 1));
    RC_ASSERT(merged(of({values.begin(), at}), of({at, values.end()})) == of(values));
  }));
}

TEST(Histogram, a_merge_may_be_made_in_any_order) {
  EXPECT_TRUE(rc::check([] {
    const Histogram a = of(*any_values());
    const Histogram b = of(*any_values());
    const Histogram c = of(*any_values());
    RC_ASSERT(merged(a, b) == merged(b, a));
    RC_ASSERT(merged(merged(a, b), c) == merged(a, merged(b, c)));
    RC_ASSERT(merged(a, {}) == a);
  }));
}

TEST(Histogram, the_edges_of_the_range_have_a_bucket) {
  const Histogram histogram = of({0, 255, 256, largest - 1, largest});
  EXPECT_EQ(histogram.at(1), 0U);
  EXPECT_EQ(histogram.at(400), 255U);
  EXPECT_EQ(histogram.at(600), 257U);
  EXPECT_EQ(histogram.at(800), largest);
  EXPECT_EQ(Histogram().at(500), 0U);
}

}  // namespace
}  // namespace leaseproof::bench
