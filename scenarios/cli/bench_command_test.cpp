// Checks the command `bench` from outside on rows of less than a second: what it writes, what it
// refuses, and that a planted slowness is found. Does not check what the figures are.
#include <cstdint>

#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {
namespace {

class BenchCommand : public Program {
 protected:
  [[nodiscard]] Json document(const std::string& name) const {
    return Json::parse(read_file(path(name)).value_or(""), nullptr, false);
  }
};

TEST_F(BenchCommand, writes_its_result_and_google_benchmarks_own) {
  const Ended ended =
      run("bench --filter '^enqueue/ops_each:100/normal$' --repetitions 3 --out o --json");
  ASSERT_EQ(ended.exit, 0) << ended.err;
  const Json result = document("o/result.json");
  EXPECT_EQ(Json::parse(ended.out), result);
  EXPECT_EQ(result["format"], "leaseproof-result/1");
  EXPECT_EQ(result["command"], "bench");
  EXPECT_EQ(result["exit"], 0);
  ASSERT_EQ(result["benchmarks"].size(), 2U);
  const Json& floor = result["benchmarks"][0];
  EXPECT_EQ(floor["name"], "floor/normal");
  EXPECT_EQ(result["benchmarks"][1]["name"], "enqueue/ops_each:100/normal");
  EXPECT_EQ(floor["unit"], "ops/s");
  EXPECT_EQ(floor["better"], "more");
  EXPECT_EQ(floor["repetitions"].size(), 3U);
  EXPECT_GT(floor["percentiles"]["p99_9_us"], 0);
  EXPECT_FALSE(floor.contains("regressed"));
  const Json google = document("o/benchmark.json");
  int repetitions = 0;
  for (const Json& one : google["benchmarks"])
    repetitions += one["run_type"] == "iteration" ? 1 : 0;
  EXPECT_EQ(repetitions, 6);
  EXPECT_TRUE(google["context"].contains("file_system"));
}

TEST_F(BenchCommand, finds_a_planted_slowness_and_names_the_row) {
  const std::string rows =
      "bench --filter '^refresh_changes_nothing/pending:10/' --repetitions 3 --out ";
  ASSERT_EQ(run(rows + "before").exit, 0);
  const Ended slow =
      run(rows + "slow --baseline before/result.json --program " + LEASEPROOF_SLOWED_BENCH);
  EXPECT_EQ(slow.exit, 1) << slow.out << slow.err;
  EXPECT_NE(slow.out.find("regressed: refresh_changes_nothing/pending:10/normal"),
            std::string::npos)
      << slow.out;
  const Json result = document("slow/result.json");
  EXPECT_EQ(result["exit"], 1);
  EXPECT_EQ(result["baseline"]["file"], "before/result.json");
  EXPECT_DOUBLE_EQ(result["baseline"]["max_regress"], 0.1);
  for (const Json& row : result["benchmarks"]) {
    EXPECT_EQ(row["regressed"], row["name"] != "floor/normal") << row;
    // It looked slower, and was measured as often again.
    EXPECT_EQ(row["repetitions"].size(), 6U);
  }
}

TEST_F(BenchCommand, refuses_what_it_cannot_use) {
  write("none.json", "{}");
  write("other.json", R"({"format": "leaseproof-result/1", "command": "bench", "benchmarks": []})");
  expect_one_line("bench --filter nothing_is_called_this", 2,
                  "no row has 'nothing_is_called_this'");
  expect_one_line("bench --filter '('", 2, "is no regular expression");
  expect_one_line("bench --max-regress 10", 2, "'10' is no percentage");
  expect_one_line("bench --baseline missing.json", 2, "missing.json");
  expect_one_line("bench --baseline none.json", 2, "no result of leaseproof bench");
  expect_one_line("bench --filter '^floor/memory' --baseline other.json", 2,
                  "it has no row floor/memory");
  expect_one_line("bench --program ./missing", 3, "./missing is missing");
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
