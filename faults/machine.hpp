// What stands behind the VFS in memory: the machine with its disk, power and locks, and the files
// that connections have open on it.
//
// Promise: for the rooms of the VFS alone (vfs.cpp, vfs_file.cpp). Whoever touches a machine or a
// handle holds the machine's mutex.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "faults/disk.hpp"
#include "faults/draw.hpp"
#include "faults/file_locks.hpp"
#include "faults/io_plan.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::faults {

struct Handle;

class Machine {
 public:
  Machine(std::string vfs_name, const VfsOptions& options)
      : name(std::move(vfs_name)),
        forgets_sync(options.forgets_sync),
        disk(options.device),
        time_us(options.time_us),
        seed(options.seed),
        draw(options.seed) {}

  // Counts an operation. The code that SQLite is answered; if it is SQLITE_OK, the operation may
  // happen now. A handle from an earlier life of the machine, like one without power, finds its
  // power lost.
  int refused(Operation operation, Role role, std::uint64_t opened_in) {
    if (!lives(opened_in)) return result_code(operation, role, IoKind::power_loss);
    if (watcher) watcher(operation, role, disk);
    const auto kind = faults.hit(operation, role);
    return kind ? result_code(operation, role, *kind) : SQLITE_OK;
  }
  [[nodiscard]] bool lives(std::uint64_t opened_in) const {
    return faults.powered() && opened_in == boot;
  }

  void start_again() {
    ++boot;
    faults.power_on();
    locks_.clear();
  }

  std::shared_ptr<FileLocks> locks_of(FileId file) {
    auto& locks = locks_[file];
    if (locks == nullptr) locks = std::make_shared<FileLocks>();
    return locks;
  }

  // Whether some connection of this life may write now.
  [[nodiscard]] bool write_locked() const {
    return std::any_of(locks_.begin(), locks_.end(),
                       [](const auto& file) { return file.second->is_write_locked(); });
  }

  [[nodiscard]] std::map<FileId, SharedMemory> shared_memory() const {
    std::map<FileId, SharedMemory> all;
    for (const auto& [file, locks] : locks_) all[file] = locks->memory();
    return all;
  }
  void set_shared_memory(const std::map<FileId, SharedMemory>& all) {
    for (const auto& [file, locks] : locks_) {
      const auto found = all.find(file);
      locks->set_memory(found == all.end() ? SharedMemory() : found->second);
    }
  }

  void forget_locks(FileId file) {
    const auto found = locks_.find(file);
    if (found != locks_.end() && !found->second->has_holders()) locks_.erase(found);
  }

  const std::string name;
  const std::optional<Role> forgets_sync;
  mutable std::mutex mutex;
  sqlite3_vfs vfs{};
  Disk disk;
  IoFaults faults;
  Vfs::Watcher watcher;
  std::uint64_t boot = 1;
  std::int64_t time_us;
  const std::uint64_t seed;
  Draw draw;
  std::int64_t unlocked_checkpoints = 0;
  std::uint64_t opened = 0;               // files, ever
  std::map<std::uint64_t, Handle*> open;  // by their number among those

 private:
  std::map<FileId, std::shared_ptr<FileLocks>> locks_;
};

// One open file of one connection.
struct Handle {
  Machine* machine = nullptr;
  FileId file = 0;
  Role role = Role::database;
  bool read_only = false;
  // A journal or WAL that this handle was to make where it was missing: its first sync makes its
  // name durable as well, as SQLite's unix VFS does, whoever has made it. A database's name waits
  // for that.
  bool syncs_directory = false;
  std::uint64_t boot = 0;    // in which life of the machine it was opened
  std::uint64_t number = 0;  // of all that were opened
  LockHolder holder;
  std::shared_ptr<FileLocks> locks;
};

struct Mark {
  Disk disk;
  std::map<FileId, SharedMemory> memory;
  std::map<std::uint64_t, bool> sync_directory;  // of each open handle, by its number
  Draw draw;
};

// The memory that SQLite gives for an open file.
struct OpenFile : sqlite3_file {
  Handle* handle;
};

// The methods of an open file.
const sqlite3_io_methods* file_methods();

}  // namespace leaseproof::faults
