#include "faults/file_vfs.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include "faults/vfs_methods.hpp"

namespace leaseproof::faults {

class FileVfs::Counter {
 public:
  explicit Counter(std::string vfs_name)
      : name(std::move(vfs_name)), real(sqlite3_vfs_find(nullptr)) {}

  // Counts the operation; SQLITE_OK: it may happen now.
  int refused(Operation operation, Role role) {
    const std::lock_guard lock(mutex);
    if (watcher && faults.powered()) watcher(operation, role);
    const auto kind = faults.hit(operation, role);
    return kind ? result_code(operation, role, *kind) : SQLITE_OK;
  }

  const std::string name;
  sqlite3_vfs* const real;
  sqlite3_vfs vfs{};
  mutable std::mutex mutex;
  IoFaults faults;
  Watcher watcher;
  bool waits_for_disk = false;
};

// What SQLite calls. Each function says in its name which of them it is; what is not counted is
// handed through.
struct FileVfs::Methods {
  // The real VFS's own file stands behind ours in the memory that SQLite gives for both.
  struct File : sqlite3_file {
    Counter* counter;
    Role role;
    bool maps_memory;

    [[nodiscard]] int refused(Operation operation) const {
      return counter->refused(operation, role);
    }
  };
  // As SQLite aligns what it gives.
  static_assert(sizeof(File) % 8 == 0);
  static File& ours(sqlite3_file* file) { return *static_cast<File*>(file); }
  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(static_cast<File*>(file) + 1);
  }
  static const sqlite3_io_methods& real_methods(sqlite3_file* file) {
    return *real(file)->pMethods;
  }
  static Counter& counter_of(sqlite3_vfs* vfs) { return *static_cast<Counter*>(vfs->pAppData); }

  static int x_close(sqlite3_file* file) { return real_methods(file).xClose(real(file)); }

