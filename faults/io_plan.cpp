#include "faults/io_plan.hpp"

#include <sqlite3.h>

namespace leaseproof::faults {

Role role_of_flags(int open_flags) {
  if ((open_flags & SQLITE_OPEN_MAIN_DB) != 0) return Role::database;
  if ((open_flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0) {
    return Role::journal;
  }
  if ((open_flags & SQLITE_OPEN_WAL) != 0) return Role::wal;
  return Role::temporary;
}

Role role_of_name(std::string_view name) {
  if (name.ends_with("-journal")) return Role::journal;
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
  switch (operation) {
    case Operation::open:
      return role == Role::shm ? SQLITE_IOERR_SHMOPEN : SQLITE_IOERR;
    case Operation::read:
      return SQLITE_IOERR_READ;
    case Operation::write:
      return SQLITE_IOERR_WRITE;
    case Operation::sync:
      return SQLITE_IOERR_FSYNC;
    case Operation::truncate:
      return SQLITE_IOERR_TRUNCATE;
    case Operation::delete_:
      return SQLITE_IOERR_DELETE;
    case Operation::lock:
      return SQLITE_IOERR_LOCK;
    case Operation::shm_lock:
      return SQLITE_IOERR_SHMLOCK;
  }
  return SQLITE_IOERR;
}

void IoFaults::arm(const IoPlan& plan) {
  disarm();
  if (allows(plan.operation, plan.role, plan.kind)) plan_ = plan;
}

void IoFaults::disarm() {
  plan_.reset();
  hits_ = {};
  fired_ = 0;
}

std::optional<IoKind> IoFaults::hit(Operation operation, Role role) {
  std::int64_t& hits = hits_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(role)];
  ++hits;
  if (!plan_ || plan_->operation != operation || plan_->role != role) return std::nullopt;
  if (plan_->sticky ? hits < plan_->hit : hits != plan_->hit) return std::nullopt;
  ++fired_;
  return plan_->kind;
}

std::int64_t IoFaults::hits(Operation operation, Role role) const {
  return hits_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(role)];
}

}  // namespace leaseproof::faults
