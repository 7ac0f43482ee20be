// The rows behind the table of goals.hpp, by subject.
#pragma once

#include <array>
#include <variant>

#include "properties/goals.hpp"

namespace leaseproof::properties {

// An action of this kind was answered, and with this word.
template <class A>
bool told(const CallFact& call, model::Word word) {
  return std::holds_alternative<A>(call.action()) && call.told(word);
}

// goals.cpp: leases, graphs, the clock, faults, readers.
inline constexpr std::size_t plain_goal_count = goal_count - outside_goal_count;
std::array<Goal, plain_goal_count> plain_goals();
// goals_outside.cpp: effects, approvals, contexts.
std::array<Goal, outside_goal_count> outside_goals();

}  // namespace leaseproof::properties
