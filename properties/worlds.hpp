// The small worlds that are searched exhaustively: one row each, with what it is there to show.
//
// Promise: plain data. Each is finite: by attempts and generations, or where these do not end it by
// a bound on its clock. No two have the same name.
#pragma once

#include <string_view>
#include <vector>

#include "model/world.hpp"
#include "properties/fault_budget.hpp"

namespace leaseproof::properties {

struct NamedWorld {
  std::string_view name;
  std::string_view sentence;
  model::World world;
  FaultBudget faults = {};
  // Of the catalogue: whose bugs often show here alone. Who hunts one of them looks here first.
  std::vector<std::string_view> statements = {};
};

const std::vector<NamedWorld>& worlds();
// Null where there is none of this name.
const NamedWorld* find_world(std::string_view name);

}  // namespace leaseproof::properties
