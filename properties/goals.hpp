// What must sometimes happen (SEMANTICS 7, never vacuous): one row a goal, counted while a run is
// judged.
//
// Promise: a closed table; a goal only looks at a `Judgement` and decides nothing. A run that left
// one at zero did not test what it claims to test, and the gate fails on it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "properties/judgement.hpp"
#include "properties/tally.hpp"

namespace leaseproof::properties {

struct Goal {
  std::string_view name;
  std::string_view sentence;
  // Asked for each call of a step, top-level and interleaved.
  bool (*reached)(const CallFact&, const Judgement&) = nullptr;
  // Can only be reached where the engine dispatches effects, and is asked for only there.
  bool of_dispatch = false;
  // Can only be reached where a call can be held up or refused while it wants or has the write
  // lock, and is asked for only there.
  bool of_lock = false;
};

inline constexpr std::size_t outside_goal_count = 60;
inline constexpr std::size_t goal_count = 61 + outside_goal_count;
extern const std::array<Goal, goal_count> goals;

void count_goals(const Judgement& judgement, Tally& tally);

// Whether the runs of the tally are asked for it.
bool is_asked_for(const Goal& goal, const Tally& tally);
// How many goals the runs of the tally are asked for.
std::size_t goals_asked_for(const Tally& tally);

// The names of the goals that were asked for and never reached, then, with faults, each "POINT
// KIND" of the registry that never fired.
std::vector<std::string> unreached(const Tally& tally, bool with_faults = true);

}  // namespace leaseproof::properties
