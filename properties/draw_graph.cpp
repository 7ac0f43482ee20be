#include <algorithm>
#include <limits>

#include "properties/draw.hpp"

namespace leaseproof::properties {

using model::DelayPolicy;
using model::OpSpec;

GraphDrawer::GraphDrawer(Dice& dice, const Config& config, std::int64_t unit_us)
    : dice_(dice), config_(config), unit_us_(unit_us) {}

std::string GraphDrawer::fresh_id() {
  std::string id;
  do {
    const int number = next_id_++;
    id.assign(1, static_cast<char>('a' + number % 26));
    if (number >= 26) id += std::to_string(number / 26);
  } while (taken_.contains(id));
  return id;
}

// Its second delay often meets the cap, or would leave 64 bits.
model::RetryPolicy GraphDrawer::growing(DelayPolicy policy) {
  const std::int64_t factor = policy == DelayPolicy::exponential ? dice_.between(2, 3) : 2;
  if (dice_.chance(8)) {
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    return {policy, {}, longest / 2 + 1, factor, longest};
  }
  return {policy, {}, unit_us_, factor, dice_.of<std::int64_t>({1, 8, 8}) * unit_us_ + 1};
}

OpSpec GraphDrawer::op(std::int64_t now_us) {
  OpSpec spec;
  spec.id = fresh_id();
  if (!config_.queues.empty() && dice_.chance(70)) {
    const model::Queue& queue = dice_.of(config_.queues);
    spec.queue = queue.queue;
    spec.site = queue.site;
  }
  if (dice_.chance(60)) spec.max_attempts = dice_.of<std::int64_t>({1, 2, 2, 3});
  if (dice_.chance(20)) {
    spec.deadline_us =
        now_us + dice_.of<std::int64_t>({unit_us_, config_.lease_us / 2, config_.lease_us,
                                         config_.lease_us + 1, 3 * config_.lease_us});
  }
  switch (dice_.below(8)) {
    case 0:
      spec.retry.delays_us = {unit_us_};
      break;
    case 1:
      spec.retry.delays_us = {config_.lease_us, 2 * config_.lease_us};
      break;
    case 2:
      spec.retry = growing(DelayPolicy::linear);
      break;
    case 3:
      spec.retry = growing(DelayPolicy::exponential);
      break;
    case 4:
      spec.retry = growing(DelayPolicy::full_jitter);
      break;
    default:
      break;
  }
  if (effects_) effect(spec, now_us);
  return spec;
}

void GraphDrawer::effect(OpSpec& spec, std::int64_t now_us) {
  if (!scopes_.empty() && dice_.chance(25)) spec.context = dice_.of(scopes_);
  if (dice_.chance(1)) spec.context = "nowhere";
  if (dice_.chance(30)) return;
  model::EffectSpec& effect = spec.effect.emplace();
  effect.contract =
      dice_.of({model::Contract::idempotent, model::Contract::idempotent,
                model::Contract::idempotent, model::Contract::queryable, model::Contract::queryable,
                model::Contract::opaque, model::Contract::opaque});
  if (dice_.chance(40)) {
    effect.approval = true;
    effect.scope = "team";
    effect.requester = "paul";
  }
  // A receipt can come in before a deadline that passes before the lease.
  if (dice_.chance(30)) {
    const std::int64_t half_us = config_.lease_us / 2;
    spec.deadline_us = now_us + dice_.of<std::int64_t>({half_us, half_us, 3 * half_us});
  }
  if (dice_.chance(20)) effect.target = "page";
  const bool forgets = effect.contract == model::Contract::idempotent && steady_;
  if (forgets && dice_.chance(50)) {
    effect.retention_us = dice_.of<std::int64_t>({unit_us_, config_.lease_us - 1, config_.lease_us,
                                                  2 * config_.lease_us, 3 * config_.lease_us});
  }
  if (dice_.chance(1)) effect = {model::Contract::opaque, false, 1, {}, {}, {}};
  if (dice_.chance(1)) effect = {model::Contract::opaque, true, 0, {}, {}, {}};
}

void GraphDrawer::shape(std::vector<OpSpec>& ops) {
  const auto need = [&](std::size_t of, std::size_t on, std::uint64_t optional_percent) {
    ops[of].needs.push_back({ops[on].id, !dice_.chance(optional_percent)});
  };
  const std::size_t last = ops.size() - 1;
  switch (dice_.below(6)) {
    case 0:  // chain
      for (std::size_t i = 1; i < ops.size(); ++i) need(i, i - 1, 10);
      break;
    case 1:  // fan-in to a finalizer
      for (std::size_t i = 0; i < last; ++i) need(last, i, 30);
      break;
    case 2:  // diamond: one source, one sink
      for (std::size_t i = 1; i < last; ++i) {
        need(i, 0, 10);
        need(last, i, 20);
      }
      if (last == 1) need(1, 0, 10);
      break;
    case 3:  // anything without a cycle
      for (std::size_t i = 1; i < ops.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (dice_.chance(35)) need(i, j, 35);
        }
      }
      break;
    case 4:  // fan-out
      for (std::size_t i = 1; i < ops.size(); ++i) need(i, 0, 15);
      break;
    default:  // independent
      break;
  }
}

void GraphDrawer::spoil(std::vector<OpSpec>& ops) {
  OpSpec& victim = ops[dice_.below(ops.size())];
  switch (dice_.below(5)) {
    case 0:
      victim.needs = {{"nobody", true}};
      break;
    case 1:
      victim.needs = {{victim.id, true}};
      break;
    case 2:
      victim.id = "a";
      break;
    case 3:
      victim.max_attempts = 0;
      break;
    default:
      ops.front().needs.push_back({ops.back().id, false});
      ops.back().needs.push_back({ops.front().id, false});
      break;
  }
}

std::vector<OpSpec> GraphDrawer::workflow(std::int64_t now_us) {
  std::vector<OpSpec> ops;
  const std::size_t count = dice_.weighted(std::array<int, 6>{0, 3, 3, 4, 2, 1});
  for (std::size_t i = 0; i < count; ++i) ops.push_back(op(now_us));
  shape(ops);
  if (dice_.chance(3)) spoil(ops);
  // The order of ids is not the order of needs.
  if (dice_.chance(30)) std::reverse(ops.begin(), ops.end());
  return ops;
}

std::vector<OpSpec> GraphDrawer::emitted(const std::string& parent, std::int64_t now_us) {
  std::vector<OpSpec> ops;
  const std::size_t count = 1 + dice_.below(2);
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back(op(now_us));
    if (dice_.chance(50)) ops.back().needs.push_back({parent, true});
    if (i > 0 && dice_.chance(50)) ops.back().needs.push_back({ops.front().id, dice_.chance(70)});
  }
  if (dice_.chance(20)) spoil(ops);
  return ops;
}

}  // namespace leaseproof::properties
