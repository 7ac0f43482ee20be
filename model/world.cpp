#include "model/world.hpp"

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "model/change.hpp"
#include "model/laws.hpp"
#include "model/promise.hpp"
#include "model/queue_room.hpp"
#include "model/rules.hpp"

namespace leaseproof::model {
namespace {

bool has_effect(const Op& op) { return op.spec->effect.has_value(); }

// Whether a second write under the key is one more write.
bool deduplicates(const Op& op) { return op.spec->effect->contract == Contract::idempotent; }

const Permit* permit_of(const Outside& outside, const std::string& op, std::int64_t generation) {
  const auto permits = outside.permits.find(op);
  if (permits == outside.permits.end()) return nullptr;
  const auto permit = permits->second.find(generation);
  return permit == permits->second.end() ? nullptr : &permit->second;
}

const Written* write_of(const Node& node, const std::string& op) {
  const auto written = node.outside.writes.find(op);
  return written == node.outside.writes.end() ? nullptr : &written->second;
}

// Whether the service still knows the key (SEMANTICS 1: retention 0 is for ever).
bool remembers(const Op& op, const Written& written, std::int64_t now_us) {
  const std::int64_t retention_us = op.spec->effect->retention_us;
  return retention_us == 0 || now_us < written.newest_us + retention_us;
}

class Lister {
 public:
  Lister(const World& world, const Node& node) : world_(world), node_(node) {}

  std::vector<Move> list() {
    add(Refresh{});
    for (const std::string& worker : world_.workers) add(lease_by(worker));
    for (const auto& [id, op] : node_.state.ops) list_op(id, op);
    for (const auto& [id, workflow] : node_.state.workflows) {
      if (world_.cancels && !workflow.cancel_requested) add(Cancel{id});
    }
    for (const auto& [scope, context] : node_.state.contexts) {
      if (world_.revocations && context.revoked_revision == 0) add(ContextRevoke{scope});
    }
    for (const Action& action : world_.anytime) add(action);
    list_clock();
    return std::move(moves_);
  }

 private:
  void add(Action action, Given given = {}) {
    given.now_us = node_.now_us;
    moves_.emplace_back(CallMove{std::move(action), std::move(given)});
  }

  Lease lease_by(const std::string& worker) const {
    Lease call;
    call.worker = worker;
    call.lease_us = world_.lease_us;
    return call;
  }

  void list_op(const std::string& id, const Op& op) {
    for (std::int64_t generation = 1; generation <= op.view.generation; ++generation) {
      Given given;
      given.lease_generation = generation;
      list_worker(id, op, given);
    }
    list_sends(id);
    if (world_.retries && op.view.generation < world_.max_generation) add(Retry{id, {}});
    if (op.view.approval) list_decisions(id);
    if (op.view.status == OpStatus::reconciling) list_closing(id);
  }

  void list_worker(const std::string& id, const Op& op, Given given) {
    const WorkerHandle by{"A", id, 0};
    for (const std::int64_t lease_us : world_.heartbeats_us) add(Heartbeat{by, lease_us}, given);
    if (world_.checkpoints) {
      add(Checkpoint{by, "step", "1"}, given);
      add(Checkpoint{by, "step", "2"}, given);
    }
    const bool sent = is_dispatching(op) && has_sent(id, given.lease_generation);
    for (const FailKind kind : world_.failures) {
      // A worker that has sent something does not claim that nothing was.
      if (kind == FailKind::unknown || !sent) add(Fail{by, kind, world_.error}, given);
    }
    if (has_effect(op)) {
      for (const std::string& payload : world_.payloads) add(Dispatch{by, payload}, given);
      if (op.spec->effect->approval) {
        add(RequestApproval{by, world_.payloads.front(), world_.approval_ttl_us}, given);
      }
    }
    Complete complete;
    complete.by = by;
    complete.result = std::to_string(given.lease_generation);
    complete.artifacts = world_.artifacts;
    if (const auto emit = world_.emits.find(id); emit != world_.emits.end()) {
      complete.emit = emit->second;
    }
    given.receipt = held_receipt(node_, id);
    add(complete, given);
  }

  bool has_sent(const std::string& id, std::int64_t generation) const {
    const Permit* permit = permit_of(node_.outside, id, generation);
    return permit && permit->used;
  }

