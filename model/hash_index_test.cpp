// Checks that an index finds every place that was put into it, told apart by what stands there
// where hashes meet, and that it grows. Does not check speed.
#include "model/hash_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace leaseproof::model {
namespace {

TEST(HashIndex, is_empty_at_first_and_when_cleared) {
  HashIndex index;
  const auto any = [](std::size_t) { return true; };
  EXPECT_FALSE(index.find(0, any));
  index.insert(0, 5);
  EXPECT_EQ(index.find(0, any), 5U);
  index.clear();
  EXPECT_FALSE(index.find(0, any));
  index.insert(0, 6);
  EXPECT_EQ(index.find(0, any), 6U);
}

// Ten values share each hash, and many hashes their slot.
TEST(HashIndex, finds_each_of_many_whose_hashes_meet) {
  std::vector<std::uint64_t> values;
  HashIndex index;
  const auto hash = [](std::uint64_t value) { return value / 10 * 1024; };
  for (std::uint64_t value = 0; value < 1'000; ++value) {
    index.insert(hash(value), values.size());
    values.push_back(value);
  }
  for (std::uint64_t value = 0; value < 1'100; ++value) {
    const auto found =
        index.find(hash(value), [&](std::size_t place) { return values[place] == value; });
    EXPECT_EQ(found.has_value(), value < 1'000) << value;
    EXPECT_EQ(found.value_or(value), value);
  }
}

}  // namespace
}  // namespace leaseproof::model
