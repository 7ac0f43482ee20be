// Whether a bench is slower than a baseline, on a machine whose speed is never twice the same.
//
// Promise: a row has regressed only where its median is worse than the baseline's by more than the
// share that is allowed, and its best repetition is worse than the baseline's worst. The floor, the
// same C program in each run and measured between the other rows, tells the machine's own speed:
// where it has become slower, a row is excused by as much. A faster floor accuses nobody. Rows of
// the floor are that measure themselves, and never regress.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "scenarios/cli/bench_rows.hpp"

namespace leaseproof::scenarios::cli {

// The row by which `name` is excused: of the same durability where its last word is one, else the
// one in memory.
std::string floor_of(std::string_view name);

// Compares each of `rows` with its own in `baseline`; the error says which is missing there, or has
// another unit or direction. `max_regress` is a share: 0.1 allows a tenth.
tl::expected<void, std::string> compare(std::vector<BenchRow>& rows,
                                        const std::vector<BenchRow>& baseline, double max_regress);

}  // namespace leaseproof::scenarios::cli
