// Draws interleavings of workers, operators and the clock (ARCHITECTURE, idea 9).
//
// Promise: a case is a function of seed and options alone. Most steps are legal where they stand,
// because the model is walked along while drawing; ids are few and hot; times fall on and beside
// expiries, deadlines, due times and refills on purpose; whole kinds of action are switched off in
// some cases. A drawn case is never wrong, only more or less interesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/vocabulary.hpp"
#include "properties/case.hpp"
#include "properties/tally.hpp"

namespace leaseproof::properties {

struct DrawOptions {
  int workers = 3;  // 2 to 4
  bool faults = true;
  // Which actions the engine takes part in; empty means all. Without `dispatch` nothing is drawn of
  // effects, approvals and contexts, and the case is the same as if they did not exist.
  std::function<bool(const model::Action&)> speaks;
  // Which faults can hit the engine; empty means all that its disk allows.
  std::function<bool(faults::Point, faults::Kind)> can_be_hit;
  std::optional<Hunt> hunt;
  // Whether other faults than the hunted one are drawn as well.
  bool others = true;
  // Whether faults at the disk and losses of power are drawn; without, the case is the same as if
  // they did not exist.
  bool disk = false;
};

Case draw_case(std::uint64_t seed, const DrawOptions& options);

// The case with so many steps more, drawn where its own steps lead to; its workers act on.
Case continue_case(Case begun, std::size_t more, std::uint64_t seed, const DrawOptions& options);

}  // namespace leaseproof::properties
