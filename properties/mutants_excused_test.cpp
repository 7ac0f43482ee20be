// Checks that each excused mutant exists and, beside the engine through the same cases, leaves the
// same rows; and that those cases come by its statement.
#include "properties/mutants_excused.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/mutants_automatic.hpp"
#include "properties/mutants_probes.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {
namespace {

TEST(ExcusedMutants, exist_and_are_excused_once) {
  std::set<std::string_view> seen;
  for (const std::string_view name : excused_mutants()) {
    EXPECT_NE(find_catalogue_mutant(name), nullptr) << name;
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_FALSE(find_excuse(name)->reason.empty()) << name;
  }
}

// All rows of all tables, in their order.
std::string rows_of(engine::sqlite::Connection& db, Leaves leaves) {
  std::string all;
  for (const std::string_view table :
       {"workflow", "op", "need", "lease", "result", "artifact", "checkpoint", "queue", "event",
        "context", "pin", "effect", "approval"}) {
    sqlite3_stmt* statement = nullptr;
    const std::string text = fmt::format("SELECT * FROM {} ORDER BY 1, 2", table);
    sqlite3_prepare_v2(db.handle(), text.c_str(), -1, &statement, nullptr);
    EXPECT_NE(nullptr, statement) << table << " " << sqlite3_errmsg(db.handle());
    while (sqlite3_step(statement) == SQLITE_ROW) {
      all += table;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const std::string_view column = sqlite3_column_name(statement, i);
        if (leaves == Leaves::other_marks && column == "marked") continue;
        const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        all += fmt::format(" {}={}", column, value == nullptr ? "NULL" : value);
      }
      all += '\n';
    }
    sqlite3_finalize(statement);
  }
  return all;
}

// What the engine with these statements leaves of each of some cases.
std::vector<std::string> left_by(const std::shared_ptr<const engine::sqlite::StatementTexts>& texts,
                                 Leaves leaves) {
  constexpr std::uint64_t cases = 60;
  const Rig rig = engine_in_memory(texts)();
  Runner runner(*rig.sut, *rig.clock);
  // A fault strikes at the first change that a call makes, also at one of marks.
  DrawOptions options;
  options.faults = false;
  std::vector<std::string> left;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Case drawn = draw_case(seed, options);
    constexpr bool liveness = false;
    const bool broken = runner.run(drawn.config, drawn.steps, liveness).has_value();
    auto& db = dynamic_cast<EngineSut&>(*rig.sut).engine().connection();
    left.push_back(broken ? "broken" : rows_of(db, leaves));
    const Readings readings = rig.sut->readings({}).value_or(Readings());
    for (const Readings::Unknown& one : readings.unknown) {
      left.back() += fmt::format("unknown {} {}\n", one.op, one.key);
    }
    for (const auto& [queue, due_us] : readings.due_queues) {
      left.back() += fmt::format("due {}/{} {}\n", queue.first, queue.second, due_us);
    }
  }
  return left;
}

class AnExcusedMutant : public testing::TestWithParam<std::size_t> {};

TEST_P(AnExcusedMutant, leaves_what_the_engine_leaves) {
  const std::string_view name = excused_mutants()[GetParam()];
  const CatalogueMutant& mutant = *find_catalogue_mutant(name);
  const Leaves leaves = find_excuse(name)->leaves;
  static const auto same = left_by({}, Leaves::the_same);
  static const auto without_marks = left_by({}, Leaves::other_marks);
  const auto& expected = leaves == Leaves::the_same ? same : without_marks;
  EXPECT_EQ(expected, left_by(mutated(mutant), leaves));
  EXPECT_EQ("", graph_complaint(mutated(mutant)));
  // The cases or the graphs come by the statement: without it, they end otherwise.
  const std::string statement(name.substr(0, name.find('/') + 1));
  const CatalogueMutant* skipped = find_catalogue_mutant(statement + "skip/1");
  ASSERT_NE(nullptr, skipped);
  const auto texts = mutated(*skipped);
  const bool in_cases = left_by(texts, Leaves::the_same) != same;
  EXPECT_TRUE(in_cases || !graph_complaint(texts).empty());
}

INSTANTIATE_TEST_SUITE_P(Of, AnExcusedMutant,
                         testing::Range<std::size_t>(0, excused_mutants().size()),
                         [](const auto& row) {
                           std::string name(excused_mutants()[row.param]);
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace leaseproof::properties
