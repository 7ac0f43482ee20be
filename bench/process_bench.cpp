// The same ops as in `lease_complete`, worked off by so many real processes with a worker each.
#include <memory>
#include <string>
#include <vector>

#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/process.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

using engine::Synchronous;

void work(const std::string& path, Synchronous synchronous, const Process::Line& line) {
  const auto engine = open_engine(path, synchronous);
  line.tell_go();
  line.hear_go();
  Histogram latency;
  while (true) {
    const Stopwatch watch;
    if (!lease_and_complete(*engine, "worker")) break;
    latency.record(watch.ns());
  }
  line.tell(&latency, sizeof latency);
}

Measured processes(int count, Synchronous synchronous) {
  const FreshDatabase database;
  Measured measured;
  measured.items = op_count(synchronous);
  start_ready_ops(*open_engine(database.path(), synchronous), "op-", measured.items);
  std::vector<std::unique_ptr<Process>> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(std::make_unique<Process>(
        [&](const Process::Line& line) { work(database.path(), synchronous, line); }));
  }
  for (const auto& child : children) child->line().hear_go();
  const Stopwatch watch;
  for (const auto& child : children) child->line().tell_go();
  for (const auto& child : children) {
    Histogram latency;
    child->line().hear(&latency, sizeof latency);
    measured.latency.merge(latency);
  }
  measured.seconds = watch.seconds();
  return measured;
}

}  // namespace

void add_process_rows() {
  for (const Synchronous synchronous : synchronous_settings) {
    for (const int count : {1, 2, 3, 4}) {
      add_row("lease_complete/processes:" + std::to_string(count) + "/" +
                  std::string(word(synchronous)),
              Headline::items_per_second, [=] { return processes(count, synchronous); });
    }
  }
}

}  // namespace leaseproof::bench
