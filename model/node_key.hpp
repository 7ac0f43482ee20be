// What a node of a world is told apart by: everything that what follows can depend on, and nothing
// else.
//
// Promise: two nodes have equal keys exactly if, but for two hashes of 64 bits meeting by chance,
// they differ in nothing but what no rule can tell: when it is (in a world without a horizon times
// count from now; one that has passed has passed, as long as no clock steps back), what workers are
// called (those that hold leases are numbered by the ops they hold), and how many events were
// written. Ops keep their names: the one that comes first is leased first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "model/world.hpp"

namespace leaseproof::model {

struct NodeKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const NodeKey&) const = default;
};

NodeKey key_of(const World& world, const Node& node);

// With more of the caller's own that tells nodes apart.
NodeKey with(const NodeKey& key, std::uint64_t more);

}  // namespace leaseproof::model

template <>
struct std::hash<leaseproof::model::NodeKey> {
  std::size_t operator()(const leaseproof::model::NodeKey& key) const {
    return static_cast<std::size_t>(key.low);
  }
};
