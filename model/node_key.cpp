#include "model/node_key.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leaseproof::model {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value, std::uint64_t factor) {
  hash = (hash ^ value) * factor;
  return hash ^ (hash >> 29U);
}

class Keying {
 public:
  Keying(const World& world, const Node& node) : world_(world), node_(node) {}

  NodeKey key() {
    const State& state = node_.state;
    // What may still happen depends on how far it is to the end of the world.
    if (world_.horizon_us != std::numeric_limits<std::int64_t>::max()) add(node_.now_us);
    for (const auto& [id, op] : state.ops) made_.push_back(op.created_us);
    std::sort(made_.begin(), made_.end());
    for (const auto& [id, workflow] : state.workflows) add_workflow(id, workflow);
    for (const auto& [id, op] : state.ops) add_op(id, op);
    for (const auto& [key, queue] : state.queues) add_queue(key, queue);
    for (const auto& [scope, context] : state.contexts) {
      add(scope);
      add(context.revision);
      add_time(context.expires_us);
      add(context.revoked_revision);
    }
    for (const auto& [op, permits] : node_.outside.permits) {
      add(op);
      for (const auto& [generation, permit] : permits) {
        add(generation);
        add_time(permit.call_before_us);
        add(permit.used ? 1 : 0);
      }
    }
    for (const auto& [op, written] : node_.outside.writes) {
      add(op);
      add(written.count);
      add_age(written.newest_us);
    }
    return key_;
  }

 private:
  void add(std::int64_t value) { key_ = with(key_, static_cast<std::uint64_t>(value)); }
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text.data() + at, std::min(sizeof eight, text.size() - at));
      key_ = with(key_, eight);
    }
  }
  // A moment that rules compare with now.
  void add_time(std::int64_t at_us) {
    const std::int64_t left_us = at_us - node_.now_us;
    add(world_.clock_steps_back ? left_us : std::max<std::int64_t>(left_us, 0));
  }
  // A moment that something counts from.
  void add_age(std::int64_t since_us) { add(node_.now_us - since_us); }
  template <class Value, class Add>
  void add_if(const std::optional<Value>& value, const Add& add_value) {
    add(value ? 1 : 0);
    if (value) add_value(*value);
  }
  void add_if(const std::optional<std::int64_t>& at_us) {
    add_if(at_us, [&](std::int64_t at) { add_time(at); });
  }
  void add_if(const std::optional<std::string>& text) {
    add_if(text, [&](const std::string& there) { add(there); });
  }
  void add(const std::map<std::string, std::string>& texts) {
    add(static_cast<std::int64_t>(texts.size()));
    for (const auto& [name, text] : texts) add(name), add(text);
  }

  void add_workflow(const std::string& id, const WorkflowState& workflow) {
    add(id);
    add(workflow.digest);
    add(workflow.cancel_requested ? 1 : 0);
    add(workflow.last_seq);
  }

  void add_op(const std::string& id, const Op& op) {
    add(id);
    add(std::lower_bound(made_.begin(), made_.end(), op.created_us) - made_.begin());
    add_if(op.deadline_us);
    add_if(op.context, [&](const PinnedContext& context) {
      add(context.revision);
      add_time(context.expires_us);
    });
    const OpView& view = op.view;
    add(static_cast<std::int64_t>(view.status));
    add(view.generation);
    add(view.attempts);
    add_if(view.next_attempt_us);
    add_if(view.error);
    add_if(view.lease, [&](const LeaseView& lease) {
      add(number_of(lease.owner));
      add(lease.generation);
      add_time(lease.expires_us);
    });
    add_if(view.result);
    add(view.artifacts);
    add(view.checkpoints);
    add_if(view.approval, [&](const ApprovalView& approval) {
      add(approval.request_no);
      add(static_cast<std::int64_t>(approval.status));
      add_time(op.approval_expires_us);
    });
    add_if(view.effect, [&](const EffectView& effect) {
      add(static_cast<std::int64_t>(effect.status));
      add_if(effect.key);
      add_if(effect.receipt);
    });
    add(op.completed_generation);
    add(op.unsure ? 1 : 0);
    add(op.dispatched_payload);
    // Both are zero where nothing was dispatched.
    if (op.call_before_us != 0) {
      add_age(op.dispatched_at_us);
      add_time(op.call_before_us + node_.state.settings.clock_slack_us);
    }
  }

  void add_queue(const SiteQueue& key, const QueueState& queue) {
    add(key.first);
    add(key.second);
    add(queue.max_in_flight);
    add(queue.rate_per_s);
    add(queue.burst);
    add(queue.tokens);
    if (queue.burst > 0) add_age(queue.last_refill_us);
  }

  std::int64_t number_of(const std::string& owner) {
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (*owners_[i] == owner) return static_cast<std::int64_t>(i);
    }
    owners_.push_back(&owner);
    return static_cast<std::int64_t>(owners_.size()) - 1;
  }

  const World& world_;
  const Node& node_;
  NodeKey key_{0x243F6A8885A308D3U, 0x13198A2E03707344U};
  std::vector<std::int64_t> made_;
  std::vector<const std::string*> owners_;
};

}  // namespace

NodeKey with(NodeKey key, std::uint64_t more) {
  return {mix(key.high, more, 0x9E3779B97F4A7C15U), mix(key.low, more, 0xC2B2AE3D27D4EB4FU)};
}

NodeKey key_of(const World& world, const Node& node) { return Keying(world, node).key(); }

}  // namespace leaseproof::model
