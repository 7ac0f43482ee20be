#include "faults/file_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace leaseproof::faults {

class FileVfs::Counter {
 public:
  Counter(std::string vfs_name, bool really_waits)
      : name(std::move(vfs_name)), waits(really_waits), real(sqlite3_vfs_find(nullptr)) {}

  std::optional<IoKind> stops(Operation operation, Role role) {
    const std::lock_guard lock(mutex);
    if (!powered) return IoKind::power_loss;
    if (watcher) watcher(operation, role);
    const auto kind = faults.hit(operation, role);
    if (kind == IoKind::power_loss) powered = false;
    return kind;
  }

  const std::string name;
  const bool waits;
  sqlite3_vfs* const real;
  sqlite3_vfs vfs{};
  mutable std::mutex mutex;
  IoFaults faults;
  Watcher watcher;
  bool powered = true;
};

// What SQLite calls. Each function says in its name which of them it is; what is not counted is
// handed through.
struct FileVfs::Methods {
  // The real VFS's own file stands behind ours in the memory that SQLite gives for both.
  struct File : sqlite3_file {
    Counter* counter;
    Role role;
    bool maps_memory;
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

  static std::optional<IoKind> stops(Operation operation, sqlite3_file* file) {
    return ours(file).counter->stops(operation, ours(file).role);
  }

  static int x_close(sqlite3_file* file) { return real_methods(file).xClose(real(file)); }

  static int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    const auto stopped = stops(Operation::read, file);
    if (stopped && stopped != IoKind::short_read) {
      return result_code(Operation::read, ours(file).role, *stopped);
    }
    const int code = real_methods(file).xRead(real(file), into, amount, offset);
    if (!stopped || code != SQLITE_OK) return code;
    const int half = amount / 2;
    std::memset(static_cast<std::byte*>(into) + half, 0, static_cast<std::size_t>(amount - half));
    return SQLITE_IOERR_SHORT_READ;
  }

  static int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    const auto stopped = stops(Operation::write, file);
    if (stopped) return result_code(Operation::write, ours(file).role, *stopped);
    return real_methods(file).xWrite(real(file), from, amount, offset);
  }

  static int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
    const auto stopped = stops(Operation::truncate, file);
    if (stopped) return result_code(Operation::truncate, ours(file).role, *stopped);
    return real_methods(file).xTruncate(real(file), size);
  }

  static int x_sync(sqlite3_file* file, int flags) {
    const auto stopped = stops(Operation::sync, file);
    if (stopped) return result_code(Operation::sync, ours(file).role, *stopped);
    if (!ours(file).counter->waits) return SQLITE_OK;
    return real_methods(file).xSync(real(file), flags);
  }

  static int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
    return real_methods(file).xFileSize(real(file), size);
  }

  static int x_lock(sqlite3_file* file, int level) {
    const auto stopped = stops(Operation::lock, file);
    if (stopped) return result_code(Operation::lock, ours(file).role, *stopped);
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
      const auto stopped = mine.counter->stops(Operation::open, Role::shm);
      if (stopped) {
        *memory = nullptr;
        return result_code(Operation::open, Role::shm, *stopped);
      }
      mine.maps_memory = true;
    }
    return real_methods(file).xShmMap(real(file), index, bytes, make, memory);
  }

  static int x_shm_lock(sqlite3_file* file, int first, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) != 0) {
      const auto stopped = ours(file).counter->stops(Operation::shm_lock, Role::shm);
      if (stopped) return result_code(Operation::shm_lock, Role::shm, *stopped);
    }
    return real_methods(file).xShmLock(real(file), first, count, flags);
  }

  static void x_shm_barrier(sqlite3_file* file) { real_methods(file).xShmBarrier(real(file)); }

  static int x_shm_unmap(sqlite3_file* file, int and_delete) {
    ours(file).maps_memory = false;
    return real_methods(file).xShmUnmap(real(file), and_delete);
  }

  static const sqlite3_io_methods* io_methods() {
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

  static int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                    int* flags_given) {
    Counter& counter = counter_of(vfs);
    file->pMethods = nullptr;
    File& mine = ours(file);
    mine.counter = &counter;
    mine.role = role_of_flags(flags);
    mine.maps_memory = false;
    const auto stopped = counter.stops(Operation::open, mine.role);
    const bool only_to_read = stopped == IoKind::read_only && mine.role == Role::database;
    if (stopped && !only_to_read) return result_code(Operation::open, mine.role, *stopped);
    if (only_to_read) {
      flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
      flags |= SQLITE_OPEN_READONLY;
    }
    const int code = counter.real->xOpen(counter.real, path, real(file), flags, flags_given);
    // SQLite closes a file that has methods, even one that could not be opened.
    if (real(file)->pMethods != nullptr) file->pMethods = io_methods();
    return code;
  }

  static int x_delete(sqlite3_vfs* vfs, const char* path, int and_sync_directory) {
    Counter& counter = counter_of(vfs);
    const Role role = role_of_name(path);
    const auto stopped = counter.stops(Operation::delete_, role);
    if (stopped) return result_code(Operation::delete_, role, *stopped);
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

  static int x_sleep(sqlite3_vfs* vfs, int micros) {
    if (!counter_of(vfs).waits) return micros;
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xSleep(real_vfs, micros);
  }

  static int x_current_time(sqlite3_vfs* vfs, double* julian_days) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xCurrentTime(real_vfs, julian_days);
  }

  static int x_get_last_error(sqlite3_vfs* vfs, int room, char* into) {
    sqlite3_vfs* real_vfs = counter_of(vfs).real;
    return real_vfs->xGetLastError(real_vfs, room, into);
  }

  static void fill(Counter& counter) {
    sqlite3_vfs& vfs = counter.vfs;
    vfs.iVersion = 1;
    vfs.szOsFile = static_cast<int>(sizeof(File)) + counter.real->szOsFile;
    vfs.mxPathname = counter.real->mxPathname;
    vfs.zName = counter.name.c_str();
    vfs.pAppData = &counter;
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    vfs.xAccess = x_access;
    vfs.xFullPathname = x_full_pathname;
    vfs.xRandomness = x_randomness;
    vfs.xSleep = x_sleep;
    vfs.xCurrentTime = x_current_time;
    vfs.xGetLastError = x_get_last_error;
  }
};

FileVfs::FileVfs(std::string name, bool waits)
    : counter_(std::make_unique<Counter>(std::move(name), waits)) {
  Methods::fill(*counter_);
  sqlite3_vfs_register(&counter_->vfs, 0);
}

FileVfs::~FileVfs() { sqlite3_vfs_unregister(&counter_->vfs); }

const std::string& FileVfs::name() const { return counter_->name; }

void FileVfs::arm(const IoPlan& plan) {
  const std::lock_guard lock(counter_->mutex);
  counter_->faults.arm(plan);
  counter_->powered = true;
}

void FileVfs::disarm() {
  const std::lock_guard lock(counter_->mutex);
  counter_->faults.disarm();
  counter_->powered = true;
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

}  // namespace leaseproof::faults
