#include "properties/exhaustive_path.hpp"

#include <fmt/format.h>

#include <initializer_list>
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

std::optional<Proof> granted(const model::Played& played) {
  const auto* leased = std::get_if<model::Leased>(&played.outcome.detail);
  if (leased == nullptr) return std::nullopt;
  return Proof{leased->op, leased->generation};
}

}  // namespace

std::optional<Proof> proof_of(const CallMove& call) {
  return std::visit(
      [&](const auto& action) -> std::optional<Proof> {
        if constexpr (requires { action.by; }) {
          return Proof{action.by.op, call.given->lease_generation};
        }
        return std::nullopt;
      },
      *call.action);
}

model::NodeKey key_of(const model::World& world, const model::Node& node, const Chances& left) {
  model::NodeKey key = model::key_of(world, node);
  const FaultBudget& faults = left.faults;
  for (const int count :
       {faults.crashes * 1024 + faults.busies, faults.losses * 1024 + faults.refusals}) {
    key = model::with(key, static_cast<std::uint64_t>(count));
  }
  for (const auto& [op, generation] : left.gone) {
    for (const char c : op) key = model::with(key, static_cast<unsigned char>(c));
    key = model::with(key, static_cast<std::uint64_t>(generation));
  }
  return key;
}

bool can_be_made(const Chances& left, const model::Move& move) {
  if (left.gone.empty()) return true;
  if (const auto* send = std::get_if<SendMove>(&move)) {
    return !left.gone.contains({std::string(send->op), send->generation});
  }
  const auto* call = std::get_if<CallMove>(&move);
  if (call == nullptr) return true;
  const auto proof = proof_of(*call);
  return !proof || !left.gone.contains(*proof);
}

bool may_strike(const Chances& left) {
  return left.faults.crashes > 0 || left.faults.losses > 0 || left.faults.refusals > 0;
}

std::vector<Variant> variants(const Chances& left, const model::Move& move, bool changes) {
  std::vector<Variant> all{Variant::plain};
  if (!std::holds_alternative<CallMove>(move)) return all;
  const auto add = [&](std::initializer_list<Variant> more) { all.insert(all.end(), more); };
  if (left.faults.crashes > 0 && changes) {
    add({Variant::crash_at_write, Variant::crash_at_commit, Variant::crash_at_committed});
  }
  if (left.faults.busies > 0) add({Variant::busy_once, Variant::busy_to_the_end});
  if (left.faults.losses > 0 && changes) {
    add({Variant::power_lost_at_write, Variant::power_lost_at_commit,
         Variant::power_lost_at_committed});
  }
  if (left.faults.refusals > 0 && changes) add({Variant::refused_by_disk});
  return all;
}

bool stands(Variant variant) {
  return variant == Variant::plain || variant == Variant::busy_once ||
         variant == Variant::crash_at_committed || variant == Variant::power_lost_at_committed;
}

Chances after(const Chances& left, const model::Move& move, const model::Played& played,
              Variant variant) {
  Chances next = left;
  const auto end_process = [&] {
    if (const auto proof = proof_of(std::get<CallMove>(move))) next.gone.insert(*proof);
    if (const auto proof = granted(played); proof && stands(variant)) next.gone.insert(*proof);
  };
  switch (variant) {
    case Variant::plain:
      break;
    case Variant::busy_once:
    case Variant::busy_to_the_end:
      --next.faults.busies;
      break;
    case Variant::crash_at_write:
    case Variant::crash_at_commit:
    case Variant::crash_at_committed:
      --next.faults.crashes;
      end_process();
      break;
    case Variant::power_lost_at_write:
    case Variant::power_lost_at_commit:
    case Variant::power_lost_at_committed:
      --next.faults.losses;
      end_process();
      break;
    case Variant::refused_by_disk:
      --next.faults.refusals;
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
    case Variant::power_lost_at_write:
      at(faults::Place::write, faults::Kind::power_loss);
      break;
    case Variant::power_lost_at_commit:
      at(faults::Place::commit, faults::Kind::power_loss);
      break;
    case Variant::power_lost_at_committed:
      at(faults::Place::committed, faults::Kind::power_loss);
      break;
    case Variant::refused_by_disk:
      at(faults::Place::commit, faults::Kind::io_error);
      break;
  }
  return fault;
}

Case case_of(const model::World& world, const FaultBudget& faults,
             const std::vector<PathMove>& path) {
  Case written;
  written.config.lease_us = world.lease_us;
  written.config.clock_slack_us = world.settings.clock_slack_us;
  for (const model::Action& action : world.setup) {
    Step& step = written.steps.emplace_back();
    step.action = action;
  }
  std::map<Proof, std::string> holders;
  Spot spot{model::begin(world), {faults, {}}};
  model::MoveList moves(world, model::Waits::to_any, model::Receipts::its_own);
  for (const PathMove& made : path) {
    const model::Move move = moves.of(spot.node).at(made.move);
    model::Node next = spot.node;
    const model::Played played = model::play(next, spot.node, move);
    Step& step = written.steps.emplace_back();
    if (const auto* clock = std::get_if<ClockMove>(&move)) {
      step.action = model::Advance{clock->to_us - spot.node.now_us};
    } else if (const auto* send = std::get_if<SendMove>(&move)) {
      model::Call& call = step.action.emplace<model::Call>();
      call.by.op = send->op;
      call.by.worker = holders.at({call.by.op, send->generation});
    } else if (const auto* call = std::get_if<CallMove>(&move)) {
      step.action = *call->action;
      step.fault = fault_of(*call->action, made.variant, written.config.busy_tries);
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
    spot.left = after(spot.left, move, played, made.variant);
    if (stands(made.variant)) spot.node = std::move(next);
  }
  return written;
}

}  // namespace leaseproof::properties
