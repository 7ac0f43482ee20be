// What an op costs from its lease to its commit, on one engine with so many threads; and how much
// of the floor that is.
#include <algorithm>
#include <string>
#include <vector>

#include "bench/database_folder.hpp"
#include "bench/floor_database.hpp"
#include "bench/load.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

using engine::Synchronous;

Measured lease_complete(int workers, Synchronous synchronous) {
  const FreshDatabase database;
  const auto engine = open_engine(database.path(), synchronous);
  Measured measured;
  measured.items = op_count(synchronous);
  start_ready_ops(*engine, "op-", measured.items);
  const Stopwatch watch;
  measured.latency = work_off(*engine, workers, measured.items);
  measured.seconds = watch.seconds();
  return measured;
}

Measured floor_alone(const std::string& path, Synchronous synchronous, std::int64_t ops) {
  FloorDatabase floor(path, synchronous);
  Measured measured;
  measured.items = ops;
  floor.fill(ops);
  const Stopwatch watch;
  measured.latency = floor.run(ops);
  measured.seconds = watch.seconds();
  return measured;
}

// Turn by turn the floor with its single worker and the engine, so that both meet the machine in
// the same moment; the median of the turns' ratios.
Measured share_of_floor(int workers, Synchronous synchronous) {
  constexpr std::int64_t turns = 9;
  const std::int64_t ops = op_count(synchronous) / 4;
  const FreshDatabase floors;
  const FreshDatabase engines;
  FloorDatabase floor(floors.path(), synchronous);
  const auto engine = open_engine(engines.path(), synchronous);
  floor.fill(turns * ops);
  start_ready_ops(*engine, "op-", turns * ops);
  Measured measured;
  measured.items = turns * ops;
  std::vector<double> ratios;
  for (std::int64_t i = 0; i < turns; ++i) {
    const Stopwatch floor_watch;
    floor.run(ops);
    const double floor_seconds = floor_watch.seconds();
    const Stopwatch watch;
    measured.latency.merge(work_off(*engine, workers, ops));
    ratios.push_back(floor_seconds / watch.seconds());
    measured.seconds += watch.seconds();
  }
  std::nth_element(ratios.begin(), ratios.begin() + turns / 2, ratios.end());
  measured.value = ratios[turns / 2];
  return measured;
}

std::string name_of(const std::string& row, int workers, Synchronous synchronous) {
  return row + "/workers:" + std::to_string(workers) + "/" + std::string(word(synchronous));
}

}  // namespace

void add_worker_rows() {
  for (const Synchronous synchronous : synchronous_settings) {
    for (const int workers : {1, 2, 4, 8, 16}) {
      add_row(name_of("lease_complete", workers, synchronous), Headline::items_per_second,
              [=] { return lease_complete(workers, synchronous); });
    }
    for (const int workers : {1, 8, 16}) {
      add_row(name_of("share_of_floor", workers, synchronous), Headline::ratio,
              [=] { return share_of_floor(workers, synchronous); });
    }
  }
}

void add_floor_rows() {
  for (const Synchronous synchronous : synchronous_settings) {
    add_row("floor/" + std::string(word(synchronous)), Headline::items_per_second, [=] {
      const FreshDatabase database;
      return floor_alone(database.path(), synchronous, op_count(synchronous));
    });
  }
  add_row("floor/memory", Headline::items_per_second, [] {
    constexpr std::int64_t ops = 10'000;
    return floor_alone("file:/leaseproof-floor?vfs=memdb", Synchronous::off, ops);
  });
}

}  // namespace leaseproof::bench
