#include "engine/store/ending.hpp"

namespace leaseproof::engine::store {
namespace {

using model::OpStatus;

// The status that the statement returned; `unchanged` where it changed no row.
OpStatus became(Write& write, sqlite::Rows rows, OpStatus unchanged) {
  if (!rows.next()) return unchanged;
  const auto status = model::from_word<OpStatus>(rows.text(0)).value_or(unchanged);
  while (rows.next()) {
  }
  write.first_change();
  return status;
}

std::string_view kind_of(OpStatus status) {
  if (status == OpStatus::reconciling) return "op_unknown";
  return status == OpStatus::canceled ? "op_canceled" : "op_failed";
}

OpStatus tell(Write& write, const OpRow& op, OpStatus from, OpStatus to) {
  if (from == to) return to;
  write.journal().op(op.row, op.workflow, op.generation, kind_of(to), model::word(from),
                     model::word(to));
  return to;
}

}  // namespace

OpStatus end_running(Write& write, const OpRow& op, std::string_view error) {
  const auto to = became(write, write.query(Sql::fail_running, op.row, error), OpStatus::running);
  return tell(write, op, OpStatus::running, to);
}

OpStatus end_ready(Write& write, const OpRow& op, std::string_view error) {
  const auto to = became(write, write.query(Sql::fail_ready, op.row, error), OpStatus::ready);
  return tell(write, op, OpStatus::ready, to);
}

OpStatus end_canceled(Write& write, const OpRow& op, OpStatus from) {
  const auto to = became(write, write.query(Sql::cancel_op, op.row), from);
  return tell(write, {op.row, op.workflow, op.generation + 1}, from, to);
}

}  // namespace leaseproof::engine::store
