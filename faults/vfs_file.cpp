#include <sqlite3.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "faults/machine.hpp"
#include "faults/vfs_methods.hpp"

// What SQLite calls on an open file. Each function says in its name which method it is; their
// contracts are those of sqlite.org/c3ref/io_methods.html.
namespace leaseproof::faults {
namespace {

// An open file and the machine behind it, locked for as long as SQLite asks for one thing.
class Held {
 public:
  explicit Held(sqlite3_file* file)
      : handle(*static_cast<OpenFile*>(file)->handle),
        machine(*handle.machine),
        lock_(machine.mutex) {}

  // Counts the operation; SQLITE_OK: it may happen now.
  int refused(Operation operation, Role role) {
    return machine.refused(operation, role, handle.boot);
  }
  int refused(Operation operation) { return refused(operation, handle.role); }
  // As above, of an operation that a file opened for reading only never comes to.
  int refused_to_change(Operation operation) {
    const int code = refused(operation);
    if (code != SQLITE_OK) return code;
    if (handle.read_only) return SQLITE_READONLY;
    if (handle.role == Role::database) note_checkpoint();
    return SQLITE_OK;
  }
  // A checkpoint begins or writes: rollback mode writes to a database only with the whole file
  // locked, WAL mode only in a checkpoint.
  void note_checkpoint() {
    if (!handle.locks->is_guarded()) ++machine.unlocked_checkpoints;
  }
  [[nodiscard]] bool lives() const { return machine.lives(handle.boot); }

  Handle& handle;
  Machine& machine;

 private:
  std::lock_guard<std::mutex> lock_;
};

std::span<std::byte> bytes_at(void* memory, int amount) {
  return {static_cast<std::byte*>(memory), static_cast<std::size_t>(amount)};
}

int characteristics_of(const Device& device) {
  int flags = SQLITE_IOCAP_POWERSAFE_OVERWRITE;
  if (device.sequential) flags |= SQLITE_IOCAP_SEQUENTIAL;
  if (device.safe_append) flags |= SQLITE_IOCAP_SAFE_APPEND;
  // The flags for 512, 1024, … 65536 bytes are neighbouring bits.
  if (device.atomic_bytes >= 512) {
    flags |= SQLITE_IOCAP_ATOMIC512 << std::countr_zero(device.atomic_bytes / 512);
  }
  return flags;
}

struct FileMethods {
  static int x_close(sqlite3_file* file) {
    // Goes after the lock does, which is the machine's.
    const std::unique_ptr<Handle> last(static_cast<OpenFile*>(file)->handle);
    const Held held(file);
    last->locks->leave(last->holder);
    held.machine.open.erase(last->number);
    if (held.lives()) {
      held.machine.forget_locks(last->file);
      held.machine.disk.release(last->file);
    }
    return SQLITE_OK;
  }

  static int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    Held held(file);
    const int refused = held.refused(Operation::read);
    const bool cut_short = refused == SQLITE_IOERR_SHORT_READ;
    if (refused != SQLITE_OK && !cut_short) return refused;
    const auto bytes = bytes_at(into, amount);
    const auto wanted = cut_short ? bytes.first(bytes.size() / 2) : bytes;
    const std::size_t read =
        held.machine.disk.read(held.handle.file, static_cast<std::uint64_t>(offset), wanted);
    if (read == bytes.size()) return SQLITE_OK;
    std::memset(bytes.data() + read, 0, bytes.size() - read);
    return SQLITE_IOERR_SHORT_READ;
  }

  static int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    Held held(file);
    const int refused = held.refused_to_change(Operation::write);
    if (refused != SQLITE_OK) return refused;
    held.machine.disk.write(
        held.handle.file, static_cast<std::uint64_t>(offset),
        {static_cast<const std::byte*>(from), static_cast<std::size_t>(amount)});
    return SQLITE_OK;
  }

