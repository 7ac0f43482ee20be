#include "engine/store/refresh.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/store/ending.hpp"

namespace leaseproof::engine::store {
namespace {

struct Expired {
  OpRow op;
  bool spent = false;
  bool dispatching = false;
  bool resendable = false;
};

std::int64_t recover_expired(Write& write) {
  std::vector<Expired> expired;
  {
    auto rows = write.query(Sql::expired_leases, write.now_us(), write.clock_slack_us());
    while (rows.next()) {
      const auto deadline_us = rows.maybe_integer(6);
      const bool spent =
          rows.integer(4) >= rows.integer(5) || (deadline_us && *deadline_us <= write.now_us());
      expired.push_back({{rows.integer(0), rows.integer(2), rows.integer(3)},
                         spent,
                         rows.integer(7) == 1,
                         rows.integer(8) == 1});
    }
  }
  std::int64_t recovered = 0;
  for (const auto& [op, spent, dispatching, resendable] : expired) {
    if (write.execute(Sql::drop_expired_lease, op.row, write.now_us()) == 0) continue;
    ++recovered;
    if (dispatching) write.execute(Sql::mark_unsure, op.row);
    if (dispatching && !resendable) {
      write.execute(Sql::reconcile_running, op.row);
      write.journal().op(op.row, op.workflow, op.generation, "op_unknown", "running",
                         "reconciling");
    } else if (spent) {
      end_running(write, op, "deadline_or_attempt_budget");
    } else {
      write.execute(Sql::recover_op, op.row);
      write.journal().op(op.row, op.workflow, op.generation, "op_recovered", "running", "ready");
    }
  }
  return recovered;
}

std::int64_t expire_requests(Write& write) {
  std::vector<OpRow> waiting;
  {
    auto rows = write.query(Sql::expired_requests, write.now_us());
    while (rows.next()) waiting.push_back({rows.integer(0), rows.integer(2), rows.integer(3)});
  }
  std::int64_t expired = 0;
  for (const auto& op : waiting) {
    if (write.execute(Sql::end_request, op.row, "expired", "pending") == 0) continue;
    ++expired;
    write.execute(Sql::fail_waiting, op.row, "approval_expired");
    write.journal().op(op.row, op.workflow, op.generation, "op_failed", "waiting_approval",
                       "failed");
  }
  return expired;
}

struct Rule {
  Sql candidates;
  Sql change;
  std::string_view kind;
  std::string_view from;
  std::string_view to;
};

// One pass: collects the ops that qualify as the pass begins, then changes each that still does.
std::int64_t pass(Write& write, const Rule& rule) {
  std::vector<OpRow> qualifying;
  {
    auto rows = write.query(rule.candidates);
    while (rows.next()) {
      qualifying.push_back({rows.integer(0), rows.integer(2), rows.integer(3)});
    }
  }
  std::int64_t changed = 0;
  for (const auto& op : qualifying) {
    if (write.execute(rule.change, op.row) == 0) continue;
    ++changed;
    write.journal().op(op.row, op.workflow, op.generation, rule.kind, rule.from, rule.to);
  }
  return changed;
}

std::int64_t repeat(Write& write, const Rule& rule) {
  std::int64_t all = 0;
  while (const std::int64_t changed = pass(write, rule)) all += changed;
  return all;
}

constexpr Rule block{Sql::pending_to_block, Sql::block_op, "op_blocked", "pending", "blocked"};
constexpr Rule reopen{Sql::blocked_to_reopen, Sql::reopen_op, "op_reopened", "blocked", "pending"};
constexpr Rule ready{Sql::pending_to_ready, Sql::ready_op, "op_readied", "pending", "ready"};

bool anything_marked(Write& write) {
  auto rows = write.query(Sql::anything_marked);
  return rows.next() && rows.integer(0) == 1;
}

}  // namespace

// Blocking and reopening go down level by level, so their passes repeat; what reopens has no
// stopping need, so that nothing is left to block after it. One pass of (5) is all: an op that
// becomes ready settles nothing, and so lets no other op qualify.
model::Outcome refresh(Write& write) {
  model::Refreshed counts;
  counts.recovered = recover_expired(write);
  counts.expired = expire_requests(write);
  if (!anything_marked(write)) return {model::Word::ok, counts};
  counts.blocked = repeat(write, block);
  counts.unblocked = repeat(write, reopen);
  counts.readied = pass(write, ready);
  write.execute(Sql::unmark);
  return {model::Word::ok, counts};
}

}  // namespace leaseproof::engine::store
