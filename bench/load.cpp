#include "bench/load.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

#include "bench/clock.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {

using engine::Engine;
using engine::Synchronous;
using model::Word;

std::string_view word(Synchronous synchronous) {
  switch (synchronous) {
    case Synchronous::full:
      return "full";
    case Synchronous::normal:
      return "normal";
    case Synchronous::off:
      return "off";
  }
  return {};
}

std::int64_t op_count(Synchronous synchronous) {
  return synchronous == Synchronous::full ? 1'000 : 10'000;
}

std::unique_ptr<Engine> open_engine(const std::string& path, Synchronous synchronous,
                                    engine::Clock* clock) {
  engine::Options options;
  options.path = path;
  options.synchronous = synchronous;
  options.clock = clock != nullptr ? clock : &engine_clock();
  auto opened = Engine::open(std::move(options));
  if (!opened) throw std::runtime_error(opened.error().sentence);
  return std::move(*opened);
}

void expect(const model::Outcome& outcome, Word wanted) {
  if (outcome.word == wanted) return;
  throw std::runtime_error("the engine answered " + std::string(model::word(outcome.word)) +
                           " instead of " + std::string(model::word(wanted)) + " " + outcome.why);
}

void start_ready_ops(Engine& engine, std::string_view prefix, std::int64_t count) {
  model::Start start;
  for (std::int64_t i = 0; i < count; ++i) {
    start.ops.emplace_back().id = std::string(prefix) + std::to_string(i);
  }
  expect(engine.start(std::move(start)), Word::created);
  expect(engine.refresh(), Word::ok);
}

bool lease_and_complete(Engine& engine, const std::string& worker) {
  model::Lease lease;
  lease.worker = worker;
  const engine::Granted granted = engine.lease(lease);
  if (granted.outcome.word == Word::none) return false;
  expect(granted.outcome, Word::leased);
  model::Complete complete;
  complete.by = {worker, std::get<model::Leased>(granted.outcome.detail).op, 0};
  complete.result = "\"done\"";
  expect(engine.complete(granted.token, std::move(complete)), Word::ok);
  return true;
}

namespace {

Histogram work_off_alone(Engine& engine, const std::string& worker,
                         std::atomic<std::int64_t>& left) {
  Histogram latency;
  while (left.fetch_sub(1) > 0) {
    const Stopwatch watch;
    if (!lease_and_complete(engine, worker)) throw std::runtime_error("an op is missing");
    latency.record(watch.ns());
  }
  return latency;
}

}  // namespace

Histogram work_off(Engine& engine, int workers, std::int64_t ops) {
  std::atomic<std::int64_t> left = ops;
  if (workers == 1) return work_off_alone(engine, "worker", left);
  std::mutex mutex;
  Histogram all;
  std::exception_ptr problem;
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, worker = "worker-" + std::to_string(i)] {
      try {
        const Histogram latency = work_off_alone(engine, worker, left);
        const std::lock_guard lock(mutex);
        all.merge(latency);
      } catch (...) {
        const std::lock_guard lock(mutex);
        problem = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
  return all;
}

}  // namespace leaseproof::bench