  void list_sends(const std::string& id) {
    const auto permits = node_.outside.permits.find(id);
    if (permits == node_.outside.permits.end()) return;
    for (const auto& [generation, permit] : permits->second) {
      const bool spent = permit.used && !deduplicates(node_.state.ops.at(id));
      if (!spent && node_.now_us < permit.call_before_us)
        moves_.emplace_back(SendMove{id, generation});
    }
  }

  void list_decisions(const std::string& id) {
    Decide decide;
    decide.op = id;
    for (const Actor& reviewer : world_.reviewers) {
      decide.actor = reviewer;
      decide.approve = true;
      add(decide);
      if (!world_.rejections) continue;
      decide.approve = false;
      add(decide);
    }
  }

  void list_closing(const std::string& id) {
    Given given;
    given.found = found_receipt(node_, id);
    add(Reconcile{id}, given);
    for (const Actor& one : world_.operators) {
      add(Close{id, write_of(node_, id) != nullptr, "searched", one});
    }
  }

  void list_clock() {
    if (const auto next = next_boundary(node_); next && *next <= world_.horizon_us) {
      moves_.emplace_back(ClockMove{*next});
    }
    if (world_.clock_steps_back && node_.now_us > 0)
      moves_.emplace_back(ClockMove{node_.now_us - 1});
  }

