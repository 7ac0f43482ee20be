// Hunting planted bugs that are patches of the engine's C++: each is built in a copy of the source
// tree, and the program that comes of it searches itself.
//
// Promise: what is told of a patch depends on the seed and the patch alone, but for its time. A bug
// counts as caught only by an invariant that its file names; the tree without any patch must be
// clean with the same seeds and runs, or a catch would say nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "properties/patched_bug.hpp"
#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/cli/patched_copy.hpp"

namespace leaseproof::scenarios::cli {

struct PatchPlan {
  std::uint64_t seed = 1;
  std::int64_t seeds = 1;
  HuntPlan hunt;  // runs, states, jobs and whom to tell; the patched program shrinks as it sees fit
};

struct PatchesHunted {
  std::vector<HuntedMutant> hunted;  // in the order of the patches, and of each seed by seed
  double build_seconds = 0;
};

// All of properties/mutants/ in the source tree with `only` in their name, by name. Throws
// InputWrong, with file and line, where one is malformed or there is none at all.
std::vector<properties::PatchedBug> patches_in(const std::filesystem::path& source,
                                               const std::string& only);

// A copy to which each of them applies, which is told before anything is built: EnvironmentFailed,
// with the name of the patch, where one does not.
std::unique_ptr<PatchedCopy> copy_for(const std::vector<properties::PatchedBug>& bugs,
                                      const CopyOrder& order);

// Stops early when the user interrupts. Throws InputWrong where the tree itself is not clean, and
// EnvironmentFailed, with the name of the patch, where one does not build.
PatchesHunted hunt_patches(const std::vector<properties::PatchedBug>& bugs, PatchedCopy& copy,
                           const PatchPlan& plan);

}  // namespace leaseproof::scenarios::cli
