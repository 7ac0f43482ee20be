// What a search did, step by step, as digests that two processes can compare.
//
// Promise: a line for each top-level step of each run, in their order: all that was drawn, answered
// and observed is in its digest, and nothing else. The same options give the same lines in any
// process, on any machine, or something is not deterministic.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "properties/journal_replay.hpp"
#include "properties/search.hpp"
#include "scenarios/cli/engines.hpp"

namespace leaseproof::scenarios::cli {

struct TracePlan {
  std::string engine{in_memory};
  std::uint64_t seed = 1;
  std::int64_t runs = 40;
};

// "run 3, step 12: <SHA-256>": the step, the moment and the answer of each call in it, and what was
// observed after it. After the steps of a run those of the fair schedule, then its journal.
std::vector<std::string> step_digests(const properties::MakeRig& make,
                                      const properties::JournalDecoder& decode,
                                      const TracePlan& plan);

// The lines that `program traces` prints in a process of its own: with other addresses, another
// time zone and another locale than here. Throws EnvironmentFailed where it does not end well.
std::vector<std::string> digests_of_another_process(const std::filesystem::path& program,
                                                    const TracePlan& plan, const Folder& folder);

// "run 3, step 12" where the two differ first, or empty.
std::string first_difference(const std::vector<std::string>& here,
                             const std::vector<std::string>& there);

}  // namespace leaseproof::scenarios::cli
