#include "engine/store/operators.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/store/ending.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Outcome;
using model::Word;

struct Blocked {
  std::int64_t created_us = 0;
  std::string id;
  std::int64_t row = 0;
  std::int64_t workflow = 0;
  std::int64_t generation = 0;
  bool operator<(const Blocked& other) const {
    return std::tie(created_us, id) < std::tie(other.created_us, other.id);
  }
  bool operator==(const Blocked& other) const { return row == other.row; }
};

std::vector<Blocked> reopenable(Write& write, const std::vector<std::int64_t>& frontier) {
  std::vector<Blocked> found;
  for (const auto row : frontier) {
    auto rows = write.query(Sql::blocked_dependents, row);
    while (rows.next()) {
      found.push_back(
          {rows.integer(4), rows.string(1), rows.integer(0), rows.integer(2), rows.integer(3)});
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::int64_t reopen_descendants(Write& write, std::int64_t retried) {
  std::int64_t reopened = 0;
  std::vector<std::int64_t> frontier{retried};
  while (!frontier.empty()) {
    const auto found = reopenable(write, frontier);
    frontier.clear();
    for (const auto& op : found) {
      if (write.execute(Sql::reopen_op, op.row) == 0) continue;
      ++reopened;
      frontier.push_back(op.row);
      write.journal().op(op.row, op.workflow, op.generation, "op_reopened", "blocked", "pending");
    }
  }
  return reopened;
}

}  // namespace

Outcome retry(Write& write, std::string_view op, std::optional<std::int64_t> deadline_us) {
  std::int64_t row = 0;
  std::int64_t workflow = 0;
  std::int64_t generation = 0;
  std::optional<std::int64_t> deadline = deadline_us;
  {
    auto rows = write.query(Sql::op_to_retry, op);
    if (!rows.next()) return Word::not_found;
    row = rows.integer(0);
    workflow = rows.integer(1);
    generation = rows.integer(2);
    if (rows.text(3) != "failed") return Word::not_failed;
    if (rows.integer(5) == 1) return Word::workflow_canceled;
    if (!deadline) deadline = rows.maybe_integer(4);
  }
  if (deadline && *deadline <= write.now_us()) return Word::deadline_passed;
  write.execute(Sql::retry_op, row, deadline);
  // What was reviewed has failed: an operator's retry wants a new review.
  write.execute(Sql::end_request, row, "void", "approved");
  write.journal().op(row, workflow, generation, "op_retried", "failed", "ready");
  return {Word::ok, model::Reopened{reopen_descendants(write, row)}};
}

Outcome cancel(Write& write, std::string_view workflow) {
  std::int64_t row = 0;
  bool asked = false;
  {
    auto rows = write.query(Sql::workflow_by_id, workflow);
    if (!rows.next()) return Word::not_found;
    row = rows.integer(0);
    asked = rows.integer(1) == 1;
  }
  {
    auto rows = write.query(Sql::has_open_op, row);
    if (!rows.next()) return Word::storage_error;
    if (rows.integer(0) == 0) return Word::already_settled;
  }
  struct Open {
    std::int64_t row = 0;
    std::int64_t generation = 0;
    model::OpStatus status = model::OpStatus::pending;
  };
  std::vector<Open> open;
  {
    auto rows = write.query(Sql::ops_to_cancel, row);
    while (rows.next()) {
      const auto status = model::from_word<model::OpStatus>(rows.text(3));
      open.push_back({rows.integer(0), rows.integer(2), status.value_or(model::OpStatus::pending)});
    }
  }
  if (!asked) {
    write.execute(Sql::ask_to_cancel, row);
    write.journal().workflow(row, "cancel_requested");
  }
  model::CancelCounts counts;
  for (const auto& op : open) {
    write.execute(Sql::drop_lease_of, op.row);
    write.execute(Sql::cancel_live_approval, op.row, write.now_us());
    const auto became = end_canceled(write, {op.row, row, op.generation}, op.status);
    if (became == model::OpStatus::canceled) ++counts.canceled;
    if (became == model::OpStatus::reconciling) ++counts.reconciling;
  }
  return {Word::ok, counts};
}

}  // namespace leaseproof::engine::store
