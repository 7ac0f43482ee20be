// A row of the bench: one name, one measurement, told to Google Benchmark in one way.
//
// Promise: what a row measures it does once a repetition, on its own stopwatch, so that making its
// database counts for nothing. The headline is what a baseline is compared by: `items_per_second`,
// or one of the counters `us_each`, `bytes_each` and `ratio`. Percentiles of a repetition are the
// counters `p50_us`, `p95_us`, `p99_us`, `p99_9_us` and `max_us`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/histogram.hpp"

namespace leaseproof::bench {

// What is measured by: more items a second, less time an item (the median where each is timed, else
// the mean), fewer bytes, a larger share of the floor.
enum class Headline : std::uint8_t { items_per_second, us_each, bytes_each, ratio };

struct Measured {
  double seconds = 0;  // for `items` altogether
  std::int64_t items = 0;
  Histogram latency;  // in ns; empty where no item was timed by itself
  double value = 0;   // of `bytes_each` and `ratio`
  std::vector<std::pair<std::string, double>> also;
};

// `measure` may throw std::exception: its text is then the row's error.
void add_row(const std::string& name, Headline headline, std::function<Measured()> measure);

// The rows of each room. With `takes_long` also those that need minutes or gigabytes.
void add_worker_rows();
void add_floor_rows();
void add_call_rows();
void add_refresh_rows(bool takes_long);
void add_process_rows();
void add_takeover_rows();
void add_scheduler_rows();
void add_growth_rows(bool takes_long);
void add_fault_point_rows();

}  // namespace leaseproof::bench
