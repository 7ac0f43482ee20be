// Checks that each seeded bug is a bug of the rules and not of the SQL: it prepares, takes the same
// parameters as the original, and a search catches it. Whether the search runs green without one is
// checked elsewhere.
#include "properties/mutants.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>
#include <string>

#include "engine/store/schema.hpp"
#include "properties/engine_sut.hpp"
#include "properties/search.hpp"

namespace leaseproof::properties {
namespace {

class Schema : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(SQLITE_OK, sqlite3_open(":memory:", &db_));
    for (const char* script :
         {engine::store::schema_of_versions, engine::store::schema_v4, engine::store::schema_v5}) {
      ASSERT_EQ(SQLITE_OK, sqlite3_exec(db_, script, nullptr, nullptr, nullptr));
    }
  }
  void TearDown() override { sqlite3_close(db_); }

  // How many parameters a statement takes; −1 when it is no SQL.
  int parameters(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) return -1;
    const int count = sqlite3_bind_parameter_count(statement);
    sqlite3_finalize(statement);
    return count;
  }

  sqlite3* db_ = nullptr;
};

TEST_F(Schema, takes_every_mutant_with_the_parameters_of_the_original) {
  const auto originals = engine::store::catalog_texts();
  for (const auto& mutant : mutants()) {
    const auto texts = mutated(mutant);
    for (const auto& edit : mutant.edits) {
      const auto at = static_cast<std::size_t>(edit.statement);
      EXPECT_EQ(parameters(originals[at]), parameters((*texts)[at])) << mutant.name << "\n"
                                                                     << (*texts)[at];
    }
  }
}

TEST(Mutants, have_names_of_their_own_and_say_who_suffers) {
  std::set<std::string_view> names;
  for (const auto& mutant : mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_FALSE(mutant.suffering.empty() || mutant.source.empty()) << mutant.name;
  }
  EXPECT_GE(names.size(), 12U);
  EXPECT_EQ(&canary(), find_mutant("completion_without_ownership"));
}

class ASeededBug : public testing::TestWithParam<std::size_t> {};

TEST_P(ASeededBug, is_caught) {
  const Mutant& mutant = mutants()[GetParam()];
  SearchOptions options;
  options.seed = 20;
  options.runs = 1500;
  options.shrink = false;
  const auto result = search(engine_in_memory(mutated(mutant)), options);
  ASSERT_TRUE(result.counterexample.has_value()) << mutant.name;
  EXPECT_EQ(std::string::npos, result.counterexample->violation.why.find("storage_error"))
      << mutant.name
      << " broke the statement, not the rule: " << result.counterexample->violation.why;
  std::printf("%s: %s after %lld steps\n", std::string(mutant.name).c_str(),
              result.counterexample->violation.invariant.c_str(),
              static_cast<long long>(result.tally.steps));
}

INSTANTIATE_TEST_SUITE_P(Mutants, ASeededBug, testing::Range<std::size_t>(0, mutants().size()),
                         [](const auto& row) { return std::string(mutants()[row.param].name); });

TEST(StorageBugs, are_caught_by_a_search_on_the_simulated_disk) {
  std::set<std::string_view> names;
  for (const StorageBugRow& row : storage_bugs()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_mutant(row.name), nullptr) << row.name;
    EXPECT_FALSE(row.suffering.empty() || row.source.empty()) << row.name;
    SearchOptions options;
    options.runs = 500;
    options.shrink = false;
    EXPECT_TRUE(search(engine_on_simulated_disk(row.bug), options).counterexample) << row.name;
  }
}

}  // namespace
}  // namespace leaseproof::properties
