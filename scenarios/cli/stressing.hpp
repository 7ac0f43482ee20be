// A stress and the verdict of the journal that it left; and the hunt of the bugs of concurrency by
// both.
//
// Promise: what a hunt tells depends on the machine as well as on the seed: a bug shows when the
// machine brings the threads together. So each is looked for in short stresses, one after the
// other, until one shows it or a bound is reached.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/mutants_concurrency.hpp"
#include "properties/stress.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/journal_verdict.hpp"

namespace leaseproof::scenarios::cli {

struct JudgedStress {
  properties::StressEnd end;
  JournalVerdict journal;
  double verify_seconds = 0;
  Exit exit = Exit::held;

  // What the journal breaks goes first. Empty where all held.
  [[nodiscard]] std::string_view invariant() const;
  [[nodiscard]] const std::string& why() const;
  // Of the event in which it shows; 0: of none.
  [[nodiscard]] std::int64_t seq() const;
};
JudgedStress judged_stress(const properties::StressPlan& plan);

// For `--bug`: empty, or the sentence that says which names are known.
std::string is_concurrency_bug(const std::string& name);

struct StressHunt {
  std::uint64_t seed = 1;        // of the first stress; each further one has the next
  std::int64_t most = 30;        // stresses of a bug
  std::filesystem::path folder;  // for their files; each goes away with its stress
};
// The stress of a hunt, in a folder that is made here.
properties::StressPlan plan_of_hunt(const StressHunt& hunt, properties::ConcurrencyBug bug,
                                    std::int64_t number);
// `run` of what comes is the number of the stress that showed it.
HuntedMutant hunt_concurrency_bug(const properties::ConcurrencyBugRow& row, const StressHunt& hunt);

}  // namespace leaseproof::scenarios::cli
