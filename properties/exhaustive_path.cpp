#include "properties/exhaustive_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// What a variant is: a fault, where it strikes, whose budget it spends, and whether the move
// stands.
struct Row {
  Variant variant;
  faults::Kind kind;
  faults::Place place;
  int FaultBudget::*budget;
  bool stands;
  bool uses_all_tries;
};

constexpr std::array variant_rows{Row{Variant::crash_at_write, faults::Kind::crash,
                                      faults::Place::write, &FaultBudget::crashes, false, false},
                                  Row{Variant::crash_at_commit, faults::Kind::crash,
                                      faults::Place::commit, &FaultBudget::crashes, false, false},
                                  Row{Variant::crash_at_committed, faults::Kind::crash,
                                      faults::Place::committed, &FaultBudget::crashes, true, false},
                                  Row{Variant::busy_once, faults::Kind::busy, faults::Place::begin,
                                      &FaultBudget::busies, true, false},
                                  Row{Variant::busy_to_the_end, faults::Kind::busy,
                                      faults::Place::begin, &FaultBudget::busies, false, true},
                                  Row{Variant::power_lost_at_write, faults::Kind::power_loss,
                                      faults::Place::write, &FaultBudget::losses, false, false},
                                  Row{Variant::power_lost_at_commit, faults::Kind::power_loss,
                                      faults::Place::commit, &FaultBudget::losses, false, false},
                                  Row{Variant::power_lost_at_committed, faults::Kind::power_loss,
                                      faults::Place::committed, &FaultBudget::losses, true, false},
                                  Row{Variant::refused_by_disk, faults::Kind::io_error,
                                      faults::Place::commit, &FaultBudget::refusals, false, false}};

// Null for `plain`.
const Row* row_of(Variant variant) {
  const auto* row = std::ranges::find(variant_rows, variant, &Row::variant);
  return row == variant_rows.end() ? nullptr : row;
}

// Where a call changes nothing, it comes by its beginning alone.
bool needs_a_change(const Row& row) { return row.place != faults::Place::begin; }

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
  return std::ranges::any_of(variant_rows, [&](const Row& row) {
    return needs_a_change(row) && left.faults.*row.budget > 0;
  });
}

std::vector<Variant> variants(const Chances& left, const model::Move& move, bool changes) {
  std::vector<Variant> all{Variant::plain};
  if (!std::holds_alternative<CallMove>(move)) return all;
  for (const Row& row : variant_rows) {
    if (left.faults.*row.budget > 0 && (changes || !needs_a_change(row))) {
      all.push_back(row.variant);
    }
  }
  return all;
}

bool stands(Variant variant) {
  const Row* row = row_of(variant);
  return row == nullptr || row->stands;
}

Chances after(const Chances& left, const model::Move& move, const model::Played& played,
              Variant variant) {
  Chances next = left;
  const Row* row = row_of(variant);
  if (row == nullptr) return next;
  --(next.faults.*row->budget);
  if (!faults::is_end(row->kind)) return next;
  if (const auto proof = proof_of(std::get<CallMove>(move))) next.gone.insert(*proof);
  if (const auto proof = granted(played); proof && row->stands) next.gone.insert(*proof);
  return next;
}

std::optional<StepFault> fault_of(const model::Action& action, Variant variant,
                                  std::int64_t busy_tries) {
  const Row* row = row_of(variant);
  if (row == nullptr) return std::nullopt;
  const auto call = fault_call(action);
  LP_CHECK(call.has_value(), "every move of a world is a call with fault points");
  StepFault fault;
  fault.plan.point = faults::point_of(*call, row->place);
  fault.plan.kind = row->kind;
  if (row->uses_all_tries) fault.plan.times = busy_tries;
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
