#include "model/shape.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "model/graph.hpp"
#include "model/queue_room.hpp"

namespace leaseproof::model {
namespace {

std::string empty_name(std::string_view text, const char* what) {
  return text.empty() ? std::string(what) + " is empty" : std::string();
}

std::string empty_op(const WorkerHandle& by) { return empty_name(by.op, "op"); }

std::string bad_duration(std::int64_t duration_us, const char* what, const Given& given) {
  if (duration_us < 1) return std::string(what) + " must be at least 1";
  if (given.now_us > std::numeric_limits<std::int64_t>::max() - duration_us) {
    return std::string("now + ") + what + " leaves 64 bits";
  }
  return {};
}

std::string bad_retry(const RetryPolicy& retry) {
  if (retry.policy == DelayPolicy::fixed) {
    if (retry.delays_us.empty()) return "delays_us is empty";
    for (const std::int64_t delay : retry.delays_us) {
      if (delay < 1) return "a delay must be at least 1";
    }
    return {};
  }
  if (retry.base_us < 1) return "base_us must be at least 1";
  if (retry.cap_us < 1) return "cap_us must be at least 1";
  if (retry.policy == DelayPolicy::exponential && retry.multiplier < 1) {
    return "multiplier must be at least 1";
  }
  return {};
}

std::string bad_effect(const EffectSpec& effect) {
  if (effect.retention_us < 0) return "retention_us must not be negative";
  if (effect.retention_us > 0 && effect.contract != Contract::idempotent) {
    return "only an idempotent effect has a retention";
  }
  if (effect.approval && (effect.scope.empty() || effect.requester.empty())) {
    return "an effect with approval needs scope and requester";
  }
  return {};
}

std::string bad_needs(const std::vector<Need>& needs) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].op.empty()) return "a need is empty";
    for (std::size_t j = 0; j < i; ++j) {
      if (needs[i].op == needs[j].op) return "it needs \"" + needs[i].op + "\" twice";
    }
  }
  return {};
}

std::string bad_values(const OpSpec& op) {
  if (op.site.empty()) return "site is empty";
  if (op.queue.empty()) return "queue is empty";
  if (op.max_attempts < 1) return "max_attempts must be at least 1";
  if (op.deadline_us && *op.deadline_us < 0) return "deadline_us must not be negative";
  if (op.context && op.context->empty()) return "context is empty";
  if (std::string fault = bad_needs(op.needs); !fault.empty()) return fault;
  if (std::string fault = bad_retry(op.retry); !fault.empty()) return fault;
  return op.effect ? bad_effect(*op.effect) : std::string();
}

std::string bad_ops(const std::vector<OpSpec>& ops) {
  for (const OpSpec& op : ops) {
    if (std::string fault = shape_fault(op); !fault.empty()) return fault;
  }
  return {};
}

template <class Creation>
std::string bad_creation(const Creation& call) {
  if (call.workflow && call.workflow->empty()) return "workflow is empty";
  if (call.package.empty()) return "package is empty";
  if (std::string fault = bad_ops(call.ops); !fault.empty()) return fault;
  return graph_fault(call.ops, [](std::string_view) { return false; });
}

}  // namespace

std::string shape_fault(const OpSpec& op) {
  if (op.id.empty()) return "an op's id is empty";
  std::string fault = bad_values(op);
  return fault.empty() ? fault : "op \"" + op.id + "\": " + fault;
}

std::string shape_fault(const Start& call, const Given&) { return bad_creation(call); }
std::string shape_fault(const Ensure& call, const Given&) { return bad_creation(call); }

std::string shape_fault(const Queue& call, const Given&) {
  if (call.queue.empty()) return "queue is empty";
  if (call.site.empty()) return "site is empty";
  if (call.max_in_flight < 0 || call.rate_per_s < 0 || call.burst < 0) {
    return "a queue's limits must not be negative";
  }
  if (call.burst > 0 && call.rate_per_s < 1) return "burst needs a rate_per_s of at least 1";
  if (call.burst > std::numeric_limits<std::int64_t>::max() / micro_tokens) {
    return "burst in micro-tokens leaves 64 bits";
  }
  return {};
}

std::string shape_fault(const ContextPut& call, const Given& given) {
  if (call.scope.empty()) return "scope is empty";
  return bad_duration(call.ttl_us, "ttl_us", given);
}
std::string shape_fault(const ContextRevoke& call, const Given&) {
  return empty_name(call.scope, "scope");
}

std::string shape_fault(const Lease& call, const Given& given) {
  if (call.queue && call.queue->empty()) return "queue is empty";
  if (call.site && call.site->empty()) return "site is empty";
  return bad_duration(call.lease_us, "lease_us", given);
}
std::string shape_fault(const Heartbeat& call, const Given& given) {
  if (call.by.op.empty()) return "op is empty";
  return bad_duration(call.lease_us, "lease_us", given);
}
std::string shape_fault(const Checkpoint& call, const Given&) {
  return call.step.empty() ? "step is empty" : empty_op(call.by);
}
std::string shape_fault(const RequestApproval& call, const Given& given) {
  if (call.by.op.empty()) return "op is empty";
  return bad_duration(call.ttl_us, "ttl_us", given);
}
std::string shape_fault(const Decide& call, const Given&) { return empty_name(call.op, "op"); }
std::string shape_fault(const Dispatch& call, const Given&) { return empty_op(call.by); }

std::string shape_fault(const Complete& call, const Given&) {
  if (call.by.op.empty()) return "op is empty";
  if (call.completed_at_us && *call.completed_at_us < 0) {
    return "completed_at_us must not be negative";
  }
  for (std::size_t i = 0; i < call.artifacts.size(); ++i) {
    const std::string& name = call.artifacts[i].name;
    if (name.empty()) return "an artifact's name is empty";
    for (std::size_t j = 0; j < i; ++j) {
      if (call.artifacts[j].name == name) return "artifact \"" + name + "\" is given twice";
    }
  }
  return bad_ops(call.emit);
}
std::string shape_fault(const Fail& call, const Given&) { return empty_op(call.by); }

std::string shape_fault(const Retry& call, const Given&) {
  if (call.deadline_us && *call.deadline_us < 0) return "deadline_us must not be negative";
  return empty_name(call.op, "op");
}
std::string shape_fault(const Cancel& call, const Given&) {
  return empty_name(call.workflow, "workflow");
}
std::string shape_fault(const Reconcile& call, const Given&) { return empty_name(call.op, "op"); }
std::string shape_fault(const Close& call, const Given&) { return empty_name(call.op, "op"); }
std::string shape_fault(const Snapshot& call, const Given&) {
  return empty_name(call.workflow, "workflow");
}
std::string shape_fault(const SnapshotsSince& call, const Given&) {
  return call.limit < 1 ? "limit must be at least 1" : std::string();
}

}  // namespace leaseproof::model
