#include "model/laws.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "model/lifecycle.hpp"
#include "model/needs.hpp"

namespace leaseproof::model {
namespace {

std::string about(const char* law, const Op& op, const char* sentence) {
  return std::string(law) + ": op \"" + op.spec->id + "\" " + sentence;
}

bool required_needs_done(const State& state, const Op& op) {
  return std::all_of(op.spec->needs.begin(), op.spec->needs.end(), [&](const Need& need) {
    return !need.required || is_done(find_op(state, need.op)->view.status);
  });
}

std::string lease_fault(const Op& op) {
  const OpView& view = op.view;
  if (view.lease.has_value() != (view.status == OpStatus::running)) {
    return about("I4", op, "has a lease though it is not running, or the other way round");
  }
  if (view.lease && view.lease->generation != view.generation) {
    return about("I4", op, "has a lease of another generation");
  }
  if (view.attempts > op.spec->max_attempts) return about("I8", op, "was claimed too often");
  if (view.next_attempt_us && view.status != OpStatus::ready) {
    return about("I4", op, "is due at a time though it is not ready");
  }
  return {};
}

std::string effect_fault(const Op& op) {
  const OpView& view = op.view;
  const bool waits = view.approval && view.approval->status == ApprovalStatus::pending;
  if (waits != (view.status == OpStatus::waiting_approval)) {
    return about("I9", op, "waits for an approval that is not pending, or the other way round");
  }
  if (!view.effect) return {};
  const EffectStatus effect = view.effect->status;
  if (effect == EffectStatus::dispatching && is_settled(view.status)) {
    return about("I10", op, "is settled though its write is unknown");
  }
  if (view.status == OpStatus::reconciling && effect != EffectStatus::dispatching) {
    return about("I10", op, "is reconciling though nothing is unknown");
  }
  if (is_done(view.status) != (effect == EffectStatus::confirmed)) {
    return about("I10", op, "is done without a confirmed write, or the other way round");
  }
  return {};
}

std::string result_fault(const Op& op) {
  const OpView& view = op.view;
  if (view.result.has_value() != is_done(view.status)) {
    return about("I12", op, "has a result though it is not done, or the other way round");
  }
  if (!view.artifacts.empty() && !is_done(view.status)) {
    return about("I12", op, "has artifacts though it is not done");
  }
  if (is_done(view.status) && view.error) return about("I12", op, "is done and has an error");
  if (view.status == OpStatus::failed && !view.error) return about("I12", op, "failed for nothing");
  return {};
}

// What an op breaks by itself.
std::string own_fault(const Op& op) {
  if (std::string fault = lease_fault(op); !fault.empty()) return fault;
  if (std::string fault = effect_fault(op); !fault.empty()) return fault;
  return result_fault(op);
}

// What it breaks together with others.
std::string need_fault(const State& state, const Op& op) {
  const bool may_run = op.view.status == OpStatus::ready || op.view.status == OpStatus::running;
  if (!may_run || required_needs_done(state, op)) return {};
  return about("I5", op, "may run though a required need is not done");
}

using Counts = decltype(WorkflowState::counts);

std::string count_fault(const std::string& workflow, const Counts& left_over) {
  const bool even = std::all_of(left_over.begin(), left_over.end(), [](auto n) { return n == 0; });
  if (even) return {};
  return "I14: the counts of workflow \"" + workflow + "\" are not those of its ops";
}

std::int64_t& count_of(Counts& counts, const Op& op) {
  return counts[static_cast<std::size_t>(op.view.status)];
}

std::int64_t count_running(const State& state, const std::string& site, const std::string& queue) {
  return std::count_if(state.ops.begin(), state.ops.end(), [&](const auto& entry) {
    const Op& op = entry.second;
    return op.view.status == OpStatus::running && op.spec->site == site && op.spec->queue == queue;
  });
}

// The derived parts of queues, counted anew.
std::string queue_fault(const State& state) {
  for (const auto& entry : state.queues) {
    const auto& [site, name] = entry.first;
    const QueueState& queue = entry.second;
    const std::int64_t running = count_running(state, site, name);
    if (running != queue.running) return "I7: queue " + name + " miscounts what runs in it";
    if (queue.max_in_flight > 0 && running > queue.max_in_flight) {
      return "I7: queue " + name + " runs more ops than its cap";
    }
  }
  return {};
}

// Whether both have the same workflows and ops, whatever has become of them.
bool has_the_same(const State& state, const State& other) {
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto shared_or_same = [&](const auto& ours, const auto& theirs) {
    if (ours.size() != theirs.size()) return false;
    auto b = theirs.begin();
    for (auto a = ours.begin(); a != ours.end(); ++a, ++b) {
      if (!a.shares(b) && !same(*a, *b)) return false;
    }
    return true;
  };
  return shared_or_same(state.workflows, other.workflows) && shared_or_same(state.ops, other.ops);
}

std::string fate_fault(const Op& before, const Op& after) {
  const OpView& a = before.view;
  const OpView& b = after.view;
  if (b.generation < a.generation) return about("I1", after, "went back to an old generation");
  if (!is_terminal(a.status)) return {};
  const auto receipt = [](const OpView& v) { return v.effect ? v.effect->receipt : std::nullopt; };
  const bool same = a.status == b.status && a.result == b.result && receipt(a) == receipt(b);
  return same ? std::string() : about("I6", after, "was terminal and changed");
}

const WorkerHandle* worker_call(const Action& action) {
  return std::visit(
      [](const auto& call) -> const WorkerHandle* {
        if constexpr (requires { call.by; }) {
          return &call.by;
        } else {
          return nullptr;
        }
      },
      action);
}

std::string ownership_fault(const State& before, const WorkerHandle& by, const Given& given) {
  const Op* op = find_op(before, by.op);
  const bool proved = op && op->view.lease &&
                      op->view.lease->generation == given.lease_generation &&
                      op->view.lease->expires_us > given.now_us;
  return proved ? std::string() : "I1: a worker without the lease of \"" + by.op + "\" changed it";
}

std::string refresh_fault(const State& after) {
  for (const auto& [id, op] : after.ops) {
    const OpStatus status = op.view.status;
    if (status != OpStatus::pending && status != OpStatus::blocked) continue;
    if ((status == OpStatus::blocked) != has_stopping_need(after, op)) {
      return about("I3", op, "is blocked without a stopping need, or the other way round");
    }
  }
  return {};
}

std::string lease_step_fault(const State& after, const Leased& leased, const Given& given) {
  const Op& op = *find_op(after, leased.op);
  if (op.deadline_us && *op.deadline_us <= given.now_us) {
    return about("I8", op, "was started after its deadline");
  }
  return {};
}

// What a call that changed something may not have done.
std::string change_fault(const State& before, const Action& action, const Given& given,
                         const Outcome& outcome, const State& after) {
  if (changes_nothing(outcome.word)) {
    return "I12: a call that answers " + std::string(word(outcome.word)) + " changed something";
  }
  if (before.last_seq == after.last_seq) return "I11: a change without an event";
  auto then = after.ops.begin();
  for (auto op = before.ops.begin(); op != before.ops.end(); ++op) {
    if (then != after.ops.end() && then.shares(op)) {
      ++then;
      continue;
    }
    while (then != after.ops.end() && then->first < op->first) ++then;
    if (then == after.ops.end() || then->first != op->first) {
      return about("I6", op->second, "is gone");
    }
    if (std::string fault = fate_fault(op->second, then->second); !fault.empty()) return fault;
  }
  const WorkerHandle* by = worker_call(action);
  return by ? ownership_fault(before, *by, given) : std::string();
}

}  // namespace

bool changes_nothing(Word word) {
  constexpr std::array refusals{Word::attached,          Word::exists,
                                Word::identity_conflict, Word::lease_lost,
                                Word::approval_exists,   Word::checkpoint_conflict,
                                Word::not_needed,        Word::forbidden,
                                Word::effect_dispatched, Word::wrong_hash,
                                Word::already_decided,   Word::expired,
                                Word::already_completed, Word::receipt_required,
                                Word::approval_required, Word::not_failed,
                                Word::workflow_canceled, Word::deadline_passed,
                                Word::already_settled,   Word::unknown,
                                Word::not_reconciling,   Word::evidence_required,
                                Word::permit_open,       Word::invalid,
                                Word::not_found};
  return std::find(refusals.begin(), refusals.end(), word) != refusals.end();
}

std::string state_fault(const State& state) {
  for (const auto& [id, op] : state.ops) {
    if (std::string fault = own_fault(op); !fault.empty()) return fault;
    if (std::string fault = need_fault(state, op); !fault.empty()) return fault;
  }
  for (const auto& [id, workflow] : state.workflows) {
    Counts counts = workflow.counts;
    for (const auto& [op_id, op] : state.ops) {
      if (op.view.workflow == id) --count_of(counts, op);
    }
    if (std::string fault = count_fault(id, counts); !fault.empty()) return fault;
  }
  return queue_fault(state);
}

std::string state_fault(const State& state, const State& lawful) {
  if (!has_the_same(state, lawful)) return state_fault(state);
  auto old = lawful.ops.begin();
  for (auto op = state.ops.begin(); op != state.ops.end(); ++op, ++old) {
    if (!op.shares(old)) {
      if (std::string fault = own_fault(op->second); !fault.empty()) return fault;
    }
    if (std::string fault = need_fault(state, op->second); !fault.empty()) return fault;
  }
  // The counts change by what became of the ops that changed.
  auto old_workflow = lawful.workflows.begin();
  for (const auto& [id, workflow] : state.workflows) {
    Counts counts = workflow.counts;
    const Counts& old_counts = old_workflow->second.counts;
    for (std::size_t i = 0; i < op_status_count; ++i) counts[i] -= old_counts[i];
    old = lawful.ops.begin();
    for (auto op = state.ops.begin(); op != state.ops.end(); ++op, ++old) {
      if (op.shares(old)) continue;
      if (op->second.view.workflow == id) --count_of(counts, op->second);
      if (old->second.view.workflow == id) ++count_of(counts, old->second);
    }
    if (std::string fault = count_fault(id, counts); !fault.empty()) return fault;
    ++old_workflow;
  }
  return queue_fault(state);
}

std::string step_fault(const State& before, const Action& action, const Given& given,
                       const Outcome& outcome, const State& after) {
  return step_fault(before, action, given, outcome, after, !(before == after));
}

std::string step_fault(const State& before, const Action& action, const Given& given,
                       const Outcome& outcome, const State& after, bool changed) {
  if (changed) {
    if (std::string fault = change_fault(before, action, given, outcome, after); !fault.empty()) {
      return fault;
    }
  } else if (before.last_seq != after.last_seq) {
    return "I11: an event without a change";
  }
  if (std::holds_alternative<Refresh>(action)) return refresh_fault(after);
  if (const auto* leased = std::get_if<Leased>(&outcome.detail)) {
    return lease_step_fault(after, *leased, given);
  }
  return {};
}

}  // namespace leaseproof::model
