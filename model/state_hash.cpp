// The hash of a state. A field that is added to a struct of state.hpp belongs here too: a forgotten
// one costs speed (more collisions), never a wrong verdict, since equality is asked as well.
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "model/digest.hpp"
#include "model/state.hpp"

namespace leaseproof::model {
namespace {

void add(Digest& hash, const std::string& text) { hash.add(text); }
void add(Digest& hash, const SiteQueue& key) { hash.add(key.first).add(key.second); }

// A number that need not be there, told from every likely one.
std::int64_t or_none(const std::optional<std::int64_t>& number) {
  return number ? *number : std::numeric_limits<std::int64_t>::min() + 1;
}

void add(Digest& hash, const OpView& op) {
  hash.add(op.workflow).add(op.error).add(op.result).add(op.artifacts).add(op.checkpoints);
  hash.add_together(op.status, op.generation, op.attempts, or_none(op.next_attempt_us),
                    op.lease.has_value(), op.approval.has_value(), op.effect.has_value());
  if (op.lease) hash.add(op.lease->owner).add_together(op.lease->generation, op.lease->expires_us);
  if (op.approval) {
    hash.add(op.approval->hash).add_together(op.approval->request_no, op.approval->status);
  }
  if (op.effect) hash.add(op.effect->status).add(op.effect->key).add(op.effect->receipt);
}
// Of what was asked only the id counts, which is the key: two states of one run never differ in
// the rest alone.
void add(Digest& hash, const Op& op) {
  hash.add_together(op.created_us, or_none(op.deadline_us), op.context.has_value());
  if (op.context) hash.add_together(op.context->revision, op.context->expires_us);
  add(hash, op.view);
  hash.add(op.dispatched_payload);
  hash.add_together(op.completed_generation, op.approval_expires_us, op.dispatched_at_us,
                    op.call_before_us, op.unsure, op.needed, op.required);
}
void add(Digest& hash, const WorkflowState& workflow) {
  hash.add(workflow.identity->package).add(workflow.identity->digest);
  hash.add_together(workflow.cancel_requested, workflow.last_seq);
  std::apply([&](auto... counts) { hash.add_together(counts...); }, workflow.counts);
}
void add(Digest& hash, const QueueState& queue) {
  hash.add_together(queue.max_in_flight, queue.rate_per_s, queue.burst);
  hash.add_together(queue.tokens, queue.last_refill_us, queue.running);
}
void add(Digest& hash, const ContextState& context) {
  hash.add_together(context.revision, context.expires_us, context.revoked_revision);
}

template <class Map>
void add_all(Digest& hash, const Map& map) {
  hash.add(std::uint64_t{map.size()});
  for (auto at = map.begin(); at != map.end(); ++at) {
    hash.add(at.remembered(Remembered::hash, [](const auto& entry) {
      Digest of_entry(1);
      add(of_entry, entry.first);
      add(of_entry, entry.second);
      return of_entry.value();
    }));
  }
}

}  // namespace

std::size_t hash_value(const State& state) {
  Digest hash(0);
  hash.add(state.settings.clock_slack_us).add(state.last_seq);
  add_all(hash, state.workflows);
  add_all(hash, state.ops);
  add_all(hash, state.queues);
  add_all(hash, state.contexts);
  return static_cast<std::size_t>(hash.value());
}

}  // namespace leaseproof::model
