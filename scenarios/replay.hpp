// Replays a scenario on an engine: with the model in step, all invariants judged, and `expect` and
// `finally` checked.
//
// Promise: same file, same engine, same result. What this build cannot do is named, never skipped
// in silence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "properties/search.hpp"
#include "properties/tally.hpp"
#include "properties/violation.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/course.hpp"

namespace leaseproof::scenarios {

enum class Verdict : std::uint8_t {
  ok,
  violation,
  unsupported,  // it needs a call or a fault that this build or this engine does not have
  not_followed  // nothing ran
};

struct Replay {
  Verdict verdict = Verdict::ok;
  std::string reason;  // one line; empty where the verdict says it all
  std::optional<properties::Violation> violation;
  Course course;
  properties::Tally tally;
};

// Whether some fault of it strikes at a disk, so that only an engine on a simulated one can follow.
bool needs_disk(const Scenario& scenario);

// The first thing in the scenario that cannot be done, as one line, or empty.
std::string unsupported(const Scenario& scenario, const properties::Sut& sut);

Replay replay(const Scenario& scenario, const properties::Rig& rig);

}  // namespace leaseproof::scenarios
