#include "faults/file_locks.hpp"

#include <algorithm>
#include <cstring>

namespace leaseproof::faults {

void FileLocks::leave(LockHolder& holder) {
  lower(holder, LockLevel::none);
  unmap(holder);
  std::erase(holders_, &holder);
}

LockLevel FileLocks::highest_but(const LockHolder& holder) const {
  LockLevel highest = LockLevel::none;
  for (const LockHolder* other : holders_) {
    if (other != &holder) highest = std::max(highest, other->level);
  }
  return highest;
}

bool FileLocks::raise(LockHolder& holder, LockLevel level) {
  if (holder.level >= level) return true;
  const LockLevel others = highest_but(holder);
  if (level == LockLevel::shared) {
    if (others >= LockLevel::pending) return false;
  } else {
    if (others >= LockLevel::reserved) return false;
    if (level == LockLevel::exclusive && others >= LockLevel::shared) {
      holder.level = LockLevel::pending;
      return false;
    }
  }
  holder.level = level;
  return true;
}

void FileLocks::lower(LockHolder& holder, LockLevel level) {
  holder.level = std::min(holder.level, level);
}

bool FileLocks::is_reserved() const {
  return std::any_of(holders_.begin(), holders_.end(),
                     [](const LockHolder* holder) { return holder->level >= LockLevel::reserved; });
}

bool FileLocks::is_write_locked() const { return is_reserved() || has_wal_write_lock(); }

bool FileLocks::is_guarded() const {
  return has_wal_write_lock() ||
         std::any_of(holders_.begin(), holders_.end(), [](const LockHolder* holder) {
           return holder->level == LockLevel::exclusive;
         });
}

bool FileLocks::has_wal_write_lock() const {
  return std::any_of(holders_.begin(), holders_.end(), [](const LockHolder* holder) {
    return (holder->shm_exclusive & wal_write_lock) != 0;
  });
}

std::byte* FileLocks::region(LockHolder& holder, std::size_t index, std::size_t bytes, bool make) {
  holder.maps_memory = true;
  if (index >= regions_.size() && !make) return nullptr;
  if (regions_.empty()) region_bytes_ = bytes;
  while (regions_.size() <= index) regions_.push_back(std::make_unique<std::byte[]>(bytes));
  return regions_[index].get();
}

SharedMemory FileLocks::memory() const {
  static constexpr std::array<std::byte, SharedBlock::size> zeros{};
  SharedMemory memory;
  for (std::size_t region = 0; region < regions_.size(); ++region) {
    for (std::size_t at = 0; at + SharedBlock::size <= region_bytes_; at += SharedBlock::size) {
      const std::byte* bytes = regions_[region].get() + at;
      if (std::memcmp(bytes, zeros.data(), SharedBlock::size) == 0) continue;
      SharedBlock& block = memory.emplace_back();
      block.region = region;
      block.at = at;
      std::memcpy(block.bytes.data(), bytes, SharedBlock::size);
    }
  }
  return memory;
}

void FileLocks::set_memory(const SharedMemory& memory) {
  for (const auto& region : regions_) std::memset(region.get(), 0, region_bytes_);
  for (const SharedBlock& block : memory) {
    if (region_bytes_ == 0) return;  // nobody has mapped any, so it is found out anew from the WAL
    while (block.region >= regions_.size()) {
      regions_.push_back(std::make_unique<std::byte[]>(region_bytes_));
    }
    std::memcpy(regions_[block.region].get() + block.at, block.bytes.data(), SharedBlock::size);
  }
}

void FileLocks::unmap(LockHolder& holder) {
  unlock_shm(holder, 0xFF);
  holder.maps_memory = false;
  if (std::none_of(holders_.begin(), holders_.end(),
                   [](const LockHolder* other) { return other->maps_memory; })) {
    regions_.clear();
  }
}

bool FileLocks::lock_shm(LockHolder& holder, std::uint8_t mask, bool exclusive) const {
  for (const LockHolder* other : holders_) {
    if (other == &holder) continue;
    const int taken = exclusive ? other->shm_exclusive | other->shm_shared : other->shm_exclusive;
    if ((taken & mask) != 0) return false;
  }
  std::uint8_t& held = exclusive ? holder.shm_exclusive : holder.shm_shared;
  held = static_cast<std::uint8_t>(held | mask);
  return true;
}

void FileLocks::unlock_shm(LockHolder& holder, std::uint8_t mask) {
  holder.shm_shared = static_cast<std::uint8_t>(holder.shm_shared & ~mask);
  holder.shm_exclusive = static_cast<std::uint8_t>(holder.shm_exclusive & ~mask);
}

}  // namespace leaseproof::faults
