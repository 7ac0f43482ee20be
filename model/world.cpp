#include "model/world.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "model/change.hpp"
#include "model/laws.hpp"
#include "model/promise.hpp"
#include "model/queue_room.hpp"
#include "model/rules.hpp"

namespace leaseproof::model {

bool deduplicates(const Op& op) { return op.spec->effect->contract == Contract::idempotent; }

const Permit* permit_of(const Node& node, std::string_view op, std::int64_t generation) {
  const auto dealings = node.outside.find(op);
  if (dealings == node.outside.end()) return nullptr;
  const auto permit = dealings->second.permits.find(generation);
  return permit == dealings->second.permits.end() ? nullptr : &permit->second;
}

namespace {

const Written* write_of(const Node& node, std::string_view op) {
  if (node.outside.empty()) return nullptr;
  const auto dealings = node.outside.find(op);
  const bool any = dealings != node.outside.end() && dealings->second.written.count > 0;
  return any ? &dealings->second.written : nullptr;
}

// Whether the service still knows the key (SEMANTICS 1: retention 0 is for ever).
bool remembers(const Op& op, const Written& written, std::int64_t now_us) {
  const std::int64_t retention_us = op.spec->effect->retention_us;
  return retention_us == 0 || now_us < written.newest_us + retention_us;
}

// A permit that time has ended for good is forgotten, so that nodes do not differ in it; so is one
// whose worker ended its attempt, which ends the permit (SEMANTICS 6).
void forget_permits(Node& node) {
  const auto is_over = [&](const auto& entry) {
    return entry.second.call_before_us <= node.now_us && !entry.second.used;
  };
  bool any_empty = false;
  for (const auto dealings : node.outside.refs()) {
    const auto& permits = dealings->permits;
    if (std::any_of(permits.begin(), permits.end(), is_over)) {
      std::erase_if(dealings.edit().permits, is_over);
    }
    any_empty = any_empty || (dealings->permits.empty() && dealings->written.count == 0);
  }
  if (any_empty) {
    node.outside.erase_if([](const Dealings& dealings) {
      return dealings.permits.empty() && dealings.written.count == 0;
    });
  }
}

// What a call means for the permits that workers hold.
void follow_permits(Node& node, const Action& action, const Given& given, const Outcome& outcome,
                    bool changed) {
  const auto end_permit = [&](const std::string& op) {
    if (permit_of(node, op, given.lease_generation)) {
      node.outside.edit(op).permits.erase(given.lease_generation);
    }
  };
  if (const auto* dispatch = std::get_if<Dispatch>(&action)) {
    if (const auto* permit = std::get_if<Dispatching>(&outcome.detail)) {
      Permit& held = node.outside[dispatch->by.op].permits[given.lease_generation];
      held.call_before_us = permit->call_before_us;
    }
  } else if (const auto* fail = std::get_if<Fail>(&action)) {
    if (changed) end_permit(fail->by.op);
  } else if (const auto* complete = std::get_if<Complete>(&action)) {
    if (changed) end_permit(complete->by.op);
  }
}

std::string send(Node& node, const SendMove& move) {
  const Op& op = node.state.ops.at(move.op);
  Dealings& dealings = node.outside.edit(move.op);
  dealings.permits.at(move.generation).used = true;
  Written& written = dealings.written;
  if (written.count > 0 && deduplicates(op) && remembers(op, written, node.now_us)) return {};
  ++written.count;
  written.newest_us = node.now_us;
  if (written.count == 1) return {};
  return "I2: the service holds two writes of op \"" + std::string(move.op) + "\"";
}

// What the model calls refused was neither written nor can it be any more.
std::string refusal_fault(const Node& node) {
  if (node.outside.empty()) return {};
  for (const auto& [id, op] : node.state.ops) {
    if (!op.view.effect || op.view.effect->status != EffectStatus::refused) continue;
    if (write_of(node, id)) return "I10: op \"" + id + "\" counts as refused, but was written";
  }
  return {};
}

// How many events were written decides nothing: only the order of the workflows' last ones does.
void rank_seqs(State& state) {
  if (state.workflows.size() == 1) {
    const WorkflowRef only = *state.workflows.refs().begin();
    state.last_seq = 1;
    if (only->last_seq != 1) only.edit().last_seq = 1;
    return;
  }
  std::vector<std::int64_t> seqs;
  for (const auto& [id, workflow] : state.workflows) seqs.push_back(workflow.last_seq);
  for (const WorkflowRef workflow : state.workflows.refs()) {
    const std::int64_t rank =
        1 + std::count_if(seqs.begin(), seqs.end(),
                          [own = workflow->last_seq](std::int64_t seq) { return seq < own; });
    if (workflow->last_seq != rank) workflow.edit().last_seq = rank;
  }
  state.last_seq = static_cast<std::int64_t>(seqs.size());
}

void tidy(Node& node) {
  rank_seqs(node.state);
  forget_permits(node);
}

// Judges what a move made of a node, and tidies it.
void conclude(Played& played, Node& node, const Node& before) {
  // A state that nothing was done to was judged when it was reached.
  const bool is_judged = node.state.shares_all(before.state);
  if (played.fault.empty() && !is_judged) played.fault = state_fault(node.state, before.state);
  if (played.fault.empty()) played.fault = refusal_fault(node);
  tidy(node);
  played.edited = true;
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
  for (const auto& [id, dealings] : node.outside) {
    for (const auto& [generation, permit] : dealings.permits) {
      hash = hash * 31 + static_cast<std::size_t>(generation * 4 + (permit.used ? 1 : 0));
    }
    const Written& written = dealings.written;
    hash = hash * 31 + static_cast<std::size_t>(written.newest_us * 4 + written.count);
  }
  return hash;
}

std::optional<std::int64_t> next_boundary(const Node& node, std::int64_t now_us) {
  std::optional<std::int64_t> next;
  // The last moment before the boundary is one of its own: it is where an off-by-one shows.
  const auto consider = [&](std::int64_t at) {
    for (const std::int64_t moment : {at - 1, at}) {
      if (moment > now_us && (!next || moment < *next)) next = moment;
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
    if (const auto due = token_due(queue, now_us)) consider(*due);
  }
  return next;
}

std::optional<std::string> held_receipt(const Node& node, std::string_view op) {
  if (!write_of(node, op)) return std::nullopt;
  return std::string("receipt-").append(op);
}

std::optional<std::string> found_receipt(const Node& node, std::string_view op) {
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
  promise(state_fault(node.state).empty(), "a world begins in a state that keeps the laws");
  tidy(node);
  return node;
}

Played play_call(Node& node, const Node& before, const Action& action, const Given& given) {
  Played played(node.state, action, given);
  const bool edited = !node.state.shares_all(before.state);
  const bool changed = edited && !(before.state == node.state);
  std::string fault = step_fault(before.state, action, given, played.outcome, node.state, changed);
  if (!fault.empty()) played.fault = std::move(fault);
  if (!edited) return played;
  follow_permits(node, action, given, played.outcome, changed);
  conclude(played, node, before);
  return played;
}

Played play(Node& node, const Node& before, const Move& move) {
  if (const auto* call = std::get_if<CallMove>(&move)) {
    return play_call(node, before, *call->action, *call->given);
  }
  Played played;
  if (const auto* sent = std::get_if<SendMove>(&move)) {
    played.fault = send(node, *sent);
  } else {
    node.now_us = std::get<ClockMove>(move).to_us;
  }
  conclude(played, node, before);
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
    line << do_word(*call.action);
    std::visit(
        [&](const auto& action) {
          if constexpr (requires { action.by; }) {
            line << " " << action.by.op << " with the proof of generation "
                 << call.given->lease_generation;
          } else if constexpr (requires { action.op; }) {
            line << " " << action.op;
          } else if constexpr (requires { action.workflow.empty(); }) {
            line << " " << action.workflow;
          }
        },
        *call.action);
    line << " at " << call.given->now_us;
  }
  return line.str();
}

}  // namespace leaseproof::model
