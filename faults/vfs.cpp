#include "faults/vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "faults/draw.hpp"
#include "faults/file_locks.hpp"

namespace leaseproof::faults {

// One open file of one connection.
struct Vfs::Handle {
  Machine* machine = nullptr;
  FileId file = 0;
  Role role = Role::database;
  bool read_only = false;
  // A journal or WAL that this handle has made: its first sync makes its name durable as well, as
  // SQLite's unix VFS does. A database's name waits for that.
  bool syncs_directory = false;
  std::uint64_t boot = 0;  // in which life of the machine it was opened
  LockHolder holder;
  std::shared_ptr<FileLocks> locks;
};

class Vfs::Machine {
 public:
  Machine(std::string vfs_name, const VfsOptions& options)
      : name(std::move(vfs_name)),
        disk(options.device),
        time_us(options.time_us),
        draw(options.seed) {}

  // What stops an operation, if anything does; SQLite's result code. Otherwise it may happen now.
  std::optional<IoKind> stops(Operation operation, Role role, std::uint64_t opened_in) {
    if (!lives(opened_in)) return IoKind::power_loss;
    if (watcher) watcher(operation, role, disk);
    const auto kind = faults.hit(operation, role);
    if (kind == IoKind::power_loss) powered = false;
    return kind;
  }
  [[nodiscard]] bool lives(std::uint64_t opened_in) const { return powered && opened_in == boot; }

  void start_again() {
    ++boot;
    powered = true;
    locks_.clear();
  }

  std::shared_ptr<FileLocks> locks_of(FileId file) {
    auto& locks = locks_[file];
    if (locks == nullptr) locks = std::make_shared<FileLocks>();
    return locks;
  }

  void forget_locks(FileId file) {
    const auto found = locks_.find(file);
    if (found != locks_.end() && !found->second->has_holders()) locks_.erase(found);
  }

  const std::string name;
  mutable std::mutex mutex;
  sqlite3_vfs vfs{};
  Disk disk;
  IoFaults faults;
  Watcher watcher;
  bool powered = true;
  std::uint64_t boot = 1;
  std::int64_t time_us;
  Draw draw;

 private:
  std::map<FileId, std::shared_ptr<FileLocks>> locks_;
};

namespace {

using Lock = std::lock_guard<std::mutex>;

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

}  // namespace

// What SQLite calls. Each function says in its name which of them it is; their contracts are those
// of sqlite.org/c3ref/vfs.html and io_methods.html.
struct Vfs::Methods {
  struct File : sqlite3_file {
    Handle* handle;
  };
  static Handle& handle_of(sqlite3_file* file) { return *static_cast<File*>(file)->handle; }
  static Machine& machine_of(sqlite3_vfs* vfs) { return *static_cast<Machine*>(vfs->pAppData); }
  static std::optional<IoKind> stops(Operation operation, const Handle& handle) {
    return handle.machine->stops(operation, handle.role, handle.boot);
  }
  static bool lives(const Handle& handle) { return handle.machine->lives(handle.boot); }

  static int x_close(sqlite3_file* file) {
    const std::unique_ptr<Handle> handle(&handle_of(file));
    const Lock lock(handle->machine->mutex);
    handle->locks->leave(handle->holder);
    if (lives(*handle)) {
      handle->machine->forget_locks(handle->file);
      handle->machine->disk.release(handle->file);
    }
    return SQLITE_OK;
  }

  static int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
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

  static int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    const auto stopped = stops(Operation::write, handle);
    if (stopped) return result_code(Operation::write, handle.role, *stopped);
    if (handle.read_only) return SQLITE_READONLY;
    handle.machine->disk.write(
        handle.file, static_cast<std::uint64_t>(offset),
        {static_cast<const std::byte*>(from), static_cast<std::size_t>(amount)});
    return SQLITE_OK;
  }

