// Who may read and write one file among the connections of a process: the locks of rollback mode,
// and the shared memory of WAL mode with its own locks.
//
// Promise: the rules of sqlite.org/lockingv3.html and of xShmLock
// (sqlite.org/c3ref/io_methods.html) and nothing else; who asks in vain is told so at once. Not
// locked itself: the VFS holds its lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace leaseproof::faults {

// In SQLite's order and with its numbers (SQLITE_LOCK_NONE …).
enum class LockLevel : std::uint8_t { none, shared, reserved, pending, exclusive };

// Of the eight WAL locks, the two that writers and checkpoints take (sqlite.org/walformat.html).
inline constexpr std::uint8_t wal_write_lock = 1U << 0U;
inline constexpr std::uint8_t wal_checkpoint_lock = 1U << 1U;

// One open handle's share of the file; the handle owns it.
struct LockHolder {
  LockLevel level = LockLevel::none;
  bool maps_memory = false;
  std::uint8_t shm_shared = 0;  // one bit for each of the eight WAL locks
  std::uint8_t shm_exclusive = 0;
};

// What a file's connections share, in blocks; those of zeros, which most are, are left out.
struct SharedBlock {
  static constexpr std::size_t size = 256;
  std::size_t region = 0;
  std::size_t at = 0;
  std::array<std::byte, size> bytes;
};
using SharedMemory = std::vector<SharedBlock>;

class FileLocks {
 public:
  void join(LockHolder& holder) { holders_.push_back(&holder); }
  // Gives up all that the holder has.
  void leave(LockHolder& holder);
  [[nodiscard]] bool has_holders() const { return !holders_.empty(); }

  // Raises the holder to `level`, which is shared, reserved or exclusive. False: another connection
  // stands in the way. Who waits for readers to end keeps `pending`, which lets no new reader in.
  bool raise(LockHolder& holder, LockLevel level);
  // To `shared` or `none`; never raises.
  static void lower(LockHolder& holder, LockLevel level);
  // Whether any connection has at least `reserved`.
  [[nodiscard]] bool is_reserved() const;
  // Whether any connection may write now: it has at least `reserved`, or the WAL's write lock.
  [[nodiscard]] bool is_write_locked() const;
  // Whether a checkpoint may run: no connection can write to the WAL or start it anew but the one
  // that has its write lock, or that has the whole file exclusively.
  [[nodiscard]] bool is_guarded() const;

  // The n-th region of the shared memory, zeros at first. Null: it is not there and was not to be
  // made. All regions of a file have the size of the first.
  std::byte* region(LockHolder& holder, std::size_t index, std::size_t bytes, bool make);
  // The memory goes with its last user.
  void unmap(LockHolder& holder);
  [[nodiscard]] SharedMemory memory() const;
  // Regions stay where they are mapped.
  void set_memory(const SharedMemory& memory);
  // Takes the locks in `mask` for reading together or for writing alone. False: one is taken.
  bool lock_shm(LockHolder& holder, std::uint8_t mask, bool exclusive) const;
  static void unlock_shm(LockHolder& holder, std::uint8_t mask);

 private:
  [[nodiscard]] bool has_wal_write_lock() const;
  [[nodiscard]] LockLevel highest_but(const LockHolder& holder) const;

  std::vector<LockHolder*> holders_;
  std::vector<std::unique_ptr<std::byte[]>> regions_;
  std::size_t region_bytes_ = 0;
};

}  // namespace leaseproof::faults
