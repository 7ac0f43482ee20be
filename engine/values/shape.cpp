#include "engine/values/shape.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "engine/values/canonical_json.hpp"

namespace leaseproof::engine {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

Complaint in_op(const model::OpSpec& op, const Complaint& why) {
  if (!why) return std::nullopt;
  return "op " + quoted(op.id) + ": " + *why;
}

Complaint check_retry(const model::RetryPolicy& retry) {
  switch (retry.policy) {
    case model::DelayPolicy::fixed:
      if (retry.delays_us.empty()) return "retry.delays_us is empty; give at least one delay";
      for (const auto delay : retry.delays_us) {
        if (auto why = check_least("retry.delays_us", delay, 1)) return why;
      }
      return std::nullopt;
    case model::DelayPolicy::exponential:
      if (auto why = check_least("retry.multiplier", retry.multiplier, 1)) return why;
      [[fallthrough]];
    case model::DelayPolicy::linear:
    case model::DelayPolicy::full_jitter:
      if (auto why = check_least("retry.base_us", retry.base_us, 1)) return why;
      return check_least("retry.cap_us", retry.cap_us, 1);
  }
  return "retry.policy is unknown";
}

Complaint check_effect(const model::EffectSpec& effect) {
  if (auto why = check_least("effect.retention_us", effect.retention_us, 0)) return why;
  if (effect.retention_us > 0 && effect.contract != model::Contract::idempotent) {
    return "effect.retention_us belongs to the contract idempotent alone";
  }
  if (effect.approval && (effect.scope.empty() || effect.requester.empty())) {
    return "an effect with approval needs scope and requester";
  }
  return std::nullopt;
}

Complaint check_op(model::OpSpec& op) {
  if (auto why = check_name("op id", op.id)) return why;
  if (auto why = check_name("kind", op.kind)) return in_op(op, why);
  if (auto why = check_name("site", op.site)) return in_op(op, why);
  if (auto why = check_name("queue", op.queue)) return in_op(op, why);
  if (auto why = check_least("max_attempts", op.max_attempts, 1)) return in_op(op, why);
  if (op.deadline_us) {
    if (auto why = check_least("deadline_us", *op.deadline_us, 0)) return in_op(op, why);
  }
  if (auto why = check_retry(op.retry)) return in_op(op, why);
  if (op.effect) {
    if (auto why = check_effect(*op.effect)) return in_op(op, why);
  }
  if (op.context) {
    if (auto why = check_name("context", *op.context)) return in_op(op, why);
  }
  std::set<std::string_view> needs;
  for (const auto& need : op.needs) {
    if (auto why = check_name("need", need.op)) return in_op(op, why);
    if (!needs.insert(need.op).second) {
      return in_op(op, "need " + quoted(need.op) + " stands twice; name it once");
    }
  }
  return in_op(op, make_canonical("input", op.input));
}

}  // namespace

Complaint check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return std::string(what) + " is empty; give it a name";
  return check_utf8(what, name);
}

Complaint check_utf8(std::string_view what, std::string_view text) {
  if (is_valid_utf8(text)) return std::nullopt;
  return std::string(what) + " is no UTF-8";
}

Complaint check_least(std::string_view what, std::int64_t value, std::int64_t least) {
  if (value >= least) return std::nullopt;
  return std::string(what) + " is " + std::to_string(value) + "; the least value is " +
         std::to_string(least);
}

Complaint make_canonical(std::string_view what, std::string& text) {
  auto canonical = canonical_json(text);
  if (!canonical) return std::string(what) + ": " + canonical.error();
  text = std::move(*canonical);
  return std::nullopt;
}

Complaint check_ops(std::vector<model::OpSpec>& ops) {
  for (auto& op : ops) {
    if (auto why = check_op(op)) return why;
  }
  return std::nullopt;
}

Complaint check_queue(const model::Queue& queue) {
  if (auto why = check_name("queue", queue.queue)) return why;
  if (auto why = check_name("site", queue.site)) return why;
  if (auto why = check_least("max_in_flight", queue.max_in_flight, 0)) return why;
  if (auto why = check_least("rate_per_s", queue.rate_per_s, 0)) return why;
  if (auto why = check_least("burst", queue.burst, 0)) return why;
  if (queue.burst > 0 && queue.rate_per_s < 1) return "a burst needs rate_per_s of at least 1";
  if (queue.burst > std::numeric_limits<std::int64_t>::max() / 1'000'000) {
    return "burst in micro-tokens does not fit 64 bits";
  }
  return std::nullopt;
}

Complaint check_artifacts(const std::vector<model::Artifact>& artifacts) {
  std::set<std::string_view> names;
  for (const auto& artifact : artifacts) {
    if (auto why = check_name("artifact name", artifact.name)) return why;
    if (!is_valid_utf8(artifact.text)) return "artifact " + quoted(artifact.name) + " is no UTF-8";
    if (!names.insert(artifact.name).second) {
      return "artifact " + quoted(artifact.name) + " stands twice; name it once";
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> sum_us(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

namespace shape_detail {

Complaint check_unique(const std::vector<model::OpSpec>& ops) {
  std::set<std::string_view> ids;
  for (const auto& op : ops) {
    if (!ids.insert(op.id).second) return "op " + quoted(op.id) + " stands twice in the list";
  }
  return std::nullopt;
}

bool listed(const std::vector<model::OpSpec>& ops, std::string_view id) {
  return std::any_of(ops.begin(), ops.end(), [&](const auto& op) { return op.id == id; });
}

std::string unknown_need(std::string_view op, std::string_view need) {
  return "op " + quoted(op) + " needs " + quoted(need) + ", which does not exist";
}

// Takes away ops whose needs are all taken away; what is left holds a cycle.
Complaint check_acyclic(const std::vector<model::OpSpec>& ops) {
  std::map<std::string_view, std::size_t> open;
  std::map<std::string_view, std::vector<std::string_view>> dependents;
  for (const auto& op : ops) open.emplace(op.id, 0);
  for (const auto& op : ops) {
    for (const auto& need : op.needs) {
      if (open.count(need.op) == 0) continue;
      ++open[op.id];
      dependents[need.op].push_back(op.id);
    }
  }
  std::vector<std::string_view> free;
  for (const auto& [id, count] : open) {
    if (count == 0) free.push_back(id);
  }
  std::size_t taken = 0;
  while (!free.empty()) {
    const auto id = free.back();
    free.pop_back();
    ++taken;
    for (const auto dependent : dependents[id]) {
      if (--open[dependent] == 0) free.push_back(dependent);
    }
  }
  if (taken == open.size()) return std::nullopt;
  for (const auto& op : ops) {
    if (open[op.id] > 0) return "op " + quoted(op.id) + " is part of a cycle of needs";
  }
  return std::nullopt;
}

}  // namespace shape_detail
}  // namespace leaseproof::engine