  static int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    const auto stopped = stops(Operation::truncate, handle);
    if (stopped) return result_code(Operation::truncate, handle.role, *stopped);
    if (handle.read_only) return SQLITE_READONLY;
    handle.machine->disk.truncate(handle.file, static_cast<std::uint64_t>(size));
    return SQLITE_OK;
  }

  static int x_sync(sqlite3_file* file, int /*flags*/) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    const auto stopped = stops(Operation::sync, handle);
    if (stopped) return result_code(Operation::sync, handle.role, *stopped);
    handle.machine->disk.sync(handle.file);
    if (std::exchange(handle.syncs_directory, false)) handle.machine->disk.sync_directory();
    return SQLITE_OK;
  }

  static int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    if (!lives(handle)) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(handle.machine->disk.size(handle.file));
    return SQLITE_OK;
  }

  static int x_lock(sqlite3_file* file, int level) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    const auto stopped = stops(Operation::lock, handle);
    if (stopped) return result_code(Operation::lock, handle.role, *stopped);
    return handle.locks->raise(handle.holder, static_cast<LockLevel>(level)) ? SQLITE_OK
                                                                             : SQLITE_BUSY;
  }

  static int x_unlock(sqlite3_file* file, int level) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    FileLocks::lower(handle.holder, static_cast<LockLevel>(level));
    return SQLITE_OK;
  }

  static int x_check_reserved_lock(sqlite3_file* file, int* reserved) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    if (!lives(handle)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    *reserved = handle.locks->is_reserved() ? 1 : 0;
    return SQLITE_OK;
  }

  static int x_file_control(sqlite3_file* /*file*/, int /*request*/, void* /*argument*/) {
    return SQLITE_NOTFOUND;
  }

  static int x_sector_size(sqlite3_file* file) {
    return static_cast<int>(handle_of(file).machine->disk.device().sector_bytes);
  }

  static int x_device_characteristics(sqlite3_file* file) {
    return characteristics_of(handle_of(file).machine->disk.device());
  }

  static int x_shm_map(sqlite3_file* file, int index, int bytes, int make, void volatile** memory) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
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

  static int x_shm_lock(sqlite3_file* file, int first, int count, int flags) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
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
  static void x_shm_barrier(sqlite3_file* file) { const Lock lock(handle_of(file).machine->mutex); }

  static int x_shm_unmap(sqlite3_file* file, int /*and_delete*/) {
    Handle& handle = handle_of(file);
    const Lock lock(handle.machine->mutex);
    handle.locks->unmap(handle.holder);
    return SQLITE_OK;
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
    Machine& machine = machine_of(vfs);
    file->pMethods = nullptr;
    const Lock lock(machine.mutex);
    const Role role = role_of_flags(flags);
    const auto stopped = machine.stops(Operation::open, role, machine.boot);
    const bool only_to_read = stopped == IoKind::read_only && role == Role::database;
    if (stopped && !only_to_read) return result_code(Operation::open, role, *stopped);
    if (only_to_read)
      flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;

    const bool unnamed = path == nullptr || (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    auto found = unnamed ? std::nullopt : machine.disk.find(path);
    if (found && (flags & SQLITE_OPEN_EXCLUSIVE) != 0) return SQLITE_CANTOPEN;
    const bool makes = !found;
    if (makes) {
      if (!unnamed && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
      found = machine.disk.create(unnamed ? "" : path);
    }
    machine.disk.hold(*found);
    auto handle = std::make_unique<Handle>();
    handle->machine = &machine;
    handle->file = *found;
    handle->role = role;
    handle->read_only = (flags & SQLITE_OPEN_READONLY) != 0;
    handle->syncs_directory = makes && (role == Role::journal || role == Role::wal);
    handle->boot = machine.boot;
    handle->locks = machine.locks_of(*found);
    handle->locks->join(handle->holder);
    static_cast<File*>(file)->handle = handle.release();
    file->pMethods = io_methods();
    if (flags_given != nullptr) *flags_given = flags;
    return SQLITE_OK;
  }

  static int x_delete(sqlite3_vfs* vfs, const char* path, int and_sync_directory) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    const Role role = role_of_name(path);
    const auto stopped = machine.stops(Operation::delete_, role, machine.boot);
    if (stopped) return result_code(Operation::delete_, role, *stopped);
    if (!machine.disk.remove(path)) return SQLITE_IOERR_DELETE_NOENT;
    if (and_sync_directory != 0) machine.disk.sync_directory();
    return SQLITE_OK;
  }

  // An empty file is none to SQLite, which asks for journals; as its unix VFS answers.
  static int x_access(sqlite3_vfs* vfs, const char* path, int question, int* answer) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    if (!machine.powered) return SQLITE_IOERR_ACCESS;
    const auto found = machine.disk.find(path);
    const bool counts =
        question != SQLITE_ACCESS_EXISTS || (found && machine.disk.size(*found) > 0);
    *answer = found && counts ? 1 : 0;
    return SQLITE_OK;
  }

  static int x_full_pathname(sqlite3_vfs* /*vfs*/, const char* path, int room, char* into) {
    std::string full = path[0] == '/' ? path : std::string("/") + path;
    if (full.size() >= static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
    std::memcpy(into, full.c_str(), full.size() + 1);
    return SQLITE_OK;
  }

  static int x_randomness(sqlite3_vfs* vfs, int amount, char* into) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    for (int i = 0; i < amount; ++i) into[i] = static_cast<char>(machine.draw.bits() >> 56U);
    return amount;
  }

  // Nobody waits: whoever else has to move does so in another thread or not at all.
  static int x_sleep(sqlite3_vfs* vfs, int micros) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    machine.time_us += micros;
    return micros;
  }

  static int x_current_time_int64(sqlite3_vfs* vfs, sqlite3_int64* julian_ms) {
    constexpr sqlite3_int64 epoch_julian_ms = 210'866'760'000'000;
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    *julian_ms = epoch_julian_ms + machine.time_us / 1000;
    return SQLITE_OK;
  }

  static int x_current_time(sqlite3_vfs* vfs, double* julian_days) {
    sqlite3_int64 julian_ms = 0;
    x_current_time_int64(vfs, &julian_ms);
    *julian_days = static_cast<double>(julian_ms) / 86'400'000.0;
    return SQLITE_OK;
  }

  static int x_get_last_error(sqlite3_vfs* /*vfs*/, int /*room*/, char* /*into*/) { return 0; }

  static void fill(Machine& machine) {
    sqlite3_vfs& vfs = machine.vfs;
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(File);
    vfs.mxPathname = 512;
    vfs.zName = machine.name.c_str();
    vfs.pAppData = &machine;
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    vfs.xAccess = x_access;
    vfs.xFullPathname = x_full_pathname;
    vfs.xRandomness = x_randomness;
    vfs.xSleep = x_sleep;
    vfs.xCurrentTime = x_current_time;
    vfs.xGetLastError = x_get_last_error;
    vfs.xCurrentTimeInt64 = x_current_time_int64;
  }
};

