// The lifecycles of ops, approvals and effects as data, and the laws that hold for them.
//
// Promise: a status changes only along a row of these tables; `apply` checks each change against
// them in every build. The laws below the tables are proved by the compiler. Source: SEMANTICS 1
// (statuses), 3 (what moves an op), 5 and 6 (approval, effect).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/words.hpp"

namespace leaseproof::model {

// What moves an op. `guard` is a guard that ends the op: deadline, context or attempts.
enum class OpRule : std::uint8_t {
  needs_done,        // refresh (5)
  need_stopping,     // refresh (3)
  need_reopened,     // refresh (4), and retry of what it depends on
  recover,           // refresh (1)
  approval_expired,  // refresh (2)
  lease,
  guard,
  request_approval,
  approve,
  reject,
  dispatch,
  complete,
  fail,
  retry,
  cancel,
  reconcile,
  close
};
inline constexpr std::size_t op_rule_count = 17;

// `supersede`: a new request in place of an approved one that ran out. `mismatch` and `late` are
// dispatches that are refused.
enum class ApprovalRule : std::uint8_t {
  approve,
  reject,
  expire,
  supersede,
  dispatch,
  mismatch,
  late,
  retry,
  cancel
};

// `refuse`: a failure that says that the service refused every request.
enum class EffectRule : std::uint8_t { dispatch, complete, refuse, reconcile, close };

template <class Status, class Rule>
struct Step {
  Status from;
  Rule via;
  Status to;
  constexpr bool operator==(const Step&) const = default;
};

using OpStep = Step<OpStatus, OpRule>;
using ApprovalStep = Step<ApprovalStatus, ApprovalRule>;
using EffectStep = Step<EffectStatus, EffectRule>;

// Where a row to `failed` or `canceled` has a twin to `reconciling`, the twin is taken while the
// op's effect is `dispatching` (unknown is never hidden).
inline constexpr std::array op_steps{
    OpStep{OpStatus::pending, OpRule::needs_done, OpStatus::ready},
    OpStep{OpStatus::pending, OpRule::need_stopping, OpStatus::blocked},
    OpStep{OpStatus::pending, OpRule::cancel, OpStatus::canceled},
    OpStep{OpStatus::ready, OpRule::lease, OpStatus::running},
    OpStep{OpStatus::ready, OpRule::guard, OpStatus::failed},
    OpStep{OpStatus::ready, OpRule::guard, OpStatus::reconciling},
    OpStep{OpStatus::ready, OpRule::cancel, OpStatus::canceled},
    OpStep{OpStatus::ready, OpRule::cancel, OpStatus::reconciling},
    OpStep{OpStatus::running, OpRule::recover, OpStatus::ready},
    OpStep{OpStatus::running, OpRule::recover, OpStatus::failed},
    OpStep{OpStatus::running, OpRule::recover, OpStatus::reconciling},
    OpStep{OpStatus::running, OpRule::guard, OpStatus::failed},
    OpStep{OpStatus::running, OpRule::guard, OpStatus::reconciling},
    OpStep{OpStatus::running, OpRule::request_approval, OpStatus::waiting_approval},
    OpStep{OpStatus::running, OpRule::dispatch, OpStatus::failed},
    OpStep{OpStatus::running, OpRule::dispatch, OpStatus::reconciling},
    OpStep{OpStatus::running, OpRule::complete, OpStatus::succeeded},
    OpStep{OpStatus::running, OpRule::fail, OpStatus::ready},
    OpStep{OpStatus::running, OpRule::fail, OpStatus::failed},
    OpStep{OpStatus::running, OpRule::fail, OpStatus::reconciling},
    OpStep{OpStatus::running, OpRule::cancel, OpStatus::canceled},
    OpStep{OpStatus::running, OpRule::cancel, OpStatus::reconciling},
    OpStep{OpStatus::waiting_approval, OpRule::approval_expired, OpStatus::failed},
    OpStep{OpStatus::waiting_approval, OpRule::approve, OpStatus::ready},
    OpStep{OpStatus::waiting_approval, OpRule::reject, OpStatus::failed},
    OpStep{OpStatus::waiting_approval, OpRule::cancel, OpStatus::canceled},
    OpStep{OpStatus::reconciling, OpRule::reconcile, OpStatus::effect_confirmed},
    OpStep{OpStatus::reconciling, OpRule::close, OpStatus::effect_confirmed},
    OpStep{OpStatus::reconciling, OpRule::close, OpStatus::failed},
    OpStep{OpStatus::reconciling, OpRule::close, OpStatus::canceled},
    OpStep{OpStatus::failed, OpRule::retry, OpStatus::ready},
    OpStep{OpStatus::blocked, OpRule::need_reopened, OpStatus::pending},
    OpStep{OpStatus::blocked, OpRule::cancel, OpStatus::canceled},
};

// A request begins as `pending`.
inline constexpr std::array approval_steps{
    ApprovalStep{ApprovalStatus::pending, ApprovalRule::approve, ApprovalStatus::approved},
    ApprovalStep{ApprovalStatus::pending, ApprovalRule::reject, ApprovalStatus::rejected},
    ApprovalStep{ApprovalStatus::pending, ApprovalRule::expire, ApprovalStatus::expired},
    ApprovalStep{ApprovalStatus::pending, ApprovalRule::cancel, ApprovalStatus::canceled},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::dispatch, ApprovalStatus::spent},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::mismatch, ApprovalStatus::void_},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::late, ApprovalStatus::expired},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::supersede, ApprovalStatus::expired},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::retry, ApprovalStatus::void_},
    ApprovalStep{ApprovalStatus::approved, ApprovalRule::cancel, ApprovalStatus::canceled},
};

