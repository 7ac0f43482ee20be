#include "bench/fault_point_cost.hpp"

#include "bench/load.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {

double seconds_of_ops(std::int64_t ops) {
  const auto engine = open_engine("file:/leaseproof-cost?vfs=memdb", engine::Synchronous::off);
  start_ready_ops(*engine, "op-", ops);
  const Stopwatch watch;
  work_off(*engine, 1, ops);
  return watch.seconds();
}

}  // namespace leaseproof::bench
