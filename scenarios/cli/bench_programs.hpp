// The bench programs: what rows they have, and a run of some of them.
//
// Promise: a row is asked for by its own name, whatever Google Benchmark appends to it. All
// repetitions of all rows of a program are run in random order, so that a slow moment of the
// machine does not fall on one row.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

struct BenchPlan {
  std::vector<std::filesystem::path> programs;
  std::filesystem::path work;  // for their databases and answers; exists
  bool takes_long = false;
  int repetitions = 5;
};

struct ListedRow {
  std::string name;
  std::size_t program = 0;  // its place in the plan
  std::string google_name;
};

// Nothing when the user interrupted, here and below. Throws EnvironmentFailed where a program is
// missing or does not answer.
std::optional<std::vector<ListedRow>> list_rows(const BenchPlan& plan);

// Google Benchmark's own documents, one for each program that has any of the rows.
std::optional<std::vector<Json>> run_rows(const BenchPlan& plan,
                                          const std::vector<ListedRow>& rows);

}  // namespace leaseproof::scenarios::cli