  const World& world_;
  const Node& node_;
  std::vector<Move> moves_;
};

// A permit that time has ended for good is forgotten, so that nodes do not differ in it; so is one
// whose worker ended its attempt, which ends the permit (SEMANTICS 6).
void forget_permits(Node& node) {
  for (auto& [id, permits] : node.outside.permits) {
    std::erase_if(permits, [&](const auto& entry) {
      return entry.second.call_before_us <= node.now_us && !entry.second.used;
    });
  }
}

void play_call(Played& played, const CallMove& move) {
  Node& node = played.node;
  const State before = node.state;
  played.outcome = apply(node.state, move.action, move.given);
  played.fault = step_fault(before, move.action, move.given, *played.outcome, node.state);
  const bool changed = !(before == node.state);
  if (const auto* dispatch = std::get_if<Dispatch>(&move.action)) {
    if (const auto* permit = std::get_if<Dispatching>(&played.outcome->detail)) {
      Permit& held = node.outside.permits[dispatch->by.op][move.given.lease_generation];
      held.call_before_us = permit->call_before_us;
    }
  } else if (const auto* fail = std::get_if<Fail>(&move.action)) {
    if (changed) node.outside.permits[fail->by.op].erase(move.given.lease_generation);
  } else if (const auto* complete = std::get_if<Complete>(&move.action)) {
    if (changed) node.outside.permits[complete->by.op].erase(move.given.lease_generation);
  }
}

void play_send(Played& played, const SendMove& move) {
  Node& node = played.node;
  node.outside.permits.at(move.op).at(move.generation).used = true;
  const Op& op = node.state.ops.at(move.op);
  const Written* old = write_of(node, move.op);
  if (old && deduplicates(op) && remembers(op, *old, node.now_us)) return;
  Written& written = node.outside.writes[move.op];
  ++written.count;
  written.newest_us = node.now_us;
  if (written.count > 1)
    played.fault = "I2: the service holds two writes of op \"" + move.op + "\"";
}

// What the model calls refused was neither written nor can it be any more.
std::string refusal_fault(const Node& node) {
  for (const auto& [id, op] : node.state.ops) {
    if (!op.view.effect || op.view.effect->status != EffectStatus::refused) continue;
    if (write_of(node, id)) return "I10: op \"" + id + "\" counts as refused, but was written";
  }
  return {};
}

// How many events were written decides nothing: only the order of the workflows' last ones does.
void rank_seqs(State& state) {
  std::vector<WorkflowState*> workflows;
  for (auto& [id, workflow] : state.workflows) workflows.push_back(&workflow);
  std::sort(workflows.begin(), workflows.end(), [](const WorkflowState* a, const WorkflowState* b) {
    return a->last_seq < b->last_seq;
  });
  std::int64_t rank = 0;
  for (WorkflowState* workflow : workflows) workflow->last_seq = ++rank;
  state.last_seq = rank;
}

void tidy(Node& node) {
  rank_seqs(node.state);
  forget_permits(node);
  std::erase_if(node.outside.permits, [](const auto& entry) { return entry.second.empty(); });
}

// The first moment at which the bucket holds a token, if it holds none now.
std::optional<std::int64_t> token_due(const QueueState& queue, std::int64_t now_us) {
  if (queue.burst == 0 || refilled(queue, now_us) >= micro_tokens) return std::nullopt;
  const std::int64_t missing = micro_tokens - queue.tokens;
  return queue.last_refill_us + (missing + queue.rate_per_s - 1) / queue.rate_per_s;
}

}  // namespace

std::size_t hash_value(const Node& node) {
  std::size_t hash = hash_value(node.state) * 31 + static_cast<std::size_t>(node.now_us);
  for (const auto& [id, permits] : node.outside.permits) {
    for (const auto& [generation, permit] : permits) {
      hash = hash * 31 + static_cast<std::size_t>(generation * 4 + (permit.used ? 1 : 0));
    }
  }
  for (const auto& [id, written] : node.outside.writes) {
    hash = hash * 31 + static_cast<std::size_t>(written.newest_us * 4 + written.count);
  }
  return hash;
}

std::optional<std::int64_t> next_boundary(const Node& node) {
  std::optional<std::int64_t> next;
  // The last moment before the boundary is one of its own: it is where an off-by-one shows.
  const auto consider = [&](std::int64_t at) {
    for (const std::int64_t moment : {at - 1, at}) {
      if (moment > node.now_us && (!next || moment < *next)) next = moment;
    }
  };
  for (const auto& [id, op] : node.state.ops) {
    if (is_terminal(op.view.status)) continue;
    if (op.view.lease) consider(op.view.lease->expires_us);
    if (op.view.next_attempt_us) consider(*op.view.next_attempt_us);
    if (op.deadline_us) consider(*op.deadline_us);
    if (op.context) consider(op.context->expires_us);
    if (op.view.approval) consider(op.approval_expires_us);
    if (is_dispatching(op)) {
      consider(op.call_before_us + node.state.settings.clock_slack_us);
      const std::int64_t retention_us = op.spec->effect->retention_us;
      if (retention_us > 0) consider(op.dispatched_at_us + retention_us);
    }
  }
  for (const auto& [key, queue] : node.state.queues) {
    if (const auto due = token_due(queue, node.now_us)) consider(*due);
  }
  return next;
}

std::optional<std::string> held_receipt(const Node& node, const std::string& op) {
  if (!write_of(node, op)) return std::nullopt;
  return "receipt-" + op;
}

std::optional<std::string> found_receipt(const Node& node, const std::string& op) {
  const Written* written = write_of(node, op);
  if (!written || !remembers(node.state.ops.at(op), *written, node.now_us)) return std::nullopt;
  return held_receipt(node, op);
}

Node begin(const World& world) {
  Node node;
  node.state.settings = world.settings;
  for (const Action& action : world.setup) {
    const Outcome outcome = apply(node.state, action, Given{});
    promise(outcome.word == Word::created || outcome.word == Word::ok, "a world can be set up");
  }
  tidy(node);
  return node;
}

std::vector<Move> moves(const World& world, const Node& node) { return Lister(world, node).list(); }

Played play(const Node& node, const Move& move) {
  Played played;
  played.node = node;
  if (const auto* call = std::get_if<CallMove>(&move)) {
    play_call(played, *call);
  } else if (const auto* send = std::get_if<SendMove>(&move)) {
    play_send(played, *send);
  } else {
    played.node.now_us = std::get<ClockMove>(move).to_us;
  }
  if (played.fault.empty()) played.fault = state_fault(played.node.state);
  if (played.fault.empty()) played.fault = refusal_fault(played.node);
  tidy(played.node);
  return played;
}

std::string describe(const Move& move) {
  std::ostringstream line;
  if (const auto* send = std::get_if<SendMove>(&move)) {
    line << "send " << send->op << " under the permit of generation " << send->generation;
  } else if (const auto* clock = std::get_if<ClockMove>(&move)) {
    line << "the clock moves to " << clock->to_us;
  } else {
    const auto& call = std::get<CallMove>(move);
    line << do_word(call.action);
    std::visit(
        [&](const auto& action) {
          if constexpr (requires { action.by; }) {
            line << " " << action.by.op << " with the proof of generation "
                 << call.given.lease_generation;
          } else if constexpr (requires { action.op; }) {
            line << " " << action.op;
          } else if constexpr (requires { action.workflow.empty(); }) {
            line << " " << action.workflow;
          }
        },
        call.action);
    line << " at " << call.given.now_us;
  }
  return line.str();
}

}  // namespace leaseproof::model
