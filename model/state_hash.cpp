// The hash of a state. A field that is added to a struct of state.hpp belongs here too: a forgotten
// one costs speed (more collisions), never a wrong verdict, since equality is asked as well.
#include <string_view>

#include "model/state.hpp"

namespace leaseproof::model {
namespace {

class Hash {
 public:
  Hash& operator()(std::uint64_t value) {
    // splitmix64's finalizer: each input bit reaches each output bit.
    value_ += value + 0x9e3779b97f4a7c15U;
    value_ = (value_ ^ (value_ >> 30)) * 0xbf58476d1ce4e5b9U;
    value_ = (value_ ^ (value_ >> 27)) * 0x94d049bb133111ebU;
    value_ ^= value_ >> 31;
    return *this;
  }
  Hash& operator()(std::int64_t value) { return (*this)(static_cast<std::uint64_t>(value)); }
  Hash& operator()(bool value) { return (*this)(std::uint64_t{value}); }
  Hash& operator()(std::string_view text) {
    return (*this)(std::uint64_t{std::hash<std::string_view>{}(text)});
  }
  Hash& operator()(const std::string& text) { return (*this)(std::string_view(text)); }
  template <class E>
  requires std::is_enum_v<E> Hash& operator()(E value) {
    return (*this)(static_cast<std::uint64_t>(value));
  }
  template <class T>
  Hash& operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    return value ? (*this)(*value) : *this;
  }
  template <class K, class V, class C>
  Hash& operator()(const std::map<K, V, C>& map) {
    (*this)(std::uint64_t{map.size()});
    for (const auto& [key, value] : map) (*this)(key)(value);
    return *this;
  }

  Hash& operator()(const SiteQueue& key) { return (*this)(key.first)(key.second); }
  Hash& operator()(const PinnedContext& context) {
    return (*this)(context.revision)(context.expires_us);
  }
  Hash& operator()(const LeaseView& lease) {
    return (*this)(lease.owner)(lease.generation)(lease.expires_us);
  }
  Hash& operator()(const ApprovalView& approval) {
    return (*this)(approval.request_no)(approval.status)(approval.hash);
  }
  Hash& operator()(const EffectView& effect) {
    return (*this)(effect.status)(effect.key)(effect.receipt);
  }
  Hash& operator()(const OpView& op) {
    (*this)(op.workflow)(op.status)(op.generation)(op.attempts)(op.next_attempt_us)(op.error);
    return (*this)(op.lease)(op.result)(op.artifacts)(op.checkpoints)(op.approval)(op.effect);
  }
  // Of what was asked only the id counts, which is the key: two states of one run never differ in
  // the rest alone.
  Hash& operator()(const Op& op) {
    (*this)(op.created_us)(op.deadline_us)(op.context)(op.view)(op.completed_generation);
    (*this)(op.approval_expires_us)(op.unsure)(op.dispatched_payload)(op.dispatched_at_us);
    return (*this)(op.call_before_us)(op.needed)(op.required);
  }
  Hash& operator()(const WorkflowState& workflow) {
    (*this)(workflow.package)(workflow.digest)(workflow.cancel_requested);
    for (const std::int64_t count : workflow.counts) (*this)(count);
    return (*this)(workflow.last_seq);
  }
  Hash& operator()(const QueueState& queue) {
    (*this)(queue.max_in_flight)(queue.rate_per_s)(queue.burst);
    return (*this)(queue.tokens)(queue.last_refill_us)(queue.running);
  }
  Hash& operator()(const ContextState& context) {
    return (*this)(context.revision)(context.expires_us)(context.revoked_revision);
  }

  std::size_t value() const { return static_cast<std::size_t>(value_); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace

std::size_t hash_value(const State& state) {
  Hash hash;
  hash(state.settings.clock_slack_us)(state.workflows)(state.ops)(state.queues)(state.contexts);
  hash(state.last_seq);
  return hash.value();
}

}  // namespace leaseproof::model
