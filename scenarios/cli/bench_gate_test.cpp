// Checks what a bench is read from and when a row has regressed, on made-up documents: a slower
// median, noise, a slower machine, a better row, and baselines that are none. Measures nothing.
#include "scenarios/cli/bench_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leaseproof::scenarios::cli {
namespace {

using Values = std::vector<double>;

BenchRow row(const std::string& name, const Values& values, const std::string& unit = "ops/s") {
  BenchRow made;
  made.name = name;
  made.unit = unit;
  made.more_is_better = unit == "ops/s" || unit == "ratio";
  made.repetitions = values;
  return made;
}

// The verdict on the first row.
bool regressed(std::vector<BenchRow> now, const std::vector<BenchRow>& then,
               double max_regress = 0.1) {
  const auto compared = compare(now, then, max_regress);
  EXPECT_TRUE(compared) << (compared ? "" : compared.error());
  return now.front().comparison && now.front().comparison->regressed;
}

bool regressed(const Values& now, const Values& then, const std::string& unit = "ops/s") {
  return regressed({row("a/full", now, unit)}, {row("a/full", then, unit)});
}

TEST(BenchGate, fires_where_every_repetition_is_worse_and_the_median_by_more_than_is_allowed) {
  EXPECT_TRUE(regressed({80, 82, 84}, {100, 101, 102}));
  EXPECT_TRUE(regressed({120, 121, 119}, {100, 101, 99}, "us"));
  EXPECT_TRUE(regressed({1.2e9}, {1e9}, "bytes"));
  EXPECT_TRUE(regressed({0.5, 0.51}, {0.7, 0.71}, "ratio"));
}

TEST(BenchGate, is_quiet_where_less_is_lost_than_is_allowed) {
  EXPECT_FALSE(regressed({91, 92, 93}, {100, 101, 102}));
  EXPECT_FALSE(regressed({109, 108, 107}, {100, 101, 99}, "us"));
}

TEST(BenchGate, allows_exactly_the_share_that_it_is_given) {
  const std::vector<BenchRow> then{row("a/full", {100})};
  EXPECT_FALSE(regressed({row("a/full", {75})}, then, 0.25));
  EXPECT_TRUE(regressed({row("a/full", {74})}, then, 0.25));
  EXPECT_TRUE(regressed({row("a/full", {99})}, then, 0));
  EXPECT_FALSE(regressed({row("a/full", {100})}, then, 0));
}

TEST(BenchGate, is_quiet_where_one_repetition_is_as_good_as_one_of_the_baseline) {
  EXPECT_FALSE(regressed({50, 60, 100}, {100, 110, 120}));
  EXPECT_FALSE(regressed({200, 190, 100}, {90, 95, 100}, "us"));
}

TEST(BenchGate, is_quiet_where_a_row_is_better) {
  EXPECT_FALSE(regressed({200, 210}, {100, 110}));
  EXPECT_FALSE(regressed({50, 55}, {100, 110}, "us"));
}

TEST(BenchGate, excuses_a_row_by_as_much_as_its_own_floor_has_become_slower) {
  const std::vector<BenchRow> then{row("a/full", {100}), row("floor/full", {1000}),
                                   row("floor/normal", {1000})};
  EXPECT_FALSE(regressed({row("a/full", {60}), row("floor/full", {600})}, then));
  EXPECT_TRUE(regressed({row("a/full", {30}), row("floor/full", {600})}, then));
  EXPECT_TRUE(regressed({row("a/full", {60}), row("floor/normal", {600})}, then));
}

TEST(BenchGate, excuses_the_median_too) {
  EXPECT_FALSE(regressed({row("a/full", {57, 58, 59}), row("floor/full", {600})},
                         {row("a/full", {100, 101, 102}), row("floor/full", {1000})}));
}

TEST(BenchGate, excuses_no_share_of_the_floor_and_no_bytes) {
  for (const std::string unit : {"ratio", "bytes"}) {
    const double worse = unit == "ratio" ? 0.5 : 2;
    EXPECT_TRUE(regressed({row("a/full", {worse}, unit), row("floor/full", {500})},
                          {row("a/full", {1}, unit), row("floor/full", {1000})}))
        << unit;
  }
}

TEST(BenchGate, accuses_nobody_where_the_floor_is_faster) {
  EXPECT_FALSE(regressed({row("a/full", {100}), row("floor/full", {2000})},
                         {row("a/full", {100}), row("floor/full", {1000})}));
}

TEST(BenchGate, never_accuses_the_floor) {
  EXPECT_FALSE(regressed({row("floor/memory", {10})}, {row("floor/memory", {1000})}));
}

TEST(BenchGate, looks_at_the_floor_of_the_rows_own_durability) {
  EXPECT_EQ(floor_of("lease_complete/workers:8/full"), "floor/full");
  EXPECT_EQ(floor_of("heartbeat/normal"), "floor/normal");
  EXPECT_EQ(floor_of("checked_steps"), "floor/memory");
  EXPECT_EQ(floor_of("fault_points/compiled_in/memory"), "floor/memory");
}

TEST(BenchGate, names_the_row_that_the_baseline_has_not_or_measures_otherwise) {
  std::vector<BenchRow> now{row("a/full", {1})};
  EXPECT_EQ(compare(now, {row("b/full", {1})}, 0.1).error(), "it has no row a/full");
  EXPECT_EQ(compare(now, {row("a/full", {1}, "us")}, 0.1).error(),
            "its row a/full is measured in us, here it is ops/s");
}

TEST(BenchGate, tells_change_as_a_share_of_the_baselines_median) {
  std::vector<BenchRow> now{row("a/full", {90, 120, 150})};
  ASSERT_TRUE(compare(now, {row("a/full", {100, 90, 110})}, 0.1));
  EXPECT_DOUBLE_EQ(now[0].comparison->baseline, 100);
  EXPECT_NEAR(now[0].comparison->change, 0.2, 1e-12);
}

TEST(BenchRows, take_each_repetition_and_the_medians_of_its_percentiles) {
  const Json google = Json::parse(R"({"benchmarks": [
    {"run_name": "a/full/iterations:1/manual_time", "run_type": "iteration", "items_per_second": 3.0,
     "real_time": 7.0, "time_unit": "ms", "p50_us": 1.0, "p95_us": 2.0, "p99_us": 3.0, "p99_9_us": 4.0},
    {"run_name": "b/iterations:1", "run_type": "iteration", "us_each": 5.0, "items_per_second": 1.0},
    {"run_name": "a/full/iterations:1/manual_time", "run_type": "iteration", "items_per_second": 1.0,
     "p50_us": 3.0, "p95_us": 4.0, "p99_us": 5.0, "p99_9_us": 6.0},
    {"run_name": "a/full/iterations:1/manual_time", "run_type": "aggregate", "items_per_second": 9.0},
    {"run_name": "c", "run_type": "iteration", "real_time": 2.0, "time_unit": "ms"}]})");
  const auto rows = rows_of_google(google);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0].name, "a/full");
  EXPECT_EQ((*rows)[0].repetitions, (Values{3, 1}));
  EXPECT_DOUBLE_EQ((*rows)[0].median(), 2);
  EXPECT_DOUBLE_EQ((*rows)[0].percentiles->p99_us, 4);
  EXPECT_EQ((*rows)[1].unit, "us");
  EXPECT_FALSE((*rows)[1].more_is_better);
  EXPECT_FALSE((*rows)[1].percentiles);
  EXPECT_DOUBLE_EQ((*rows)[2].median(), 2000);
}

