// Places in a list, found by the hash of what stands there.
//
// Promise: a hash may belong to several places, and a place is never taken out. Who looks something
// up says which of the places with its hash it is, so that nothing is told apart by a hash alone.
// Reading in several threads at once is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace leaseproof::model {

class HashIndex {
 public:
  // The first place with this hash that `same` takes.
  template <class Same>
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t hash, Same same) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.place_after == 0) return std::nullopt;
      if (slot.hash == hash && same(slot.place_after - 1)) return slot.place_after - 1;
    }
  }

  void insert(std::uint64_t hash, std::size_t place) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    put({hash, place + 1});
    ++count_;
  }

  void clear() {
    slots_.assign(slots_.size(), {});
    count_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t place_after = 0;  // 0 where there is none
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].place_after != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  // The size stays a power of two.
  void grow() {
    constexpr std::size_t first_size = 64;
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? first_size : 2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.place_after != 0) put(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace leaseproof::model
