// queue: limits for one (site, queue) (SEMANTICS 3, queue room).
#include <algorithm>
#include <utility>

#include "model/change.hpp"
#include "model/judge.hpp"
#include "model/queue_room.hpp"

namespace leaseproof::model {
namespace {

std::int64_t count_running(const State& state, const Queue& call) {
  return std::count_if(state.ops.begin(), state.ops.end(), [&](const auto& entry) {
    const Op& op = entry.second;
    return op.view.status == OpStatus::running && op.spec->site == call.site &&
           op.spec->queue == call.queue;
  });
}

}  // namespace

Outcome judge(State& state, const Queue& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const SiteQueue key(call.site, call.queue);
  const auto at = state.queues.find(key);
  const bool is_new = at == state.queues.end();
  const QueueState old = is_new ? QueueState{} : at->second;

  QueueState next = old;
  next.max_in_flight = call.max_in_flight;
  next.rate_per_s = call.rate_per_s;
  next.burst = call.burst;
  const std::int64_t full = call.burst * micro_tokens;
  next.tokens = old.burst == 0 ? full : std::min(refilled(old, given.now_us), full);
  if (is_new) next.running = count_running(state, call);
  if (!is_new && next == old) return Word::ok;

  next.last_refill_us = is_new ? given.now_us : std::max(old.last_refill_us, given.now_us);
  state.queues[key] = next;
  record_unowned(state);
  return Word::ok;
}

}  // namespace leaseproof::model
