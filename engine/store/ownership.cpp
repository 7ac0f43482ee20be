#include "engine/store/ownership.hpp"

namespace leaseproof::engine::store {

Owned owned_of(const sqlite::Rows& rows) {
  return {rows.integer(0), rows.integer(1),       rows.integer(2),     rows.integer(3),
          rows.integer(4), rows.maybe_integer(5), rows.integer(6) == 1};
}

std::optional<Owned> own(Write& write, std::string_view op, std::string_view token_hash) {
  auto rows = write.query(Sql::own, op, token_hash, write.now_us());
  if (!rows.next()) return std::nullopt;
  return owned_of(rows);
}

bool ended_by_deadline(Write& write, const Owned& owned, std::string_view token_hash) {
  if (!owned.deadline_us || *owned.deadline_us > write.now_us()) return false;
  write.execute(Sql::drop_lease, owned.row, token_hash);
  write.execute(Sql::fail_running, owned.row, "deadline_exceeded");
  write.journal().op(owned.row, owned.workflow, owned.generation, "op_failed", "running", "failed");
  return true;
}

}  // namespace leaseproof::engine::store
