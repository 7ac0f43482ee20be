// Checks that a simulated disk keeps written and synced apart and leaves after a loss of power
// exactly the states that its device allows, in a fixed order. Does not know SQLite.
#include "faults/disk.hpp"

#include <gtest/gtest.h>

namespace leaseproof::faults {
namespace {
TEST(ADisk, is_empty_at_first) { EXPECT_TRUE(Disk().names().empty()); }
}  // namespace
}  // namespace leaseproof::faults
