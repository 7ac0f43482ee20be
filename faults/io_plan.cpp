#include "faults/io_plan.hpp"

#include <sqlite3.h>

#include <array>
#include <cstddef>

namespace leaseproof::faults {

Role role_of_flags(int open_flags) {
  if ((open_flags & SQLITE_OPEN_MAIN_DB) != 0) return Role::database;
  if ((open_flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0) {
    return Role::journal;
  }
  if ((open_flags & SQLITE_OPEN_WAL) != 0) return Role::wal;
  return Role::temporary;
}

namespace {
// SQLite names it after the database: `-mj`, six hexadecimal digits, a 9 and two more of them.
bool is_super_journal(std::string_view name) {
  constexpr std::size_t tail = std::string_view("-mjXXXXXX9XX").size();
  return name.size() > tail && name.substr(name.size() - tail).starts_with("-mj");
}
}  // namespace

Role role_of_name(std::string_view name) {
  if (name.ends_with("-journal") || is_super_journal(name)) return Role::journal;
  if (name.ends_with("-wal")) return Role::wal;
  if (name.ends_with("-shm")) return Role::shm;
  return Role::database;
}

bool allows(Operation operation, Role role, IoKind kind) {
  const bool has_bytes = role != Role::shm;
  if (kind == IoKind::power_loss) {
    return has_bytes || operation == Operation::open || operation == Operation::shm_lock;
  }
  switch (operation) {
    case Operation::open:
      return kind == IoKind::io_error || kind == IoKind::cannot_open ||
             (kind == IoKind::read_only && has_bytes && role != Role::temporary);
    case Operation::read:
      return has_bytes && (kind == IoKind::io_error || kind == IoKind::short_read);
    case Operation::write:
      return has_bytes &&
             (kind == IoKind::io_error || kind == IoKind::disk_full || kind == IoKind::read_only);
    case Operation::sync:
    case Operation::truncate:
    case Operation::delete_:
      return has_bytes && kind == IoKind::io_error;
    case Operation::lock:
      return role == Role::database && (kind == IoKind::busy || kind == IoKind::io_error);
    case Operation::shm_lock:
      return role == Role::shm && (kind == IoKind::busy || kind == IoKind::io_error);
  }
  return false;
}

namespace {
// Indexed by Operation.
constexpr std::array<int, operation_count> io_errors{
    SQLITE_IOERR,          SQLITE_IOERR_READ,   SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC,
    SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_DELETE, SQLITE_IOERR_LOCK,  SQLITE_IOERR_SHMLOCK};
}  // namespace

int result_code(Operation operation, Role role, IoKind kind) {
  switch (kind) {
    case IoKind::busy:
      return SQLITE_BUSY;
    case IoKind::short_read:
      return SQLITE_IOERR_SHORT_READ;
    case IoKind::disk_full:
      return SQLITE_FULL;
    case IoKind::cannot_open:
      return SQLITE_CANTOPEN;
    case IoKind::read_only:
      return operation == Operation::open && role != Role::database ? SQLITE_READONLY_DIRECTORY
                                                                    : SQLITE_READONLY;
    case IoKind::io_error:
    case IoKind::power_loss:
      break;
  }
  if (operation == Operation::open && role == Role::shm) return SQLITE_IOERR_SHMOPEN;
  return io_errors[static_cast<std::size_t>(operation)];
}

int opened_only_to_read(int open_flags) {
  return (open_flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
}

std::vector<IoPlan> allowed_plans() {
  std::vector<IoPlan> plans;
  for (std::size_t i = 0; i < operation_count * role_count * io_kind_count; ++i) {
    const auto operation = static_cast<Operation>(i / (role_count * io_kind_count));
    const auto role = static_cast<Role>(i / io_kind_count % role_count);
    const auto kind = static_cast<IoKind>(i % io_kind_count);
    if (allows(operation, role, kind)) plans.push_back({operation, role, kind, 1, false, 1});
  }
  return plans;
}

bool allows(const IoPlan& plan) {
  if (plan.role) return allows(plan.operation, *plan.role, plan.kind);
  for (std::size_t role = 0; role < role_count; ++role) {
    if (allows(plan.operation, static_cast<Role>(role), plan.kind)) return true;
  }
  return false;
}

std::string sentence(const IoPlan& plan) {
  return std::string(word(plan.operation)) + " " +
         std::string(plan.role ? word(*plan.role) : "any") + " " + std::string(word(plan.kind)) +
         " " + std::to_string(plan.hit) + (plan.sticky ? " sticky" : "");
}

void IoFaults::arm(const IoPlan& plan) {
  disarm();
  if (allows(plan)) plan_ = plan;
}

void IoFaults::disarm() {
  plan_.reset();
  hits_ = {};
  planned_ = 0;
  fired_ = 0;
}

std::optional<IoKind> IoFaults::hit(Operation operation, Role role) {
  if (!powered_) return IoKind::power_loss;
  ++hits_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(role)];
  if (!plan_ || plan_->operation != operation) return std::nullopt;
  if (plan_->role ? *plan_->role != role : !allows(operation, role, plan_->kind)) {
    return std::nullopt;
  }
  const std::int64_t past = ++planned_ - plan_->hit;
  if (past < 0 || (!plan_->sticky && past >= plan_->times)) return std::nullopt;
  ++fired_;
  if (plan_->kind == IoKind::power_loss) cut_power();
  return plan_->kind;
}

std::int64_t IoFaults::hits(Operation operation, Role role) const {
  return hits_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(role)];
}

}  // namespace leaseproof::faults
