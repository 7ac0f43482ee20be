// How many faults there may be on one path of an exhaustive search.
//
// Promise: plain data. A crash hits a call after its first change, before its COMMIT and after it;
// so does a loss of power, which takes along all that was not synced. Busy is met once, which the
// tries survive, or until all are used. A disk that refuses makes the COMMIT of a call fail.
#pragma once

namespace leaseproof::properties {

struct FaultBudget {
  int crashes = 0;
  int busies = 0;
  int losses = 0;
  int refusals = 0;
  bool operator==(const FaultBudget&) const = default;
};

}  // namespace leaseproof::properties
