// What a scheduled op costs from its lease to its commit, with a runner that does nothing: one host
// with so many workers, and as many hosts with one worker each, so that each worker has an engine
// of its own. The database lies in TMPDIR: a disk there is measured as a disk.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/host.hpp"

namespace leaseproof::bench {
namespace {

using engine::Host;

constexpr int op_count = 400;

std::unique_ptr<Host> open_host(const std::string& path, std::int64_t workers,
                                engine::Synchronous synchronous) {
  engine::HostOptions options;
  options.engine.path = path;
  options.engine.synchronous = synchronous;
  options.scheduler.max_workers = workers;
  options.scheduler.longest_pause_us = 1'000;
  auto host = Host::open(std::move(options));
  if (!host) return nullptr;
  (*host)->on("task", [](engine::Attempt&) -> engine::Answer { return engine::Completed{}; });
  return std::move(*host);
}

void start_ops(Host& host) {
  model::Start start;
  for (int i = 0; i < op_count; ++i) {
    model::OpSpec op;
    op.id = std::to_string(i);
    start.ops.push_back(std::move(op));
  }
  host.engine().start(std::move(start));
}

void work_off(std::vector<std::unique_ptr<Host>>& hosts) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < hosts.size(); ++i) {
    others.emplace_back([&host = *hosts[i]] { host.work_off(); });
  }
  hosts[0]->work_off();
  for (auto& other : others) other.join();
}

// Arguments: hosts, workers of each, 0 for FULL and 1 for NORMAL.
void scheduled_ops(benchmark::State& state) {
  const auto synchronous =
      state.range(2) == 0 ? engine::Synchronous::full : engine::Synchronous::normal;
  const auto folder =
      std::filesystem::temp_directory_path() / ("leaseproof-bench-" + std::to_string(getpid()));
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::vector<std::unique_ptr<Host>> hosts;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      hosts.push_back(open_host(folder / "db", state.range(1), synchronous));
      if (hosts.back() == nullptr) {
        state.SkipWithError("the database in TMPDIR cannot be opened");
        return;
      }
    }
    start_ops(*hosts[0]);
    state.ResumeTiming();
    work_off(hosts);
    state.PauseTiming();
    hosts.clear();
    state.ResumeTiming();
  }
  std::filesystem::remove_all(folder);
  state.SetItemsProcessed(state.iterations() * op_count);
}
BENCHMARK(scheduled_ops)
    ->ArgNames({"hosts", "workers", "normal"})
    ->ArgsProduct({{1}, {1, 8}, {0, 1}})
    ->ArgsProduct({{8}, {1}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leaseproof::bench
