#include "model/node_key.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "model/digest.hpp"

namespace leaseproof::model {
namespace {

// The two halves of a key.
struct Half {
  std::uint64_t seed;
  std::uint64_t factor;
  Remembered remembered;
};
constexpr Half high{0x243F6A8885A308D3U, 0x9E3779B97F4A7C15U, Remembered::key_high};
constexpr Half low{0x13198A2E03707344U, 0xC2B2AE3D27D4EB4FU, Remembered::key_low};

// What an op is told apart by whenever it is: all but its times and the name of its worker.
void add_lasting(Digest& digest, const std::string& id, const Op& op) {
  digest.add(id);
  digest.add(op.deadline_us.has_value()).add(op.context.has_value());
  if (op.context) digest.add(op.context->revision);
  const OpView& view = op.view;
  digest.add(view.status).add(view.generation).add(view.attempts);
  digest.add(view.next_attempt_us.has_value()).add(view.error).add(view.lease.has_value());
  if (view.lease) digest.add(view.lease->generation);
  digest.add(view.result).add(view.artifacts).add(view.checkpoints);
  digest.add(view.approval.has_value()).add(view.effect.has_value());
  if (view.approval) digest.add(view.approval->request_no).add(view.approval->status);
  if (view.effect) {
    digest.add(view.effect->status).add(view.effect->key).add(view.effect->receipt);
  }
  digest.add(op.completed_generation).add(op.unsure).add(op.dispatched_payload);
  digest.add(op.call_before_us != 0);
}

void add_lasting(Digest& digest, const std::string& id, const WorkflowState& workflow) {
  digest.add(id)
      .add(workflow.identity->digest)
      .add(workflow.cancel_requested)
      .add(workflow.last_seq);
}

void add_lasting(Digest& digest, const SiteQueue& key, const QueueState& queue) {
  digest.add(key.first).add(key.second);
  digest.add(queue.max_in_flight).add(queue.rate_per_s).add(queue.burst).add(queue.tokens);
}

void add_lasting(Digest& digest, const std::string& scope, const ContextState& context) {
  digest.add(scope).add(context.revision).add(context.revoked_revision);
}

// One half of a node's key.
class Keying {
 public:
  Keying(const World& world, const Node& node, const Half& half)
      : world_(world), node_(node), half_(half), key_(half.seed, half.factor) {}

  std::uint64_t key() {
    const State& state = node_.state;
    // What may still happen depends on how far it is to the end of the world.
    if (world_.horizon_us != std::numeric_limits<std::int64_t>::max()) key_.add(node_.now_us);
    each(state.workflows, [](const WorkflowState&) {});
    each(state.ops, [&](const Op& op) { add_times(op); });
    each(state.queues, [&](const QueueState& queue) {
      if (queue.burst > 0) add_age(queue.last_refill_us);
    });
    each(state.contexts, [&](const ContextState& context) { add_time(context.expires_us); });
    for (const auto& [op, dealings] : node_.outside) {
      key_.add(op).add(std::uint64_t{dealings.permits.size()});
      for (const auto& [generation, permit] : dealings.permits) {
        key_.add(generation);
        add_time(permit.call_before_us);
        key_.add(permit.used);
      }
      key_.add(dealings.written.count);
      if (dealings.written.count > 0) add_age(dealings.written.newest_us);
    }
    return key_.value();
  }

 private:
  // All that lasts of each entry, which is worked out once for each, and its times as they are now.
  template <class Map, class AddTimes>
  void each(const Map& map, const AddTimes& add_times_of) {
    key_.add(std::uint64_t{map.size()});
    for (auto at = map.begin(); at != map.end(); ++at) {
      key_.add(at.remembered(half_.remembered, [&](const auto& entry) {
        Digest lasting(half_.seed, half_.factor);
        add_lasting(lasting, entry.first, entry.second);
        return lasting.value();
      }));
      add_times_of(at->second);
    }
  }

  // A moment that rules compare with now.
  void add_time(std::int64_t at_us) {
    const std::int64_t left_us = at_us - node_.now_us;
    key_.add(world_.clock_steps_back ? left_us : std::max<std::int64_t>(left_us, 0));
  }
  // A moment that something counts from.
  void add_age(std::int64_t since_us) { key_.add(node_.now_us - since_us); }

  void add_times(const Op& op) {
    key_.add(made_before(op));
    if (op.deadline_us) add_time(*op.deadline_us);
    if (op.context) add_time(op.context->expires_us);
    if (op.view.next_attempt_us) add_time(*op.view.next_attempt_us);
    if (op.view.lease) {
      key_.add(number_of(op.view.lease->owner));
      add_time(op.view.lease->expires_us);
    }
    if (op.view.approval) add_time(op.approval_expires_us);
    // Both are zero where nothing was dispatched.
    if (op.call_before_us != 0) {
      add_age(op.dispatched_at_us);
      add_time(op.call_before_us + node_.state.settings.clock_slack_us);
    }
  }

  // How many ops are older: their order decides, not when each was made.
  std::int64_t made_before(const Op& op) const {
    return std::count_if(node_.state.ops.begin(), node_.state.ops.end(), [&](const auto& entry) {
      return entry.second.created_us < op.created_us;
    });
  }

  // Workers are numbered by the first of the ops that each holds.
  std::int64_t number_of(const std::string& owner) const {
    std::int64_t number = 0;
    for (const auto& [id, op] : node_.state.ops) {
      if (!op.view.lease) continue;
      if (op.view.lease->owner == owner) break;
      ++number;
    }
    return number;
  }

  const World& world_;
  const Node& node_;
  const Half& half_;
  Digest key_;
};

std::uint64_t with(std::uint64_t key, std::uint64_t more, const Half& half) {
  return Digest(key, half.factor).add(more).value();
}

}  // namespace

NodeKey with(const NodeKey& key, std::uint64_t more) {
  return {with(key.high, more, high), with(key.low, more, low)};
}

NodeKey key_of(const World& world, const Node& node) {
  return {Keying(world, node, high).key(), Keying(world, node, low).key()};
}

}  // namespace leaseproof::model
