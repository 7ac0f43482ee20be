// The default VFS on real files, in which a counted operation can fail.
//
// Promise: the same plans, counted the same way, as the VFS in memory (vfs.hpp); whatever does not
// fail is done by SQLite's own VFS. There is no loss of power here: a kind power_loss only makes
// every operation from then on fail. For the loss of the process itself, `watch` is called between
// any two operations and may end it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "faults/io_plan.hpp"

namespace leaseproof::faults {

class FileVfs {
 public:
  // Registers a VFS of this name, which no other has, over the default one. A sync is counted and
  // may fail but does not wait for the disk unless it is told to, and xSleep returns at once: for
  // one process on a machine that stays up, neither makes a difference but time.
  explicit FileVfs(std::string name);
  // All connections are closed by then.
  ~FileVfs();
  FileVfs(const FileVfs&) = delete;
  FileVfs& operator=(const FileVfs&) = delete;

  [[nodiscard]] const std::string& name() const;

  // As IoFaults; of all connections together. Arming gives the power back, too.
  void arm(const IoPlan& plan);
  void disarm();
  [[nodiscard]] std::int64_t hits(Operation operation, Role role) const;
  [[nodiscard]] std::int64_t fired() const;

  // Called before each operation that is counted. May end the process (`_exit`); may use neither
  // this VFS nor a connection on it. Empty: no longer.
  using Watcher = std::function<void(Operation, Role)>;
  void watch(Watcher watcher);
  // Whether a sync waits for the disk, as it does for those who use the default VFS.
  void wait_for_disk(bool waits);

 private:
  class Counter;
  struct Methods;
  std::unique_ptr<Counter> counter_;
};

}  // namespace leaseproof::faults
