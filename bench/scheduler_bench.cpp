// What a scheduled op costs from its lease to its commit, with a runner that does nothing: one host
// with many workers, and as many hosts with one worker each, so that each worker has an engine of
// its own.
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"
#include "engine/host.hpp"

namespace leaseproof::bench {
namespace {

using engine::Host;
using engine::Synchronous;
using Hosts = std::vector<std::unique_ptr<Host>>;

std::unique_ptr<Host> open_host(const std::string& path, int workers, Synchronous synchronous) {
  engine::HostOptions options;
  options.engine.path = path;
  options.engine.synchronous = synchronous;
  options.engine.clock = &engine_clock();
  options.scheduler.max_workers = workers;
  options.scheduler.longest_pause_us = 1'000;
  auto host = Host::open(std::move(options));
  if (!host) throw std::runtime_error(host.error().sentence);
  (*host)->on("task", [](engine::Attempt&) -> engine::Answer { return engine::Completed{}; });
  return std::move(*host);
}

void work_off_all(Hosts& hosts) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < hosts.size(); ++i) {
    others.emplace_back([&host = *hosts[i]] { host.work_off(); });
  }
  hosts[0]->work_off();
  for (auto& other : others) other.join();
}

Measured scheduled(int count, int workers, Synchronous synchronous) {
  const FreshDatabase database;
  Hosts hosts;
  for (int i = 0; i < count; ++i) {
    hosts.push_back(open_host(database.path(), workers, synchronous));
  }
  Measured measured;
  measured.items = op_count(synchronous);
  start_ready_ops(hosts[0]->engine(), "op-", measured.items);
  const Stopwatch watch;
  work_off_all(hosts);
  measured.seconds = watch.seconds();
  std::int64_t succeeded = 0;
  for (const auto& host : hosts) {
    succeeded += host->scheduler().counts().of(engine::End::succeeded);
  }
  if (succeeded != measured.items) throw std::runtime_error("not every op has succeeded");
  return measured;
}

}  // namespace

void add_scheduler_rows() {
  for (const Synchronous synchronous : synchronous_settings) {
    for (const auto& [hosts, workers] : {std::pair{1, 1}, {1, 8}, {1, 16}, {4, 1}}) {
      add_row("scheduled/hosts:" + std::to_string(hosts) + "/workers:" + std::to_string(workers) +
                  "/" + std::string(word(synchronous)),
              Headline::items_per_second, [hosts = hosts, workers = workers, synchronous] {
                return scheduled(hosts, workers, synchronous);
              });
    }
  }
}

}  // namespace leaseproof::bench
