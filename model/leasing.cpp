// lease, heartbeat, checkpoint: a worker takes an op and keeps it (SEMANTICS 3 and 4).
#include <string_view>

#include "model/change.hpp"
#include "model/judge.hpp"
#include "model/promise.hpp"
#include "model/queue_room.hpp"

namespace leaseproof::model {
namespace {

bool is_asked_for(const Lease& call, const Op& op) {
  if (call.queue && op.spec->queue != *call.queue) return false;
  if (call.site) return op.spec->site == *call.site;
  return !call.queue || op.spec->site == "default";
}

bool is_due(const Op& op, std::int64_t now_us) {
  return !op.view.next_attempt_us || *op.view.next_attempt_us <= now_us;
}

// The first that is due, of each queue; the older of two.
const Op* oldest_of_roster(const State& state, const Lease& call, std::int64_t now_us) {
  const Op* oldest = nullptr;
  Roster::Entry place;
  for (const auto& [at, ops] : state.roster->ready) {
    const Op& first = *find_op(state, ops.begin()->id);
    if (!is_asked_for(call, first)) continue;
    const QueueState* queue = find_queue(state, first);
    if (queue && !has_room(*queue, now_us)) continue;
    for (const Roster::Entry& entry : ops) {
      if (oldest && place < entry) break;
      const Op* op = find_op(state, entry.id);
      if (!is_due(*op, now_us)) continue;
      oldest = op;
      place = entry;
      break;
    }
  }
  return oldest;
}

// The map is in id order, so that the first of the oldest is the one to take.
const Op* oldest_candidate(const State& state, const Lease& call, std::int64_t now_us) {
  if (state.roster) return oldest_of_roster(state, call, now_us);
  const Op* oldest = nullptr;
  for (const auto& [id, op] : state.ops) {
    if (op.view.status != OpStatus::ready || !is_due(op, now_us)) continue;
    if (oldest && op.created_us >= oldest->created_us) continue;
    if (!is_asked_for(call, op)) continue;
    const QueueState* queue = find_queue(state, op);
    if (!queue || has_room(*queue, now_us)) oldest = &op;
  }
  return oldest;
}

Outcome take(State& state, OpRef taken, const Lease& call, const Given& given) {
  if (const QueueRef queue = find_queue(state, *taken)) spend_token(queue.edit(), given.now_us);
  move(state, taken, OpRule::lease, OpStatus::running);
  Op& op = taken.edit();
  ++op.view.generation;
  ++op.view.attempts;
  const std::int64_t expires_us = given.now_us + call.lease_us;
  op.view.lease = LeaseView{call.owner ? *call.owner : call.worker, op.view.generation, expires_us};
  record(state, op);
  return {Word::leased, Leased{op.spec->id, op.view.generation, expires_us}};
}

}  // namespace

bool owns(const Op& op, const Given& given) {
  const auto& lease = op.view.lease;
  return op.view.status == OpStatus::running && lease &&
         lease->generation == given.lease_generation && lease->expires_us > given.now_us;
}

std::optional<Word> failed_guard(State& state, OpRef op, const Given& given) {
  if (past_deadline(*op, given.now_us)) {
    fail_for(state, op, OpRule::guard, word(Word::deadline_exceeded));
    return Word::deadline_exceeded;
  }
  if (!op->context) return std::nullopt;
  const auto context = state.contexts.find(*op->spec->context);
  promise(context != state.contexts.end(), "a pinned context was put");
  const bool revoked = context->second.revoked_revision >= op->context->revision;
  if (!revoked && op->context->expires_us > given.now_us) return std::nullopt;
  fail_for(state, op, OpRule::guard, word(Word::context_invalid));
  return Word::context_invalid;
}

Outcome judge(State& state, const Lease& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  while (const Op* oldest = oldest_candidate(state, call, given.now_us)) {
    const OpRef op = find_op(state, oldest->spec->id);
    if (!past_deadline(*op, given.now_us) && !out_of_attempts(*op)) {
      return take(state, op, call, given);
    }
    fail_for(state, op, OpRule::guard, word(Word::deadline_or_attempt_budget));
  }
  return Word::none;
}

Outcome judge(State& state, const Heartbeat& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (!owns(*op, given)) return Word::lease_lost;
  op.edit().view.lease->expires_us = given.now_us + call.lease_us;
  record(state, *op);
  return {Word::extended, Extended{op->view.lease->expires_us}};
}

Outcome judge(State& state, const Checkpoint& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const OpRef op = find_op(state, call.by.op);
  if (!op) return Word::not_found;
  if (!owns(*op, given)) return Word::lease_lost;
  if (const auto refusal = failed_guard(state, op, given)) return *refusal;
  const auto old = op->view.checkpoints.find(call.step);
  if (old != op->view.checkpoints.end()) {
    return old->second == call.payload ? Word::ok : Word::checkpoint_conflict;
  }
  op.edit().view.checkpoints.emplace(call.step, call.payload);
  record(state, *op);
  return Word::ok;
}

}  // namespace leaseproof::model