// An effect begins as `none`. A second dispatch of a `dispatching` effect changes no status.
inline constexpr std::array effect_steps{
    EffectStep{EffectStatus::none, EffectRule::dispatch, EffectStatus::dispatching},
    EffectStep{EffectStatus::refused, EffectRule::dispatch, EffectStatus::dispatching},
    EffectStep{EffectStatus::dispatching, EffectRule::complete, EffectStatus::confirmed},
    EffectStep{EffectStatus::dispatching, EffectRule::refuse, EffectStatus::refused},
    EffectStep{EffectStatus::dispatching, EffectRule::reconcile, EffectStatus::confirmed},
    EffectStep{EffectStatus::dispatching, EffectRule::close, EffectStatus::confirmed},
    EffectStep{EffectStatus::dispatching, EffectRule::close, EffectStatus::refused},
};

constexpr bool is_terminal(OpStatus s) { return is_done(s) || s == OpStatus::canceled; }

constexpr bool allowed(OpStatus from, OpRule via, OpStatus to);
constexpr bool allowed(ApprovalStatus from, ApprovalRule via, ApprovalStatus to);
constexpr bool allowed(EffectStatus from, EffectRule via, EffectStatus to);

// Reading a table: everything a law needs.
namespace lifecycle {

template <class Table, class Keep>
constexpr bool every(const Table& table, Keep keep) {
  for (const auto& step : table) {
    if (!keep(step)) return false;
  }
  return true;
}

template <class Table, class Keep>
constexpr bool some(const Table& table, Keep keep) {
  for (const auto& step : table) {
    if (keep(step)) return true;
  }
  return false;
}

template <class Status, class Keep>
constexpr bool every_status(Keep keep) {
  for (std::size_t i = 0; i < Words<Status>::all.size(); ++i) {
    if (!keep(static_cast<Status>(i))) return false;
  }
  return true;
}

// Whether a walk of zero or more rows leads from `from` to `to`, using only rows that `keep` takes.
template <class Status, class Table, class Keep>
constexpr bool reaches(const Table& table, Status from, Status to, Keep keep) {
  std::array<bool, Words<Status>::all.size()> seen{};
  seen[static_cast<std::size_t>(from)] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& step : table) {
      if (!keep(step) || !seen[static_cast<std::size_t>(step.from)]) continue;
      if (seen[static_cast<std::size_t>(step.to)]) continue;
      seen[static_cast<std::size_t>(step.to)] = true;
      grew = true;
    }
  }
  return seen[static_cast<std::size_t>(to)];
}

template <class Status, class Table>
constexpr bool reaches(const Table& table, Status from, Status to) {
  return reaches(table, from, to, [](const auto&) { return true; });
}

template <class Status, class Table>
constexpr bool is_final(const Table& table, Status status) {
  return !some(table, [status](const auto& step) { return step.from == status; });
}

// Each row once, and none that leads nowhere.
template <class Table>
constexpr bool is_tidy(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].from == table[i].to) return false;
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      if (table[i] == table[j]) return false;
    }
  }
  return true;
}

constexpr auto op_allowed = [] {
  std::array<std::array<std::array<bool, op_status_count>, op_rule_count>, op_status_count> map{};
  for (const OpStep& step : op_steps) {
    map[static_cast<std::size_t>(step.from)][static_cast<std::size_t>(step.via)]
       [static_cast<std::size_t>(step.to)] = true;
  }
  return map;
}();

}  // namespace lifecycle

constexpr bool allowed(OpStatus from, OpRule via, OpStatus to) {
  return lifecycle::op_allowed[static_cast<std::size_t>(from)][static_cast<std::size_t>(via)]
                              [static_cast<std::size_t>(to)];
}
constexpr bool allowed(ApprovalStatus from, ApprovalRule via, ApprovalStatus to) {
  return lifecycle::some(approval_steps, [&](const auto& step) {
    return step == ApprovalStep{from, via, to};
  });
}
constexpr bool allowed(EffectStatus from, EffectRule via, EffectStatus to) {
  return lifecycle::some(effect_steps, [&](const auto& step) {
    return step == EffectStep{from, via, to};
  });
}

