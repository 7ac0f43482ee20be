#include "faults/vfs.hpp"

#include <sqlite3.h>

#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "faults/machine.hpp"
#include "faults/vfs_methods.hpp"

namespace leaseproof::faults {
namespace {

using Lock = std::lock_guard<std::mutex>;

// What SQLite calls. Each function says in its name which method it is; their contracts are those
// of sqlite.org/c3ref/vfs.html.
struct VfsMethods {
  static Machine& machine_of(sqlite3_vfs* vfs) { return *static_cast<Machine*>(vfs->pAppData); }

  static int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                    int* flags_given) {
    Machine& machine = machine_of(vfs);
    file->pMethods = nullptr;
    const Lock lock(machine.mutex);
    const Role role = role_of_flags(flags);
    const int refused = machine.refused(Operation::open, role, machine.boot);
    if (refused == SQLITE_READONLY) {
      flags = opened_only_to_read(flags);
    } else if (refused != SQLITE_OK) {
      return refused;
    }

    const bool unnamed = path == nullptr || (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    auto found = unnamed ? std::nullopt : machine.disk.find(path);
    if (found && (flags & SQLITE_OPEN_EXCLUSIVE) != 0) return SQLITE_CANTOPEN;
    if (!found) {
      if (!unnamed && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
      found = machine.disk.create(unnamed ? "" : path);
    }
    machine.disk.hold(*found);
    auto handle = std::make_unique<Handle>();
    handle->machine = &machine;
    handle->file = *found;
    handle->role = role;
    handle->read_only = (flags & SQLITE_OPEN_READONLY) != 0;
    handle->syncs_directory =
        (flags & SQLITE_OPEN_CREATE) != 0 && (role == Role::journal || role == Role::wal);
    handle->boot = machine.boot;
    handle->number = ++machine.opened;
    machine.open.emplace(handle->number, handle.get());
    handle->locks = machine.locks_of(*found);
    handle->locks->join(handle->holder);
    static_cast<OpenFile*>(file)->handle = handle.release();
    file->pMethods = file_methods();
    if (flags_given != nullptr) *flags_given = flags;
    return SQLITE_OK;
  }

  static int x_delete(sqlite3_vfs* vfs, const char* path, int and_sync_directory) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    const int refused = machine.refused(Operation::delete_, role_of_name(path), machine.boot);
    if (refused != SQLITE_OK) return refused;
    if (!machine.disk.remove(path)) return SQLITE_IOERR_DELETE_NOENT;
    if (and_sync_directory != 0) machine.disk.sync_directory();
    return SQLITE_OK;
  }

  // An empty file is none to SQLite, which asks for journals; as its unix VFS answers.
  static int x_access(sqlite3_vfs* vfs, const char* path, int question, int* answer) {
    Machine& machine = machine_of(vfs);
    const Lock lock(machine.mutex);
    if (!machine.faults.powered()) return SQLITE_IOERR_ACCESS;
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
};
}  // namespace

Vfs::Vfs(std::string name, const VfsOptions& options)
    : machine_(std::make_unique<Machine>(std::move(name), options)) {
  fill<VfsMethods>(machine_->vfs, machine_->name.c_str(), sizeof(OpenFile), 512, machine_.get());
  machine_->vfs.iVersion = 2;
  machine_->vfs.xCurrentTimeInt64 = VfsMethods::x_current_time_int64;
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

bool Vfs::write_locked() const {
  const Lock lock(machine_->mutex);
  return machine_->write_locked();
}

std::int64_t Vfs::unlocked_checkpoints() const {
  const Lock lock(machine_->mutex);
  return machine_->unlocked_checkpoints;
}

void Vfs::watch(Watcher watcher) {
  const Lock lock(machine_->mutex);
  machine_->watcher = std::move(watcher);
}

void Vfs::cut_power() {
  const Lock lock(machine_->mutex);
  machine_->faults.cut_power();
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

std::uint64_t Vfs::hash() const {
  const Lock lock(machine_->mutex);
  return machine_->disk.hash();
}

void Vfs::restore(const Disk& disk) {
  const Lock lock(machine_->mutex);
  machine_->disk = disk;
  machine_->disk.release_all();
  machine_->start_again();
}

void Vfs::start_over(const Disk& disk) {
  restore(disk);
  const Lock lock(machine_->mutex);
  machine_->draw = Draw(machine_->seed);
}

std::shared_ptr<const Mark> Vfs::mark() const {
  const Lock lock(machine_->mutex);
  Mark now{machine_->disk, machine_->shared_memory(), {}, machine_->draw};
  for (const auto& [number, handle] : machine_->open) {
    now.sync_directory.emplace(number, handle->syncs_directory);
  }
  return std::make_shared<const Mark>(std::move(now));
}

bool Vfs::rewind(const Mark& mark) {
  const Lock lock(machine_->mutex);
  if (!machine_->faults.powered()) return false;
  Disk disk = mark.disk;
  disk.release_all();
  for (const auto& [number, handle] : machine_->open) {
    if (!machine_->lives(handle->boot) || !disk.has(handle->file)) return false;
    disk.hold(handle->file);
  }
  machine_->disk = std::move(disk);
  machine_->set_shared_memory(mark.memory);
  for (const auto& [number, handle] : machine_->open) {
    const auto then = mark.sync_directory.find(number);
    handle->syncs_directory = then == mark.sync_directory.end()
                                  ? handle->role == Role::journal || handle->role == Role::wal
                                  : then->second;
  }
  machine_->draw = mark.draw;
  return true;
}

}  // namespace leaseproof::faults