  static int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    const int refused = ours(file).refused(Operation::read);
    const bool cut_short = refused == SQLITE_IOERR_SHORT_READ;
    if (refused != SQLITE_OK && !cut_short) return refused;
    const int code = real_methods(file).xRead(real(file), into, amount, offset);
    if (!cut_short || code != SQLITE_OK) return code;
    const int half = amount / 2;
    std::memset(static_cast<std::byte*>(into) + half, 0, static_cast<std::size_t>(amount - half));
    return SQLITE_IOERR_SHORT_READ;
  }

  static int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    const int refused = ours(file).refused(Operation::write);
    if (refused != SQLITE_OK) return refused;
    return real_methods(file).xWrite(real(file), from, amount, offset);
  }

  static int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
    const int refused = ours(file).refused(Operation::truncate);
    if (refused != SQLITE_OK) return refused;
    return real_methods(file).xTruncate(real(file), size);
  }

  static int x_sync(sqlite3_file* file, int flags) {
    const int refused = ours(file).refused(Operation::sync);
    if (refused != SQLITE_OK || !ours(file).counter->waits_for_disk) return refused;
    return real_methods(file).xSync(real(file), flags);
  }

  static int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
    return real_methods(file).xFileSize(real(file), size);
  }

  static int x_lock(sqlite3_file* file, int level) {
    const int refused = ours(file).refused(Operation::lock);
    if (refused != SQLITE_OK) return refused;
    return real_methods(file).xLock(real(file), level);
  }

  static int x_unlock(sqlite3_file* file, int level) {
    return real_methods(file).xUnlock(real(file), level);
  }

  static int x_check_reserved_lock(sqlite3_file* file, int* reserved) {
    return real_methods(file).xCheckReservedLock(real(file), reserved);
  }

  // A mapped database would be read behind our back.
  static int x_file_control(sqlite3_file* file, int request, void* argument) {
    if (request == SQLITE_FCNTL_MMAP_SIZE) return SQLITE_NOTFOUND;
    return real_methods(file).xFileControl(real(file), request, argument);
  }

  static int x_sector_size(sqlite3_file* file) {
    return real_methods(file).xSectorSize(real(file));
  }

  static int x_device_characteristics(sqlite3_file* file) {
    return real_methods(file).xDeviceCharacteristics(real(file));
  }

  static int x_shm_map(sqlite3_file* file, int index, int bytes, int make, void volatile** memory) {
    File& mine = ours(file);
    if (!mine.maps_memory) {
      const int refused = mine.counter->refused(Operation::open, Role::shm);
      if (refused != SQLITE_OK) {
        *memory = nullptr;
        return refused;
      }
      mine.maps_memory = true;
    }
    return real_methods(file).xShmMap(real(file), index, bytes, make, memory);
  }

  static int x_shm_lock(sqlite3_file* file, int first, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) != 0) {
      const int refused = ours(file).counter->refused(Operation::shm_lock, Role::shm);
      if (refused != SQLITE_OK) return refused;
    }
    return real_methods(file).xShmLock(real(file), first, count, flags);
  }

  static void x_shm_barrier(sqlite3_file* file) { real_methods(file).xShmBarrier(real(file)); }

  static int x_shm_unmap(sqlite3_file* file, int and_delete) {
    ours(file).maps_memory = false;
    return real_methods(file).xShmUnmap(real(file), and_delete);
  }

  static int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                    int* flags_given) {
    Counter& counter = counter_of(vfs);
    file->pMethods = nullptr;
    File& mine = ours(file);
    mine.counter = &counter;
    mine.role = role_of_flags(flags);
    mine.maps_memory = false;
    const int refused = mine.refused(Operation::open);
    if (refused == SQLITE_READONLY) {
      flags = opened_only_to_read(flags);
    } else if (refused != SQLITE_OK) {
      return refused;
    }
    const int code = counter.real->xOpen(counter.real, path, real(file), flags, flags_given);
    // SQLite closes a file that has methods, even one that could not be opened.
    if (real(file)->pMethods != nullptr) file->pMethods = io_methods_of<Methods>();
    return code;
  }

  static int x_delete(sqlite3_vfs* vfs, const char* path, int and_sync_directory) {
    Counter& counter = counter_of(vfs);
    const int refused = counter.refused(Operation::delete_, role_of_name(path));
    if (refused != SQLITE_OK) return refused;
    return counter.real->xDelete(counter.real, path, and_sync_directory);
  }

  static int x_access(sqlite3_vfs* vfs, const char* path, int question, int* answer) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xAccess(real_vfs, path, question, answer);
  }

  static int x_full_pathname(sqlite3_vfs* vfs, const char* path, int room, char* into) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xFullPathname(real_vfs, path, room, into);
  }

  static int x_randomness(sqlite3_vfs* vfs, int amount, char* into) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xRandomness(real_vfs, amount, into);
  }

  static int x_sleep(sqlite3_vfs* /*vfs*/, int micros) { return micros; }

  static int x_current_time(sqlite3_vfs* vfs, double* julian_days) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xCurrentTime(real_vfs, julian_days);
  }

  static int x_get_last_error(sqlite3_vfs* vfs, int room, char* into) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xGetLastError(real_vfs, room, into);
  }
};

FileVfs::FileVfs(std::string name) : counter_(std::make_unique<Counter>(std::move(name))) {
  const int file_bytes = static_cast<int>(sizeof(Methods::File)) + counter_->real->szOsFile;
  fill<Methods>(counter_->vfs, counter_->name.c_str(), file_bytes, counter_->real->mxPathname,
                counter_.get());
  sqlite3_vfs_register(&counter_->vfs, 0);
}

FileVfs::~FileVfs() { sqlite3_vfs_unregister(&counter_->vfs); }

const std::string& FileVfs::name() const { return counter_->name; }

void FileVfs::arm(const IoPlan& plan) {
  const std::lock_guard lock(counter_->mutex);
  counter_->faults.arm(plan);
  counter_->faults.power_on();
}

void FileVfs::disarm() {
  const std::lock_guard lock(counter_->mutex);
  counter_->faults.disarm();
  counter_->faults.power_on();
}

std::int64_t FileVfs::hits(Operation operation, Role role) const {
  const std::lock_guard lock(counter_->mutex);
  return counter_->faults.hits(operation, role);
}

std::int64_t FileVfs::fired() const {
  const std::lock_guard lock(counter_->mutex);
  return counter_->faults.fired();
}

void FileVfs::watch(Watcher watcher) {
  const std::lock_guard lock(counter_->mutex);
  counter_->watcher = std::move(watcher);
}

void FileVfs::wait_for_disk(bool waits) { counter_->waits_for_disk = waits; }

}  // namespace leaseproof::faults