Vfs::Vfs(std::string name, const VfsOptions& options)
    : machine_(std::make_unique<Machine>(std::move(name), options)) {
  Methods::fill(*machine_);
  sqlite3_vfs_register(&machine_->vfs, 0);
}

Vfs::~Vfs() { sqlite3_vfs_unregister(&machine_->vfs); }

const std::string& Vfs::name() const { return machine_->name; }

void Vfs::arm(const IoPlan& plan) {
  const Lock lock(machine_->mutex);
  machine_->faults.arm(plan);
}

void Vfs::disarm() {
  const Lock lock(machine_->mutex);
  machine_->faults.disarm();
}

std::int64_t Vfs::hits(Operation operation, Role role) const {
  const Lock lock(machine_->mutex);
  return machine_->faults.hits(operation, role);
}

std::int64_t Vfs::fired() const {
  const Lock lock(machine_->mutex);
  return machine_->faults.fired();
}

void Vfs::watch(Watcher watcher) {
  const Lock lock(machine_->mutex);
  machine_->watcher = std::move(watcher);
}

void Vfs::cut_power() {
  const Lock lock(machine_->mutex);
  machine_->powered = false;
}

void Vfs::lose_power(const PowerLoss& plan) {
  const Lock lock(machine_->mutex);
  machine_->disk.lose_power(plan);
  machine_->start_again();
}

Disk Vfs::snapshot() const {
  const Lock lock(machine_->mutex);
  return machine_->disk;
}

void Vfs::restore(const Disk& disk) {
  const Lock lock(machine_->mutex);
  machine_->disk = disk;
  machine_->disk.release_all();
  machine_->start_again();
}

}  // namespace leaseproof::faults
