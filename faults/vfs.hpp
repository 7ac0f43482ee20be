// A SQLite VFS over a simulated disk in memory, which can fail at a counted operation and lose its
// power.
//
// Promise: several connections of one process work on it as on SQLite's own unix VFS, in rollback
// and in WAL mode; nothing comes from the machine's clock, chance or disk. Everything is behind one
// mutex a VFS, so its connections may live in different threads. Two VFS share nothing, until one
// is given a snapshot of the other's disk: the disks go on sharing bytes, so that both VFS then
// belong to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faults/disk.hpp"
#include "faults/io_plan.hpp"

namespace leaseproof::faults {

struct VfsOptions {
  Device device;
  std::uint64_t seed = 1;  // of what SQLite draws: WAL salts, names of temporary files
  std::int64_t time_us = 1'700'000'000'000'000;  // since the epoch; stands still but for xSleep
  // A seeded bug: a sync of such a file is answered and not done.
  std::optional<Role> forgets_sync = std::nullopt;
};

class Machine;
struct Mark;

class Vfs {
 public:
  // Registers a VFS of this name, which no other has, and does not make it the default. Files are
  // named by absolute paths, which need no folder; a relative one counts from "/".
  explicit Vfs(std::string name, const VfsOptions& options = {});
  // All connections are closed by then.
  ~Vfs();
  Vfs(const Vfs&) = delete;
  Vfs& operator=(const Vfs&) = delete;

  [[nodiscard]] const std::string& name() const;

  // As IoFaults; of all connections together.
  void arm(const IoPlan& plan);
  void disarm();
  [[nodiscard]] std::int64_t hits(Operation operation, Role role) const;
  [[nodiscard]] std::int64_t fired() const;

  // Whether some connection holds the write lock of a database now: that of its WAL, or in rollback
  // mode at least RESERVED.
  [[nodiscard]] bool write_locked() const;
  // How often, since this VFS exists, a checkpoint began or wrote to the database while nobody held
  // the WAL's write lock nor the whole file exclusively: 0 as long as nobody can start the WAL anew
  // under a checkpoint. One that asks for the write lock itself (FULL, RESTART, TRUNCATE) counts
  // too, since SQLite goes on without the lock where it cannot have it.
  [[nodiscard]] std::int64_t unlocked_checkpoints() const;

  // Called before each operation that is counted, with the disk as the operations before left it.
  // May copy the disk; may use neither this VFS nor a connection on it. Empty: no longer.
  using Watcher = std::function<void(Operation, Role, const Disk&)>;
  void watch(Watcher watcher);

  // From now on every operation fails and none reaches the disk, until the next call of lose_power
  // or restore. So does a fault of kind power_loss.
  void cut_power();
  // The machine starts again. Connections that were open are of no more use: all they ask for
  // fails, except to be closed, which no longer touches the disk.
  void lose_power(const PowerLoss& plan);

  // The disk as it is now, unsynced operations included.
  [[nodiscard]] Disk snapshot() const;
  // As `snapshot().hash()`, without the copy.
  [[nodiscard]] std::uint64_t hash() const;
  // Puts a disk in place of the one there is; open connections are of no more use, as above.
  void restore(const Disk& disk);
  // As above, and the VFS draws from its seed again: whatever runs on it from here on runs as it
  // did before. Only for a disk on which nothing is known of what was drawn since.
  void start_over(const Disk& disk);

  // The machine as it is now: its disk, what the open connections share in memory, and what is
  // still to be drawn. None of them is in a transaction.
  [[nodiscard]] std::shared_ptr<const Mark> mark() const;
  // Brings that moment back beneath the connections that are open now, which go on: to SQLite
  // somebody else has changed the database meanwhile. None of them is in a transaction. False, and
  // nothing is done: one of them has a file open that the disk did not have then, or has died.
  [[nodiscard]] bool rewind(const Mark& mark);

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace leaseproof::faults
