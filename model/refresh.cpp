// refresh: what follows from time and from the needs, to a fixed point (SEMANTICS 3).
#include <algorithm>
#include <vector>

#include "model/change.hpp"
#include "model/judge.hpp"
#include "model/needs.hpp"
#include "model/promise.hpp"

namespace leaseproof::model {
namespace {

using Refs = std::vector<OpRef>;

// A pass judges all ops on the state at its start, in (created, id) order, and then changes them.
// None qualifies that is not in that part of a roster.
template <class Qualifies>
Refs pass(State& state, Roster::Entries Roster::*part, Qualifies qualifies) {
  Refs found;
  if (state.roster) {
    for (const Roster::Entry& entry : (*state.roster).*part) {
      if (const OpRef op = find_op(state, entry.id); qualifies(*op)) found.push_back(op);
    }
    return found;
  }
  for (const OpRef op : state.ops.refs()) {
    if (qualifies(*op)) found.push_back(op);
  }
  // The map is in id order already.
  std::stable_sort(found.begin(), found.end(),
                   [](OpRef a, OpRef b) { return a->created_us < b->created_us; });
  return found;
}

bool needs_are_met(const State& state, const Op& op) {
  for (const Need& need : op.spec->needs) {
    const Op* on = find_op(state, need.op);
    promise(on != nullptr, "a need is an op");
    const OpStatus status = on->view.status;
    if (need.required ? !is_done(status) : !is_settled(status)) return false;
  }
  return true;
}

// (1)
void recover(State& state, OpRef op, std::int64_t now_us) {
  const bool unknown = is_dispatching(*op);
  if (unknown) op.edit().unsure = true;
  if (unknown && !is_resendable(state, *op, now_us)) {
    move(state, op, OpRule::recover, OpStatus::reconciling);
  } else if (out_of_attempts(*op) || past_deadline(*op, now_us)) {
    end_or_reconcile(state, op, OpRule::recover, OpStatus::failed);
    op.edit().view.error = std::string(word(Word::deadline_or_attempt_budget));
  } else {
    move(state, op, OpRule::recover, OpStatus::ready);
  }
}

// (2)
void expire(State& state, OpRef op) {
  move_approval(op, ApprovalRule::expire, ApprovalStatus::expired);
  move(state, op, OpRule::approval_expired, OpStatus::failed);
  op.edit().view.error = "approval_expired";
}

// (3), repeated until nothing more is blocked; answers how many were.
std::int64_t block(State& state, Refs& changed) {
  std::int64_t blocked = 0;
  const auto anything_stops = [&] {
    return std::any_of(state.ops.begin(), state.ops.end(),
                       [](const auto& entry) { return is_stopping(entry.second.view.status); });
  };
  if (!state.roster && !anything_stops()) return 0;
  for (;;) {
    const Refs found = pass(state, &Roster::unsure, [&](const Op& op) {
      return op.view.status == OpStatus::pending && has_stopping_need(state, op);
    });
    if (found.empty()) return blocked;
    for (const OpRef op : found) move(state, op, OpRule::need_stopping, OpStatus::blocked);
    blocked += static_cast<std::int64_t>(found.size());
    changed.insert(changed.end(), found.begin(), found.end());
  }
}

}  // namespace

bool has_stopping_need(const State& state, const Op& op) {
  for (const Need& need : op.spec->needs) {
    if (!need.required) continue;
    const Op* on = find_op(state, need.op);
    promise(on != nullptr, "a need is an op");
    if (is_stopping(on->view.status)) return true;
  }
  return false;
}

std::int64_t reopen_pass(State& state, const Refs* below, Refs& changed) {
  const auto is_below = [&](const Op& op) {
    return std::any_of(below->begin(), below->end(), [&](const OpRef on) {
      return std::any_of(op.spec->needs.begin(), op.spec->needs.end(),
                         [&](const Need& need) { return need.op == on->spec->id; });
    });
  };
  const Refs found = pass(state, &Roster::unsure, [&](const Op& op) {
    return op.view.status == OpStatus::blocked && (below == nullptr || is_below(op)) &&
           !has_stopping_need(state, op);
  });
  for (const OpRef op : found) move(state, op, OpRule::need_reopened, OpStatus::pending);
  changed.insert(changed.end(), found.begin(), found.end());
  return static_cast<std::int64_t>(found.size());
}

Outcome judge(State& state, const Refresh&, const Given& given) {
  const std::int64_t now_us = given.now_us;
  Refreshed counts;
  Refs changed;

  const Refs expired_leases = pass(state, &Roster::running, [&](const Op& op) {
    return op.view.status == OpStatus::running && op.view.lease->expires_us <= now_us;
  });
  for (const OpRef op : expired_leases) recover(state, op, now_us);
  counts.recovered = static_cast<std::int64_t>(expired_leases.size());
  changed = expired_leases;

  const Refs expired_requests = pass(state, &Roster::waiting_approval, [&](const Op& op) {
    return op.view.approval && op.view.approval->status == ApprovalStatus::pending &&
           op.approval_expires_us <= now_us;
  });
  for (const OpRef op : expired_requests) expire(state, op);
  counts.expired = static_cast<std::int64_t>(expired_requests.size());
  changed.insert(changed.end(), expired_requests.begin(), expired_requests.end());

  counts.blocked = block(state, changed);
  const std::size_t before_reopening = changed.size();
  // An op reopens only without a stopping need, so that (3) has nothing more to block after it.
  while (const std::int64_t reopened = reopen_pass(state, nullptr, changed)) {
    counts.unblocked += reopened;
  }
  const std::size_t after_reopening = changed.size();

  // One pass of (5) is enough: what becomes ready is not done, so it meets nobody's need.
  const Refs readied = pass(state, &Roster::unsure, [&](const Op& op) {
    return op.view.status == OpStatus::pending && needs_are_met(state, op);
  });
  for (const OpRef op : readied) move(state, op, OpRule::needs_done, OpStatus::ready);
  if (state.roster) state.roster->unsure.clear();
  counts.readied = static_cast<std::int64_t>(readied.size());

  // An op that (4) reopened and a later rule changed again has one event, at its last change.
  for (std::size_t i = before_reopening; i < after_reopening; ++i) {
    if (changed[i]->view.status != OpStatus::pending) changed[i] = OpRef();
  }
  changed.insert(changed.end(), readied.begin(), readied.end());
  for (const OpRef op : changed) {
    if (op) record(state, *op);
  }
  return {Word::ok, counts};
}

}  // namespace leaseproof::model
