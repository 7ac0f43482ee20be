// Faults of a machine's storage as data: which operation on which file goes wrong, when and how.
//
// Promise: a plan is counted, never drawn. `IoFaults` counts every operation that one VFS is asked
// for, by operation and by the role of the file, and says when the plan's turn has come; so a plan
// replays exactly as long as the program asks for the same operations in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/point.hpp"

namespace leaseproof::faults {

// What SQLite asks of a VFS and what can fail. `delete_` is xDelete; `lock` is xLock (rollback-mode
// locks, taken in every mode); `shm_lock` is the taking of a WAL lock in xShmLock. Giving a lock
// back cannot fail.
enum class Operation : std::uint8_t { open, read, write, sync, truncate, delete_, lock, shm_lock };
inline constexpr std::size_t operation_count = 8;
static_assert(operation_count == vfs_point_count);
constexpr Point point_of(Operation operation) {
  return static_cast<Point>(vfs_open + static_cast<std::size_t>(operation));
}
// Nothing for a point that is none of the disk's.
constexpr std::optional<Operation> operation_of(Point point) {
  if (!is_at_disk(point)) return std::nullopt;
  return static_cast<Operation>(point - vfs_open);
}
// As the point without its `vfs/`.
constexpr std::string_view word(Operation operation) {
  return std::string_view(point_names[point_of(operation)]).substr(4);
}
// Whether what a loss of power may leave is another before the operation than after it.
constexpr bool changes_disk(Operation operation) {
  switch (operation) {
    case Operation::open:  // makes the file
    case Operation::write:
    case Operation::sync:
    case Operation::truncate:
    case Operation::delete_:
      return true;
    case Operation::read:
    case Operation::lock:
    case Operation::shm_lock:
      return false;
  }
  return false;
}

// `journal` is a rollback journal, also one that spans databases; `shm` the memory that the
// connections of a WAL database share; `temporary` everything that dies with its connection.
enum class Role : std::uint8_t { database, journal, wal, shm, temporary };
inline constexpr std::size_t role_count = 5;
inline constexpr std::array<std::string_view, role_count> role_words{"database", "journal", "wal",
                                                                     "shm", "temporary"};
constexpr std::string_view word(Role role) { return role_words[static_cast<std::size_t>(role)]; }

// From the flags of xOpen (SQLITE_OPEN_MAIN_DB, …).
Role role_of_flags(int open_flags);
// From a name, where SQLite gives no flags: `…-journal`, `…-wal`, `…-shm`, and `…-mjXXXXXX9XX` for
// a journal that spans databases; else a database.
Role role_of_name(std::string_view name);

// `short_read` hands over the first half and zeros for the rest; SQLite takes that for the end of
// the file. `read_only` at the open of a database opens it for reading only, at the open of another
// file it is a read-only directory. `power_loss` cuts the power before the operation happens.
enum class IoKind : std::uint8_t {
  busy,
  io_error,
  short_read,
  disk_full,
  cannot_open,
  read_only,
  power_loss
};
inline constexpr std::size_t io_kind_count = 7;
inline constexpr std::array<std::string_view, io_kind_count> io_kind_words{
    "busy", "io_error", "short_read", "disk_full", "cannot_open", "read_only", "power_loss"};
constexpr std::string_view word(IoKind kind) {
  return io_kind_words[static_cast<std::size_t>(kind)];
}

// The kinds that a machine can answer at an operation; only these may be armed. A shm is opened and
// locked, never read or written through the VFS.
bool allows(Operation operation, Role role, IoKind kind);
// SQLite's result code for an allowed kind, as its own unix VFS would give it. The open of a
// database for reading only succeeds; the code is that of the writes that follow.
int result_code(Operation operation, Role role, IoKind kind);
// The flags with which a database is opened whose open is answered SQLITE_READONLY.
int opened_only_to_read(int open_flags);

struct IoPlan {
  Operation operation = Operation::write;
  std::optional<Role> role = Role::database;  // nothing: every file for which the kind is allowed
  IoKind kind = IoKind::io_error;
  std::int64_t hit = 1;    // fires first at this operation on such a file, from 1
  bool sticky = false;     // and at all that follow
  std::int64_t times = 1;  // otherwise at so many in a row
};
// Whether such a plan can fire at some file.
bool allows(const IoPlan& plan);

// Every plan that `allows` lets through, each at its first hit and once, in the order of the enums.
std::vector<IoPlan> allowed_plans();
// As `write wal disk_full 2 sticky`.
std::string sentence(const IoPlan& plan);

// Counts and decides, and knows whether there is power. Not locked: whoever owns it calls it under
// a lock of its own.
class IoFaults {
 public:
  // Counts from zero again. A plan that is not allowed never fires.
  void arm(const IoPlan& plan);
  // Counts from zero again, nothing fires.
  void disarm();
  // One operation is asked for: what goes wrong with it, if anything. A power_loss that fires cuts
  // the power. Without power everything is a power_loss, and nothing is counted.
  std::optional<IoKind> hit(Operation operation, Role role);

  void cut_power() { powered_ = false; }
  void power_on() { powered_ = true; }
  [[nodiscard]] bool powered() const { return powered_; }

  // Since the last arm or disarm.
  [[nodiscard]] std::int64_t hits(Operation operation, Role role) const;
  [[nodiscard]] std::int64_t fired() const { return fired_; }

 private:
  std::optional<IoPlan> plan_;
  std::array<std::array<std::int64_t, role_count>, operation_count> hits_{};
  std::int64_t planned_ = 0;  // operations that the plan is about
  std::int64_t fired_ = 0;
  bool powered_ = true;
};

}  // namespace leaseproof::faults