namespace lifecycle {

static_assert(static_cast<std::size_t>(OpRule::close) + 1 == op_rule_count);
static_assert(is_tidy(op_steps) && is_tidy(approval_steps) && is_tidy(effect_steps));

static_assert(every_status<OpStatus>([](OpStatus s) {
                return is_settled(s) == (is_done(s) || is_stopping(s)) &&
                       !(is_done(s) && is_stopping(s));
              }),
              "done and stopping are the two disjoint parts of settled");
static_assert(every_status<OpStatus>([](OpStatus s) {
                return is_terminal(s) == is_final(op_steps, s);
              }),
              "canceled, succeeded and effect_confirmed are terminal for ever, nothing else is");
static_assert(every_status<OpStatus>([](OpStatus s) {
                return reaches(op_steps, OpStatus::pending, s);
              }),
              "a new op can reach every status");
static_assert(every_status<OpStatus>([](OpStatus s) {
                return reaches(op_steps, s, OpStatus::canceled) ||
                       reaches(op_steps, s, OpStatus::effect_confirmed) || is_done(s);
              }),
              "no status is a trap");
static_assert(every_status<OpStatus>([](OpStatus s) {
                return is_settled(s) || some(op_steps, [s](const OpStep& step) {
                                          return step.from == s && step.via == OpRule::cancel &&
                                                 step.to == OpStatus::canceled;
                                        }) == (s != OpStatus::reconciling);
              }),
              "cancel ends every unsettled op but the one that may already have written");
static_assert(!reaches(op_steps, OpStatus::reconciling, OpStatus::ready,
                       [](const OpStep& step) { return step.via != OpRule::retry; }),
              "no rule leads from reconciling back to ready: only an operator, over failed");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return step.from != OpStatus::reconciling || step.via == OpRule::reconcile ||
                             step.via == OpRule::close;
                    }),
              "reconciling ends only by a receipt or by recorded evidence (I10)");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return step.from != OpStatus::failed || step.via == OpRule::retry;
                    }),
              "only an operator reopens a failed op");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return (step.to == OpStatus::running) == (step.via == OpRule::lease);
                    }),
              "work starts by a lease and by nothing else");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return step.to != OpStatus::succeeded ||
                             (step.from == OpStatus::running && step.via == OpRule::complete);
                    }),
              "only the worker that runs an op makes it succeed");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      const bool by_worker =
                          step.via == OpRule::complete || step.via == OpRule::fail ||
                          step.via == OpRule::dispatch || step.via == OpRule::request_approval;
                      return !by_worker || step.from == OpStatus::running;
                    }),
              "a worker moves only what is running");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return step.to != OpStatus::canceled || step.via == OpRule::cancel ||
                             step.via == OpRule::close;
                    }),
              "canceled is somebody's intent, never derived");
static_assert(every(op_steps,
                    [](const OpStep& step) {
                      return (step.to == OpStatus::blocked) == (step.via == OpRule::need_stopping);
                    }),
              "blocked is derived from a need, and from nothing else");
static_assert(every_status<OpStatus>([](OpStatus s) {
                return s == OpStatus::pending || s == OpStatus::blocked ||
                       !reaches(op_steps, s, OpStatus::pending);
              }),
              "what has been ready once never waits for its needs again");

static_assert(every_status<ApprovalStatus>([](ApprovalStatus s) {
                return is_final(approval_steps, s) ==
                       (s != ApprovalStatus::pending && s != ApprovalStatus::approved);
              }),
              "every decision but an approval is final");
static_assert(every_status<ApprovalStatus>([](ApprovalStatus s) {
                return s == ApprovalStatus::pending || s == ApprovalStatus::approved ||
                       !reaches(approval_steps, s, ApprovalStatus::approved);
              }),
              "a rejected or expired request can never be approved");
static_assert(every_status<ApprovalStatus>([](ApprovalStatus s) {
                return reaches(approval_steps, ApprovalStatus::pending, s);
              }),
              "a new request can reach every status");
static_assert(every(approval_steps,
                    [](const ApprovalStep& step) {
                      return step.to != ApprovalStatus::spent ||
                             step.from == ApprovalStatus::approved;
                    }),
              "only an approval is spent, and once");

static_assert(is_final(effect_steps, EffectStatus::confirmed), "a write that happened stays so");
static_assert(every_status<EffectStatus>([](EffectStatus s) {
                return reaches(effect_steps, EffectStatus::none, s) &&
                       (s == EffectStatus::none || !reaches(effect_steps, s, EffectStatus::none));
              }),
              "an effect can reach every status and never forgets a dispatch");
static_assert(every(effect_steps,
                    [](const EffectStep& step) {
                      return (step.to == EffectStatus::dispatching) ==
                             (step.via == EffectRule::dispatch);
                    }),
              "only a dispatch sends");

}  // namespace lifecycle
}  // namespace leaseproof::model
