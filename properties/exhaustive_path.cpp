#include "properties/exhaustive_path.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <variant>

#include "engine/values/check.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::CallMove;
using model::ClockMove;
using model::SendMove;

namespace {

// Whether the worker that held this lease was told by the service that its request was taken.
bool holds_receipt(const model::Node& node, const Proof& proof) {
  const auto permits = node.outside.permits.find(proof.first);
  if (permits == node.outside.permits.end()) return false;
  const auto permit = permits->second.find(proof.second);
  return permit != permits->second.end() && permit->second.used;
}

std::optional<Proof> granted(const model::Played& played) {
  if (!played.outcome) return std::nullopt;
  const auto* leased = std::get_if<model::Leased>(&played.outcome->detail);
  if (leased == nullptr) return std::nullopt;
  return Proof{leased->op, leased->generation};
}

}  // namespace

std::optional<Proof> proof_of(const CallMove& call) {
  return std::visit(
      [&](const auto& action) -> std::optional<Proof> {
        if constexpr (requires { action.by; }) {
          return Proof{action.by.op, call.given.lease_generation};
        }
        return std::nullopt;
      },
      call.action);
}

model::NodeKey key_of(const model::World& world, const Spot& spot) {
  model::NodeKey key = model::key_of(world, spot.node);
  key = model::with(key, static_cast<std::uint64_t>(spot.crashes * 1024 + spot.busies));
  for (const auto& [op, generation] : spot.gone) {
    for (const char c : op) key = model::with(key, static_cast<unsigned char>(c));
    key = model::with(key, static_cast<std::uint64_t>(generation));
  }
  return key;
}

std::vector<model::Move> moves_of(const model::World& world, const model::Node& node) {
  std::vector<model::Move> moves = model::moves(world, node);
  for (model::Move& move : moves) {
    auto* call = std::get_if<CallMove>(&move);
    // Each lease is held by a process of its own, which knows of no other's receipt.
    if (call != nullptr && call->given.receipt && !holds_receipt(node, *proof_of(*call))) {
      call->given.receipt.reset();
    }
  }
  model::Node later = node;
  bool first = true;
  while (const auto next = model::next_boundary(later)) {
    if (*next > world.horizon_us) break;
    later.now_us = *next;
    if (!std::exchange(first, false)) moves.emplace_back(ClockMove{*next});
  }
  return moves;
}

bool can_be_made(const Spot& spot, const model::Move& move) {
  if (spot.gone.empty()) return true;
  if (const auto* send = std::get_if<SendMove>(&move)) {
    return !spot.gone.contains({send->op, send->generation});
  }
  const auto* call = std::get_if<CallMove>(&move);
  if (call == nullptr) return true;
  const auto proof = proof_of(*call);
  return !proof || !spot.gone.contains(*proof);
}

std::vector<Variant> variants(const Spot& spot, const model::Move& move,
                              const model::Played& after) {
  std::vector<Variant> all{Variant::plain};
  if (!std::holds_alternative<CallMove>(move)) return all;
  if (spot.crashes > 0 && !(after.node.state == spot.node.state)) {
    all.insert(all.end(),
               {Variant::crash_at_write, Variant::crash_at_commit, Variant::crash_at_committed});
  }
  if (spot.busies > 0) {
    all.insert(all.end(), {Variant::busy_once, Variant::busy_to_the_end});
  }
  return all;
}

Spot after(const Spot& spot, const model::Move& move, const model::Played& played,
           Variant variant) {
  Spot next = spot;
  const bool stands = variant == Variant::plain || variant == Variant::busy_once ||
                      variant == Variant::crash_at_committed;
  if (stands) next.node = played.node;
  switch (variant) {
    case Variant::plain:
      break;
    case Variant::busy_once:
    case Variant::busy_to_the_end:
      --next.busies;
      break;
    case Variant::crash_at_write:
    case Variant::crash_at_commit:
    case Variant::crash_at_committed:
      --next.crashes;
      if (const auto proof = proof_of(std::get<CallMove>(move))) next.gone.insert(*proof);
      if (const auto proof = granted(played); proof && stands) next.gone.insert(*proof);
      break;
  }
  return next;
}

std::optional<StepFault> fault_of(const model::Action& action, Variant variant,
                                  std::int64_t busy_tries) {
  if (variant == Variant::plain) return std::nullopt;
  const auto call = fault_call(action);
  LP_CHECK(call.has_value(), "every move of a world is a call with fault points");
  StepFault fault;
  const auto at = [&](faults::Place place, faults::Kind kind) {
    fault.plan.point = faults::point_of(*call, place);
    fault.plan.kind = kind;
  };
  switch (variant) {
    case Variant::plain:
      break;
    case Variant::crash_at_write:
      at(faults::Place::write, faults::Kind::crash);
      break;
    case Variant::crash_at_commit:
      at(faults::Place::commit, faults::Kind::crash);
      break;
    case Variant::crash_at_committed:
      at(faults::Place::committed, faults::Kind::crash);
      break;
    case Variant::busy_once:
      at(faults::Place::begin, faults::Kind::busy);
      break;
    case Variant::busy_to_the_end:
      at(faults::Place::begin, faults::Kind::busy);
      fault.plan.times = busy_tries;
      break;
  }
  return fault;
}

Case case_of(const model::World& world, int crashes, int busies,
             const std::vector<PathMove>& path) {
  Case written;
  written.config.lease_us = world.lease_us;
  written.config.clock_slack_us = world.settings.clock_slack_us;
  for (const model::Action& action : world.setup) {
    Step& step = written.steps.emplace_back();
    step.action = action;
  }
  std::map<Proof, std::string> holders;
  Spot spot{model::begin(world), crashes, busies, {}};
  for (const PathMove& made : path) {
    const model::Move move = moves_of(world, spot.node).at(made.move);
    const model::Played played = model::play(spot.node, move);
    Step& step = written.steps.emplace_back();
    if (const auto* clock = std::get_if<ClockMove>(&move)) {
      step.action = model::Advance{clock->to_us - spot.node.now_us};
    } else if (const auto* send = std::get_if<SendMove>(&move)) {
      model::Call& call = step.action.emplace<model::Call>();
      call.by.worker = holders.at({send->op, send->generation});
      call.by.op = send->op;
    } else if (const auto* call = std::get_if<CallMove>(&move)) {
      step.action = call->action;
      step.fault = fault_of(call->action, made.variant, written.config.busy_tries);
      std::visit(
          [&](auto& action) {
            if constexpr (requires { action.by; }) {
              action.by.worker = holders.at(*proof_of(*call));
            }
          },
          step.action);
      if (auto* lease = std::get_if<model::Lease>(&step.action)) {
        lease->owner = lease->worker;
        if (const auto proof = granted(played)) {
          lease->worker = fmt::format("{}-{}-{}", lease->worker, proof->first, proof->second);
          holders[*proof] = lease->worker;
        }
      }
    }
    spot = after(spot, move, played, made.variant);
  }
  return written;
}

}  // namespace leaseproof::properties
