// The moves of an exhaustive search: what may be done in a state of its world, and a path of them
// written as steps.
//
// Promise: for the rooms of the exhaustive search alone. `variants` and a model::MoveList that
// waits to any boundary list in one fixed order, so that two small numbers name a move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/node_key.hpp"
#include "model/world.hpp"
#include "properties/case.hpp"
#include "properties/fault_budget.hpp"

namespace leaseproof::properties {

// How a move goes.
enum class Variant : std::uint8_t {
  plain,
  crash_at_write,
  crash_at_commit,
  crash_at_committed,
  busy_once,
  busy_to_the_end,
  power_lost_at_write,
  power_lost_at_commit,
  power_lost_at_committed,
  refused_by_disk
};

// A proof of a lease: an op and the generation.
using Proof = std::pair<std::string, std::int64_t>;

// What may still happen on a path, and who is left.
struct Chances {
  FaultBudget faults;
  std::set<Proof> gone;  // proofs that died with the processes that held them
};

// A state of the search: one of the world, and its chances.
struct Spot {
  model::Node node;
  Chances left;
};

model::NodeKey key_of(const model::World& world, const model::Node& node, const Chances& left);

// The proof that a worker's call is made with; nothing for the other calls.
std::optional<Proof> proof_of(const model::CallMove& call);

// Whether somebody is there to make the move.
bool can_be_made(const Chances& left, const model::Move& move);
// Whether a fault may still strike that only a call which changes something comes by.
bool may_strike(const Chances& left);
// The variants of a move that changes the state or does not. Where a call changes nothing, it comes
// by no point at which it could crash.
std::vector<Variant> variants(const Chances& left, const model::Move& move, bool changes);
// Whether a move that goes so has been made, or has come to nothing.
bool stands(Variant variant);
// The chances after a move that went so.
Chances after(const Chances& left, const model::Move& move, const model::Played& played,
              Variant variant);
// The fault of a call that goes so; nothing for `plain`.
std::optional<StepFault> fault_of(const model::Action& action, Variant variant,
                                  std::int64_t busy_tries);

// One move of a path: its place in the list of where it starts.
struct PathMove {
  std::size_t move = 0;
  Variant variant = Variant::plain;
};
// The path from the world's beginning, as a case for the runner.
Case case_of(const model::World& world, const FaultBudget& faults,
             const std::vector<PathMove>& path);

}  // namespace leaseproof::properties