TEST(BenchRows, say_which_row_ended_with_an_error) {
  const Json google = Json::parse(R"({"benchmarks": [{"run_name": "a/full/iterations:1",
    "run_type": "iteration", "error_occurred": true, "error_message": "no disk"}]})");
  EXPECT_EQ(rows_of_google(google).error(), "a/full: no disk");
}

TEST(BenchRows, come_back_from_result_json_as_they_were) {
  BenchRow written = row("a/full", {3, 1, 2}, "us");
  written.percentiles = {1, 2, 3, 4};
  const Json document{
      {"format", "leaseproof-result/1"}, {"command", "bench"}, {"benchmarks", {row_json(written)}}};
  const auto rows = rows_of_result(Json::parse(pretty(document)));
  ASSERT_TRUE(rows) << rows.error();
  EXPECT_EQ(rows->front().name, "a/full");
  EXPECT_EQ(rows->front().unit, "us");
  EXPECT_FALSE(rows->front().more_is_better);
  EXPECT_EQ(rows->front().repetitions, (Values{3, 1, 2}));
}

TEST(BenchRows, of_a_result_that_is_none_are_refused) {
  const auto why = [](const char* text) {
    const auto rows = rows_of_result(Json::parse(text, nullptr, false));
    return rows ? std::string("taken") : rows.error();
  };
  EXPECT_EQ(why("[]"), "it is no result of leaseproof bench");
  EXPECT_EQ(why("no json"), "it is no result of leaseproof bench");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/2", "command": "bench", "benchmarks": []})"),
            "it is no result of leaseproof bench");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/1", "command": "gate", "benchmarks": []})"),
            "it is no result of leaseproof bench");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/1", "command": "bench"})"),
            "it holds no list of benchmarks");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/1", "command": "bench", "benchmarks": [1]})"),
            "benchmark 1 has no name, no unit or no direction");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/1", "command": "bench", "benchmarks": [
                   {"name": "a", "unit": "us", "better": "less", "repetitions": []}]})"),
            "benchmark 1 has no repetitions");
  EXPECT_EQ(why(R"({"format": "leaseproof-result/1", "command": "bench", "benchmarks": [
                   {"name": "a", "unit": "us", "better": "less", "repetitions": ["1"]}]})"),
            "benchmark 1 has a repetition that is no number");
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
