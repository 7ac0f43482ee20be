// What a bench measured, row by row: read from Google Benchmark's JSON, and written to result.json
// and read from it again.
//
// Promise: a row is known by its name, its unit and by whether more of it is better; its figure is
// the median of its repetitions. What cannot be read says so in one sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

struct LatencyPercentiles {
  double p50_us = 0;
  double p95_us = 0;
  double p99_us = 0;
  double p99_9_us = 0;
};

// How a row stands beside the same row of a baseline.
struct Comparison {
  double baseline = 0;  // its median there
  double change = 0;    // of the median, as a share of the baseline's; 0.1 is a tenth more
  bool regressed = false;
};

struct BenchRow {
  std::string name;
  std::string unit;
  bool more_is_better = true;
  std::vector<double> repetitions;
  // Of all repetitions: the medians of what each of them measured.
  std::optional<LatencyPercentiles> percentiles;
  std::optional<Comparison> comparison;

  // Of at least one repetition.
  [[nodiscard]] double median() const;
};

// Of at least one value; between the two in the middle where their number is even.
double median_of(std::vector<double> values);

// A row's own name: without what Google Benchmark appends about how it was run.
std::string row_name(std::string_view google_name);

// All repetitions in the document, in the order in which rows come up first. A row that ended with
// an error is one.
tl::expected<std::vector<BenchRow>, std::string> rows_of_google(const Json& document);

Json row_json(const BenchRow& row);
// Of a result.json of `bench`.
tl::expected<std::vector<BenchRow>, std::string> rows_of_result(const Json& document);

}  // namespace leaseproof::scenarios::cli
