// The states in which a loss of power may leave a disk, as a list.
//
// Promise: the same disk, limit and seed give the same list in the same order; no state stands in
// it twice. If all choices fit in the limit, the list is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faults/disk.hpp"

namespace leaseproof::faults {

struct CrashLimit {
  std::size_t choices = 64;  // at least 2: nothing stays, everything stays
  std::uint64_t seed = 1;    // of the choices that are drawn where not all fit
};

struct CrashState {
  PowerLoss plan;
  Disk disk;  // after the reboot
};

// The plans, in canonical order: every subset of the units as a binary number counted up, the first
// unit lowest. Where they are too many: nothing, everything, then in turn a prefix, everything but
// one operation, one operation alone, and drawn subsets, up to the limit, none of them twice; fewer
// where drawing finds no more. On a sequential device: the prefixes, evenly thinned to the limit.
std::vector<PowerLoss> power_losses(const Disk& disk, const CrashLimit& limit);

// What those plans leave; of several that leave the same, the first.
std::vector<CrashState> crash_states(const Disk& disk, const CrashLimit& limit);

}  // namespace leaseproof::faults
