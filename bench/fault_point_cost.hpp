// The same ops on an engine without fault points and on one with them, in one process.
//
// Promise: both are the same sources. Those with the points are compiled a second time in a
// namespace of their own, since one program cannot hold two engines of one name; what is in here is
// compiled with either.
#pragma once

#include <cstdint>

namespace leaseproof::bench {
// How long an engine in memory takes to lease and complete so many ops, with nothing armed. Throws
// std::runtime_error.
double seconds_of_ops(std::int64_t ops);
}  // namespace leaseproof::bench
