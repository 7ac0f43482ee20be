// After which step a violation became likely, as a curve of bars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/cli/engines.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

struct MomentRequest {
  std::int64_t continuations = 100;
  std::uint64_t seed = 1;
};

// The steps until the violation, each with the chance that a run which goes on at random from there
// violates the same invariant. `engine` is the one that the violation was seen on.
std::string told_moment(const Scenario& scenario, const Replay& replay, std::string_view engine,
                        const Folder& folder, const MomentRequest& request);

}  // namespace leaseproof::scenarios::cli
