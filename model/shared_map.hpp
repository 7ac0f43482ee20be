// A sorted map whose copies share their entries until one of them is edited.
//
// Promise: a value like a std::map: a copy can never be told from the original, and lives a life of
// its own. It costs one allocation and a reference count an entry; an entry is copied when it is
// edited while another map shares it. `==` compares values, and does not look at what is shared.
//
// Entries are read by constant reference and changed through `edit`. Such a reference holds until
// the entry is edited; a `Ref` always shows the entry as it is, until an entry is added or erased.
//
// Copies may be read in several threads at once, as those of a std::shared_ptr may. A copy that was
// read in another thread has been dropped there before (a join, a lock) when this one is edited.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/promise.hpp"

namespace leaseproof::model {

// The numbers that are remembered with an entry once they were worked out.
enum class Remembered : std::uint8_t { hash, key_high, key_low };

// Names are short, and most that differ do so in their first letter or their length.
inline bool is_same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         (a.empty() || (a.front() == b.front() && (a.size() == 1 || a == b)));
}

// A place that may be wrong, remembered by whoever looks something up; several threads may.
class PlaceHint {
 public:
  PlaceHint() = default;
  PlaceHint(const PlaceHint& other) noexcept : place_(other.get()) {}
  PlaceHint& operator=(const PlaceHint& other) noexcept {
    set(other.get());
    return *this;
  }
  ~PlaceHint() = default;

  [[nodiscard]] std::size_t get() const { return place_.load(std::memory_order_relaxed); }
  void set(std::size_t place) { place_.store(place, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> place_{0};
};

template <class Key, class Value, class Less = std::less<>>
class SharedMap {
 public:
  using value_type = std::pair<const Key, Value>;

 private:
  struct Cell {
    explicit Cell(const value_type& made) : entry(made) {}
    template <class K, class V>
    Cell(K&& key, V&& value) : entry(std::forward<K>(key), std::forward<V>(value)) {}

    value_type entry;
    mutable std::array<std::atomic<std::uint64_t>, 3> remembered{};
  };
  using Slot = std::shared_ptr<Cell>;

  static Value& edit(Slot& slot) {
    if (slot.use_count() == 1) {
      for (auto& number : slot->remembered) number.store(0, std::memory_order_relaxed);
    } else {
      slot = std::make_shared<Cell>(slot->entry);
    }
    return slot->entry.second;
  }

 public:
  class const_iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = SharedMap::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    const_iterator() = default;
    explicit const_iterator(const Slot* slot) : slot_(slot) {}
    reference operator*() const { return (*slot_)->entry; }
    pointer operator->() const { return &(*slot_)->entry; }
    const_iterator& operator++() { return ++slot_, *this; }
    const_iterator operator++(int) { return const_iterator(slot_++); }
    const_iterator& operator--() { return --slot_, *this; }
    const_iterator operator--(int) { return const_iterator(slot_--); }
    const_iterator& operator+=(difference_type by) { return slot_ += by, *this; }
    const_iterator& operator-=(difference_type by) { return slot_ -= by, *this; }
    reference operator[](difference_type by) const { return slot_[by]->entry; }
    friend const_iterator operator+(const_iterator at, difference_type by) { return at += by; }
    friend const_iterator operator+(difference_type by, const_iterator at) { return at += by; }
    friend const_iterator operator-(const_iterator at, difference_type by) { return at -= by; }
    friend difference_type operator-(const_iterator a, const_iterator b) {
      return a.slot_ - b.slot_;
    }
    auto operator<=>(const const_iterator&) const = default;

    // Whether both show one entry of two copies, which is equal then without a look at it.
    [[nodiscard]] bool shares(const_iterator other) const { return *slot_ == *other.slot_; }

    // What `work_out` makes of the entry, which must depend on nothing else.
    template <class WorkOut>
    std::uint64_t remembered(Remembered which, WorkOut work_out) const {
      std::atomic<std::uint64_t>& number = (*slot_)->remembered[static_cast<std::size_t>(which)];
      std::uint64_t known = number.load(std::memory_order_relaxed);
      if (known == 0) {
        known = work_out((*slot_)->entry);
        number.store(known, std::memory_order_relaxed);
      }
      return known;
    }

   private:
    const Slot* slot_ = nullptr;
  };
  using iterator = const_iterator;

  // An entry that can be read and edited, or none.
  class Ref {
   public:
    Ref() = default;
    explicit Ref(Slot* slot) : slot_(slot) {}
    explicit operator bool() const { return slot_ != nullptr; }
    const Value& operator*() const { return (*slot_)->entry.second; }
    const Value* operator->() const { return &(*slot_)->entry.second; }
    [[nodiscard]] const Key& key() const { return (*slot_)->entry.first; }
    Value& edit() const { return SharedMap::edit(*slot_); }

   private:
    Slot* slot_ = nullptr;
  };

  class RefIterator {
   public:
    explicit RefIterator(Slot* slot) : slot_(slot) {}
    Ref operator*() const { return Ref(slot_); }
    RefIterator& operator++() { return ++slot_, *this; }
    bool operator==(const RefIterator&) const = default;

   private:
    Slot* slot_;
  };
  struct Refs {
    Slot* first;
    Slot* last;
    [[nodiscard]] RefIterator begin() const { return RefIterator(first); }
    [[nodiscard]] RefIterator end() const { return RefIterator(last); }
  };

  [[nodiscard]] const_iterator begin() const { return const_iterator(slots_.data()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(slots_.data() + slots_.size()); }
  [[nodiscard]] const value_type& entry(std::size_t place) const { return slots_[place]->entry; }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] bool empty() const { return slots_.empty(); }

  template <class K = Key>
  const_iterator find(const K& key) const {
    const Slot* slot = find_in(slots_, key, last_found_);
    return slot == nullptr ? end() : const_iterator(slot);
  }
  template <class K = Key>
  bool contains(const K& key) const {
    return find_in(slots_, key, last_found_) != nullptr;
  }
  template <class K = Key>
  const Value& at(const K& key) const {
    const Slot* slot = find_in(slots_, key, last_found_);
    promise(slot != nullptr, "an entry is there that is read");
    return (*slot)->entry.second;
  }

  template <class K = Key>
  Ref ref(const K& key) {
    return Ref(find_in(slots_, key, last_found_));
  }
  // Each entry in order, to be edited.
  [[nodiscard]] Refs refs() { return {slots_.data(), slots_.data() + slots_.size()}; }
  template <class K = Key>
  Value& edit(const K& key) {
    Slot* slot = find_in(slots_, key, last_found_);
    promise(slot != nullptr, "an entry is there that is edited");
    return edit(*slot);
  }
  // Makes the entry if there is none.
  template <class K = Key>
  Value& operator[](const K& key) {
    return emplace(Key(key), Value{}).first.edit();
  }
  // Adds an entry if there is none, and says whether it did.
  std::pair<Ref, bool> emplace(Key key, Value value) {
    const std::size_t place = place_of(slots_, key);
    const bool is_new = place == slots_.size() || Less{}(key, slots_[place]->entry.first);
    if (is_new) {
      slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(place),
                    std::make_shared<Cell>(std::move(key), std::move(value)));
    }
    return {Ref(&slots_[place]), is_new};
  }
  template <class Drop>
  void erase_if(Drop drop) {
    std::erase_if(slots_, [&](const Slot& slot) { return drop(slot->entry.second); });
  }
  template <class K = Key>
  void erase(const K& key) {
    if (Slot* slot = find_in(slots_, key, last_found_))
      slots_.erase(slots_.begin() + (slot - slots_.data()));
  }

