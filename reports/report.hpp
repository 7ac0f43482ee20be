// A report: the verdict with its reasons, the tables, what was not checked, the counterexamples.
//
// Promise: one value, from which every format is written; the formats decide nothing. It refers to
// the sources, which must outlive it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/evidence.hpp"
#include "reports/rules.hpp"
#include "reports/tables.hpp"

namespace leaseproof::reports {

struct Counterexample {
  Place violation;
  Text title;
  Text why;
  Text replay;  // the line to copy, or empty where no file replays it
  // What to draw; nothing where the run did not come again, or is no list of steps.
  std::optional<Place> interleaving;
};

struct Report {
  const std::vector<Source>* sources = nullptr;
  Evidence evidence;
  Judgement judgement;
  std::vector<Table> tables;
  std::vector<Text> unchecked;
  std::vector<Counterexample> counterexamples;
};

Report make_report(const std::vector<Source>& sources, const std::set<std::string>& waived = {});

// The files of a report: name and content, in the order of their names.
std::vector<std::pair<std::string, std::string>> files_of(const Report& report);

}  // namespace leaseproof::reports
