#include "bench/row.hpp"

#include <benchmark/benchmark.h>

#include <exception>

namespace leaseproof::bench {
namespace {

void tell_percentiles(benchmark::State& state, const Histogram& latency) {
  if (latency.count() == 0) return;
  const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e3; };
  state.counters["p50_us"] = us(latency.at(500));
  state.counters["p95_us"] = us(latency.at(950));
  state.counters["p99_us"] = us(latency.at(990));
  state.counters["p99_9_us"] = us(latency.at(999));
  state.counters["max_us"] = us(latency.max());
}

void tell(benchmark::State& state, Headline headline, const Measured& measured) {
  const auto items = static_cast<double>(measured.items);
  switch (headline) {
    case Headline::items_per_second:
      state.SetItemsProcessed(measured.items);
      break;
    case Headline::us_each:
      // Of calls that are timed one by one the mean is that of the machine's worst moments.
      state.counters["us_each"] = measured.latency.count() > 0
                                      ? static_cast<double>(measured.latency.at(500)) / 1e3
                                      : measured.seconds * 1e6 / items;
      break;
    case Headline::bytes_each:
      state.counters["bytes_each"] = measured.value;
      break;
    case Headline::ratio:
      state.counters["ratio"] = measured.value;
      break;
  }
  for (const auto& [name, value] : measured.also) state.counters[name] = value;
  tell_percentiles(state, measured.latency);
}

}  // namespace

void add_row(const std::string& name, Headline headline, std::function<Measured()> measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [headline, measure = std::move(measure)](benchmark::State& state) {
                                 for (auto _ : state) {
                                   try {
                                     const Measured measured = measure();
                                     state.SetIterationTime(measured.seconds);
                                     tell(state, headline, measured);
                                   } catch (const std::exception& problem) {
                                     state.SkipWithError(problem.what());
                                   }
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace leaseproof::bench
