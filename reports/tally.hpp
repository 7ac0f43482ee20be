// Counts of several results under one name: goals, invariants and faults.
//
// Promise: each name that any result counts is there, with all places that count it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/evidence.hpp"

namespace leaseproof::reports {

using Places = std::vector<Place>;

// By goal: the counts of the searches that asked for it.
std::map<std::string, Places> goals(const Evidence& evidence);

struct JudgedInvariant {
  Places rows;
  Places judged;
  Places violated;
};
std::map<std::string, JudgedInvariant> invariants(const Evidence& evidence);

struct FaultPoint {
  Figure name;
  std::map<std::string, Places> kinds;  // what cannot strike there is not here
};
// By point: how often each kind of fault struck there, in searches and sweeps.
std::map<std::string, FaultPoint> faults_fired(const Evidence& evidence);

// Whether any of them is above zero.
bool any(const Places& counts);

}  // namespace leaseproof::reports
