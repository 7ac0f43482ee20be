#include <sqlite3.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "faults/machine.hpp"

// What SQLite calls on an open file. Each function says in its name which method it is; their
// contracts are those of sqlite.org/c3ref/io_methods.html.
namespace leaseproof::faults {
namespace {

using MachineLock = std::lock_guard<std::mutex>;

Handle& handle_of(sqlite3_file* file) { return *static_cast<OpenFile*>(file)->handle; }
std::optional<IoKind> stops(Operation operation, const Handle& handle) {
  return handle.machine->stops(operation, handle.role, handle.boot);
}
bool lives(const Handle& handle) { return handle.machine->lives(handle.boot); }

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

int x_close(sqlite3_file* file) {
  const std::unique_ptr<Handle> handle(&handle_of(file));
  const MachineLock lock(handle->machine->mutex);
  handle->locks->leave(handle->holder);
  if (lives(*handle)) {
    handle->machine->forget_locks(handle->file);
    handle->machine->disk.release(handle->file);
  }
  return SQLITE_OK;
}

int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto stopped = stops(Operation::read, handle);
  if (stopped && stopped != IoKind::short_read) {
    return result_code(Operation::read, handle.role, *stopped);
  }
  const auto bytes = bytes_at(into, amount);
  const auto wanted = stopped ? bytes.first(bytes.size() / 2) : bytes;
  const std::size_t read =
      handle.machine->disk.read(handle.file, static_cast<std::uint64_t>(offset), wanted);
  if (read == bytes.size()) return SQLITE_OK;
  std::memset(bytes.data() + read, 0, bytes.size() - read);
  return SQLITE_IOERR_SHORT_READ;
}

int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto stopped = stops(Operation::write, handle);
  if (stopped) return result_code(Operation::write, handle.role, *stopped);
  if (handle.read_only) return SQLITE_READONLY;
  handle.machine->disk.write(
      handle.file, static_cast<std::uint64_t>(offset),
      {static_cast<const std::byte*>(from), static_cast<std::size_t>(amount)});
  return SQLITE_OK;
}

int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto stopped = stops(Operation::truncate, handle);
  if (stopped) return result_code(Operation::truncate, handle.role, *stopped);
  if (handle.read_only) return SQLITE_READONLY;
  handle.machine->disk.truncate(handle.file, static_cast<std::uint64_t>(size));
  return SQLITE_OK;
}

int x_sync(sqlite3_file* file, int /*flags*/) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto stopped = stops(Operation::sync, handle);
  if (stopped) return result_code(Operation::sync, handle.role, *stopped);
  handle.machine->disk.sync(handle.file);
  if (std::exchange(handle.syncs_directory, false)) handle.machine->disk.sync_directory();
  return SQLITE_OK;
}

int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  if (!lives(handle)) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(handle.machine->disk.size(handle.file));
  return SQLITE_OK;
}

int x_lock(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto stopped = stops(Operation::lock, handle);
  if (stopped) return result_code(Operation::lock, handle.role, *stopped);
  return handle.locks->raise(handle.holder, static_cast<LockLevel>(level)) ? SQLITE_OK
                                                                           : SQLITE_BUSY;
}

int x_unlock(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  FileLocks::lower(handle.holder, static_cast<LockLevel>(level));
  return SQLITE_OK;
}

int x_check_reserved_lock(sqlite3_file* file, int* reserved) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  if (!lives(handle)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  *reserved = handle.locks->is_reserved() ? 1 : 0;
  return SQLITE_OK;
}

int x_file_control(sqlite3_file* /*file*/, int /*request*/, void* /*argument*/) {
  return SQLITE_NOTFOUND;
}

int x_sector_size(sqlite3_file* file) {
  Machine& machine = *handle_of(file).machine;
  const MachineLock lock(machine.mutex);
  return static_cast<int>(machine.disk.device().sector_bytes);
}

int x_device_characteristics(sqlite3_file* file) {
  Machine& machine = *handle_of(file).machine;
  const MachineLock lock(machine.mutex);
  return characteristics_of(machine.disk.device());
}

int x_shm_map(sqlite3_file* file, int index, int bytes, int make, void volatile** memory) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  *memory = nullptr;
  // Opened once a handle: what follows maps more of the same.
  if (!handle.holder.maps_memory) {
    const auto stopped = handle.machine->stops(Operation::open, Role::shm, handle.boot);
    if (stopped) return result_code(Operation::open, Role::shm, *stopped);
  }
  if (!lives(handle)) return SQLITE_IOERR_SHMMAP;
  *memory = handle.locks->region(handle.holder, static_cast<std::size_t>(index),
                                 static_cast<std::size_t>(bytes), make != 0);
  return SQLITE_OK;
}

int x_shm_lock(sqlite3_file* file, int first, int count, int flags) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  const auto mask = static_cast<std::uint8_t>(((1U << static_cast<unsigned>(count)) - 1U)
                                              << static_cast<unsigned>(first));
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    FileLocks::unlock_shm(handle.holder, mask);
    return SQLITE_OK;
  }
  const auto stopped = handle.machine->stops(Operation::shm_lock, Role::shm, handle.boot);
  if (stopped) return result_code(Operation::shm_lock, Role::shm, *stopped);
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  return handle.locks->lock_shm(handle.holder, mask, exclusive) ? SQLITE_OK : SQLITE_BUSY;
}

// Taking and giving back a mutex orders memory as a full barrier between those who do it, and
// ThreadSanitizer understands it, which it does not say of a fence.
void x_shm_barrier(sqlite3_file* file) { const MachineLock lock(handle_of(file).machine->mutex); }

int x_shm_unmap(sqlite3_file* file, int /*and_delete*/) {
  Handle& handle = handle_of(file);
  const MachineLock lock(handle.machine->mutex);
  handle.locks->unmap(handle.holder);
  return SQLITE_OK;
}

}  // namespace

const sqlite3_io_methods* file_methods() {
  static const sqlite3_io_methods methods{2,
                                          x_close,
                                          x_read,
                                          x_write,
                                          x_truncate,
                                          x_sync,
                                          x_file_size,
                                          x_lock,
                                          x_unlock,
                                          x_check_reserved_lock,
                                          x_file_control,
                                          x_sector_size,
                                          x_device_characteristics,
                                          x_shm_map,
                                          x_shm_lock,
                                          x_shm_barrier,
                                          x_shm_unmap,
                                          nullptr,
                                          nullptr};
  return &methods;
}

}  // namespace leaseproof::faults