  static int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
    Held held(file);
    const int refused = held.refused_to_change(Operation::truncate);
    if (refused != SQLITE_OK) return refused;
    held.machine.disk.truncate(held.handle.file, static_cast<std::uint64_t>(size));
    return SQLITE_OK;
  }

  static int x_sync(sqlite3_file* file, int /*flags*/) {
    Held held(file);
    const int refused = held.refused(Operation::sync);
    if (refused != SQLITE_OK) return refused;
    if (held.machine.forgets_sync == held.handle.role) return SQLITE_OK;
    held.machine.disk.sync(held.handle.file);
    if (std::exchange(held.handle.syncs_directory, false)) held.machine.disk.sync_directory();
    return SQLITE_OK;
  }

  static int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
    const Held held(file);
    if (!held.lives()) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(held.machine.disk.size(held.handle.file));
    return SQLITE_OK;
  }

  static int x_lock(sqlite3_file* file, int level) {
    Held held(file);
    const int refused = held.refused(Operation::lock);
    if (refused != SQLITE_OK) return refused;
    const bool raised = held.handle.locks->raise(held.handle.holder, static_cast<LockLevel>(level));
    return raised ? SQLITE_OK : SQLITE_BUSY;
  }

  static int x_unlock(sqlite3_file* file, int level) {
    const Held held(file);
    FileLocks::lower(held.handle.holder, static_cast<LockLevel>(level));
    return SQLITE_OK;
  }

  static int x_check_reserved_lock(sqlite3_file* file, int* reserved) {
    const Held held(file);
    if (!held.lives()) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    *reserved = held.handle.locks->is_reserved() ? 1 : 0;
    return SQLITE_OK;
  }

  static int x_file_control(sqlite3_file* /*file*/, int /*request*/, void* /*argument*/) {
    return SQLITE_NOTFOUND;
  }

  static int x_sector_size(sqlite3_file* file) {
    return static_cast<int>(Held(file).machine.disk.device().sector_bytes);
  }

  static int x_device_characteristics(sqlite3_file* file) {
    return characteristics_of(Held(file).machine.disk.device());
  }

  static int x_shm_map(sqlite3_file* file, int index, int bytes, int make, void volatile** memory) {
    Held held(file);
    *memory = nullptr;
    LockHolder& holder = held.handle.holder;
    // Opened once a handle: what follows maps more of the same.
    if (!holder.maps_memory) {
      const int refused = held.refused(Operation::open, Role::shm);
      if (refused != SQLITE_OK) return refused;
    }
    if (!held.lives()) return SQLITE_IOERR_SHMMAP;
    *memory = held.handle.locks->region(holder, static_cast<std::size_t>(index),
                                        static_cast<std::size_t>(bytes), make != 0);
    return SQLITE_OK;
  }

  static int x_shm_lock(sqlite3_file* file, int first, int count, int flags) {
    Held held(file);
    const auto mask = static_cast<std::uint8_t>(((1U << static_cast<unsigned>(count)) - 1U)
                                                << static_cast<unsigned>(first));
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      FileLocks::unlock_shm(held.handle.holder, mask);
      return SQLITE_OK;
    }
    const int refused = held.refused(Operation::shm_lock, Role::shm);
    if (refused != SQLITE_OK) return refused;
    const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    const bool locked = held.handle.locks->lock_shm(held.handle.holder, mask, exclusive);
    if (!locked) return SQLITE_BUSY;
    if (exclusive && (mask & wal_checkpoint_lock) != 0) held.note_checkpoint();
    return SQLITE_OK;
  }

  // Taking and giving back a mutex orders memory as a full barrier between those who do it, and
  // ThreadSanitizer understands it, which it does not say of a fence.
  static void x_shm_barrier(sqlite3_file* file) { const Held held(file); }

  static int x_shm_unmap(sqlite3_file* file, int /*and_delete*/) {
    const Held held(file);
    held.handle.locks->unmap(held.handle.holder);
    return SQLITE_OK;
  }
};

}  // namespace

const sqlite3_io_methods* file_methods() { return io_methods_of<FileMethods>(); }

}  // namespace leaseproof::faults
