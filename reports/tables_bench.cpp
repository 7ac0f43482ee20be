// Benchmarks, against a baseline where there is one.
#include <utility>

#include "reports/tables.hpp"

namespace leaseproof::reports {

namespace {

Text percentile(const Place& benchmark, const char* key) {
  return benchmark.has("percentiles") ? cell(benchmark / "percentiles", key) : Text("–");
}

Text regressed(const Place& benchmark) {
  if (!benchmark.has("regressed")) return "–";
  const Place place = benchmark / "regressed";
  return Text(figure(place)).in(place.value().get<bool>() ? Tone::bad : Tone::good);
}

}  // namespace

std::vector<Table> bench_tables(const Evidence& evidence) {
  Table table{"benchmarks",
              "Benchmarks",
              "The change is that of the median against the baseline, as a part of the baseline.",
              {"", "benchmark", "median", "unit", "better", "repetitions", "p50 µs", "p95 µs",
               "p99 µs", "p99.9 µs", "baseline", "change", "regressed"}};
  Table allowed{"baselines", "Baselines", {}, {"", "file", "allowed to regress by"}};
  for (const Part& bench : evidence.benches) {
    if (bench.place.has("baseline")) {
      const Place baseline = bench.place / "baseline";
      allowed.rows.push_back(
          {source_cell(baseline), figure(baseline / "file"), figure(baseline / "max_regress")});
    }
    for (const Place& one : (bench.place / "benchmarks").members()) {
      table.rows.push_back(
          {source_cell(one), figure(one / "name"), figure(one / "median"), figure(one / "unit"),
           figure(one / "better"), size_of(one / "repetitions"), percentile(one, "p50_us"),
           percentile(one, "p95_us"), percentile(one, "p99_us"), percentile(one, "p99_9_us"),
           cell(one, "baseline"), cell(one, "change"), regressed(one)});
    }
  }
  return {std::move(table), std::move(allowed)};
}

}  // namespace leaseproof::reports
