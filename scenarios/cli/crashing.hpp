// Real kills, point by point: what `leaseproof crash` does.
//
// Promise: each round is a function of seed and number; only its timing is not. A row that was
// asked for and had no kill is told, never passed over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "properties/kill_rounds.hpp"
#include "properties/killed_sut.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

struct CrashPlan {
  std::uint64_t seed = 1;
  std::int64_t rounds = 500;        // dealt out to the rows in turn
  std::vector<std::string> points;  // beginnings of the rows' names; none means all
  std::filesystem::path out = "leaseproof-found/crash";
};

// One place where processes die: a point that drawn cases come by, at the disk an operation on one
// kind of file; or a round of its own.
struct CrashRow {
  using Round = properties::KillRoundEnd (*)(const properties::KillRound&);
  std::string name;
  std::optional<properties::Hunt> hunt;
  std::optional<faults::Role> file;
  Round round = nullptr;
  std::int64_t rounds = 0;
  properties::Kills kills;
};

struct CrashEnd {
  std::vector<CrashRow> rows;
  std::int64_t rounds = 0;
  properties::Kills kills;
  // Of each kill: from before the child is made until its database is open again and judged.
  std::vector<double> cycles_ms;  // in order
  std::optional<properties::Counterexample> counterexample;
  std::string broken;  // what a round of its own found, in one sentence
  std::string file;    // of the counterexample, or the folder that such a round left
  std::optional<Replay> replay;
  Exit exit = Exit::held;
  std::string why;  // where it is inconclusive
  double seconds = 0;
};

// All rows, or those whose names begin so; InputWrong where none does.
std::vector<CrashRow> crash_rows(const std::vector<std::string>& beginnings);

CrashEnd crash(const CrashPlan& plan, const Folder& folder);

Json crash_json(const CrashEnd& end);
Json crash_timing_json(const CrashEnd& end);
std::string told_crash(const CrashEnd& end);

}  // namespace leaseproof::scenarios::cli
