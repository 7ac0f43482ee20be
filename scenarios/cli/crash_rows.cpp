#include <fmt/format.h>

#include <algorithm>

#include "scenarios/cli/crashing.hpp"

namespace leaseproof::scenarios::cli {

using faults::Operation;
using faults::Role;
using properties::KillRound;

namespace {

// What SQLite ever does to a file of this role, for a database of ours: its temporary files stay in
// memory; the rollback journal is there until a fresh database goes over to its WAL; nothing but
// the database itself is cut, by a checkpoint that has written all of the WAL back.
bool happens(Operation operation, Role role) {
  switch (role) {
    case Role::database:
      return operation != Operation::delete_ && operation != Operation::shm_lock;
    case Role::journal:
      return operation == Operation::open || operation == Operation::write ||
             operation == Operation::sync || operation == Operation::delete_;
    case Role::wal:
      return operation != Operation::truncate && operation != Operation::lock &&
             operation != Operation::shm_lock;
    case Role::shm:
      return operation == Operation::open || operation == Operation::shm_lock;
    case Role::temporary:
      return false;
  }
  return false;
}

CrashRow row_of(faults::Point point) {
  CrashRow row;
  row.name = faults::point_names[point];
  row.hunt = properties::Hunt{point, faults::Kind::crash};
  return row;
}

void add_disk_rows(faults::Point point, std::vector<CrashRow>& rows) {
  for (std::size_t i = 0; i < faults::role_count; ++i) {
    const auto role = static_cast<Role>(i);
    if (!happens(*faults::operation_of(point), role)) continue;
    CrashRow& row = rows.emplace_back(row_of(point));
    row.name += fmt::format(" {}", faults::word(role));
    row.file = role;
  }
}

std::vector<CrashRow> all_rows() {
  std::vector<CrashRow> rows;
  for (faults::Point point = 0; point < faults::point_count; ++point) {
    if (faults::is_at_disk(point)) {
      add_disk_rows(point, rows);
      continue;
    }
    CrashRow& row = rows.emplace_back(row_of(point));
    if (point == faults::effect_before_call) {
      row.round = [](const KillRound& round) {
        return kill_at_service(faults::effect_before_call, round);
      };
    } else if (point == faults::effect_after_call) {
      row.round = [](const KillRound& round) {
        return kill_at_service(faults::effect_after_call, round);
      };
    }
  }
  const auto add = [&](std::string_view name, CrashRow::Round round) {
    rows.emplace_back().name = name;
    rows.back().round = round;
  };
  add("processes/lock_holder/write",
      [](const KillRound& round) { return kill_lock_holder(faults::Place::write, round); });
  add("processes/lock_holder/commit",
      [](const KillRound& round) { return kill_lock_holder(faults::Place::commit, round); });
  add("processes/workers", [](const KillRound& round) { return kill_workers(round); });
  return rows;
}

}  // namespace

std::vector<CrashRow> crash_rows(const std::vector<std::string>& beginnings) {
  std::vector<CrashRow> rows = all_rows();
  const auto named_by = [](const CrashRow& row) {
    return [&row](const std::string& beginning) { return row.name.starts_with(beginning); };
  };
  for (const std::string& beginning : beginnings) {
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const CrashRow& row) { return named_by(row)(beginning); })) {
      throw InputWrong{fmt::format(
          "--points: nothing begins with '{}'; `leaseproof faults` lists the points", beginning)};
    }
  }
  if (beginnings.empty()) return rows;
  std::erase_if(rows, [&](const CrashRow& row) {
    return std::none_of(beginnings.begin(), beginnings.end(), named_by(row));
  });
  return rows;
}

}  // namespace leaseproof::scenarios::cli