  bool operator==(const SharedMap& other) const {
    return std::equal(slots_.begin(), slots_.end(), other.slots_.begin(), other.slots_.end(),
                      [](const Slot& a, const Slot& b) { return a == b || a->entry == b->entry; });
  }
  // Whether both have the same entries and share each of them. Implies `==`.
  [[nodiscard]] bool shares_all(const SharedMap& other) const { return slots_ == other.slots_; }

 private:
  template <class Slots, class K>
  static std::size_t place_of(Slots& slots, const K& key) {
    const auto at = std::lower_bound(
        slots.begin(), slots.end(), key,
        [](const Slot& slot, const K& wanted) { return Less{}(slot->entry.first, wanted); });
    return static_cast<std::size_t>(at - slots.begin());
  }
  template <class Slots, class K>
  static auto* find_in(Slots& slots, const K& key, PlaceHint& last_found) {
    if constexpr (std::is_convertible_v<Key, std::string_view>) {
      // A state has few entries: to compare each for equality is quicker than to bisect by order.
      constexpr std::size_t few = 8;
      if (slots.size() <= few) {
        for (auto& slot : slots) {
          if (is_same_key(slot->entry.first, key)) return &slot;
        }
        return static_cast<decltype(slots.data())>(nullptr);
      }
      // Of many, a call looks for the same one several times.
      const std::size_t last = last_found.get();
      if (last < slots.size() && is_same_key(slots[last]->entry.first, key)) {
        return slots.data() + last;
      }
    }
    const std::size_t place = place_of(slots, key);
    const bool found = place < slots.size() && !Less{}(key, slots[place]->entry.first);
    if (found) last_found.set(place);
    return found ? slots.data() + place : static_cast<decltype(slots.data())>(nullptr);
  }

  std::vector<Slot> slots_;
  mutable PlaceHint last_found_;
};

}  // namespace leaseproof::model
