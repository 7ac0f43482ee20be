#include "reports/tally.hpp"

#include <algorithm>

namespace leaseproof::reports {

std::map<std::string, Places> goals(const Evidence& evidence) {
  std::map<std::string, Places> all;
  for (const Part& search : evidence.searches) {
    for (const Place& goal : (search.place / "tally" / "goals").members()) {
      all[goal.key()].push_back(goal);
    }
  }
  return all;
}

std::map<std::string, JudgedInvariant> invariants(const Evidence& evidence) {
  std::map<std::string, JudgedInvariant> all;
  for (const Part& search : evidence.searches) {
    for (const Place& row : (search.place / "tally" / "invariants").members()) {
      JudgedInvariant& one = all[row.key()];
      one.rows.push_back(row);
      one.judged.push_back(row / "judged");
      one.violated.push_back(row / "violated");
    }
  }
  return all;
}

std::map<std::string, FaultPoint> faults_fired(const Evidence& evidence) {
  std::map<std::string, FaultPoint> all;
  for (const Part& search : evidence.searches) {
    for (const Place& point : (search.place / "tally" / "faults_fired").members()) {
      FaultPoint& row = all.try_emplace(point.key(), FaultPoint{key_of(point), {}}).first->second;
      for (const Place& kind : point.members()) row.kinds[kind.key()].push_back(kind);
    }
  }
  for (const Part& sweep : evidence.sweeps) {
    for (const Place& cell : (sweep.place / "cells").members()) {
      const Place at = cell / "at";
      FaultPoint& row = all.try_emplace(at.text(), FaultPoint{figure(at), {}}).first->second;
      row.kinds[(cell / "kind").text()].push_back(cell / "runs");
    }
  }
  return all;
}

bool any(const Places& counts) {
  return std::any_of(counts.begin(), counts.end(),
                     [](const Place& count) { return count.number() > 0; });
}

}  // namespace leaseproof::reports
