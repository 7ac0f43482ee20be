// The hash of a state. A field that is added to a struct of state.hpp belongs here too: a forgotten
// one costs speed (more collisions), never a wrong verdict, since equality is asked as well.
#include "model/digest.hpp"
#include "model/state.hpp"

namespace leaseproof::model {
namespace {

void add(Digest& hash, const std::string& text) { hash.add(text); }
void add(Digest& hash, const SiteQueue& key) { hash.add(key.first).add(key.second); }

void add(Digest& hash, const OpView& op) {
  hash.add(op.workflow).add(op.status).add(op.generation).add(op.attempts);
  hash.add(op.next_attempt_us).add(op.error).add(op.result).add(op.artifacts).add(op.checkpoints);
  hash.add(op.lease.has_value()).add(op.approval.has_value()).add(op.effect.has_value());
  if (op.lease) hash.add(op.lease->owner).add(op.lease->generation).add(op.lease->expires_us);
  if (op.approval) {
    hash.add(op.approval->request_no).add(op.approval->status).add(op.approval->hash);
  }
  if (op.effect) hash.add(op.effect->status).add(op.effect->key).add(op.effect->receipt);
}
// Of what was asked only the id counts, which is the key: two states of one run never differ in
// the rest alone.
void add(Digest& hash, const Op& op) {
  hash.add(op.created_us).add(op.deadline_us).add(op.context.has_value());
  if (op.context) hash.add(op.context->revision).add(op.context->expires_us);
  add(hash, op.view);
  hash.add(op.completed_generation).add(op.approval_expires_us).add(op.unsure);
  hash.add(op.dispatched_payload).add(op.dispatched_at_us).add(op.call_before_us);
  hash.add(op.needed).add(op.required);
}
void add(Digest& hash, const WorkflowState& workflow) {
  hash.add(workflow.package).add(workflow.digest).add(workflow.cancel_requested);
  for (const std::int64_t count : workflow.counts) hash.add(count);
  hash.add(workflow.last_seq);
}
void add(Digest& hash, const QueueState& queue) {
  hash.add(queue.max_in_flight).add(queue.rate_per_s).add(queue.burst);
  hash.add(queue.tokens).add(queue.last_refill_us).add(queue.running);
}
void add(Digest& hash, const ContextState& context) {
  hash.add(context.revision).add(context.expires_us).add(context.revoked_revision);
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
