// Checks what automatic mutants are made of a statement, and that each compiles or is known not
// to. Does not hunt them: `leaseproof mutants` does.
#include "properties/mutants_automatic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/catalog.hpp"
#include "properties/engine_sut.hpp"
#include "properties/search.hpp"

namespace leaseproof::properties {
namespace {

std::string text_of(const std::vector<CatalogueMutant>& mutants, std::string_view name) {
  for (const CatalogueMutant& mutant : mutants) {
    if (mutant.name == name) return mutant.text;
  }
  return {};
}

TEST(MutantsOfAStatement, change_one_thing_each_and_keep_all_parameters) {
  const auto made = mutants_of(
      "s", "UPDATE op SET status = 'ready', due = ?2 WHERE row = ?1 AND due <= ?3 RETURNING row");
  EXPECT_EQ(text_of(made, "s/drop/1"),
            "UPDATE op SET status = 'ready', due = ?2 WHERE (1 AND ?1 IS ?1) AND due <= ?3 "
            "RETURNING row");
  EXPECT_EQ(text_of(made, "s/shift/1"),
            "UPDATE op SET status = 'ready', due = ?2 WHERE row = ?1 AND due < ?3 RETURNING row");
  EXPECT_EQ(text_of(made, "s/turn/1"),
            "UPDATE op SET status = 'ready', due = ?2 WHERE row <> ?1 AND due <= ?3 RETURNING row");
  EXPECT_EQ(text_of(made, "s/keep/1"),
            "UPDATE op SET status = status, due = ?2 WHERE row = ?1 AND due <= ?3 RETURNING row");
  EXPECT_EQ(text_of(made, "s/keep/2"),
            "UPDATE op SET status = 'ready', due = CASE WHEN (1 AND ?2 IS ?2) THEN due END WHERE "
            "row = ?1 AND due <= ?3 RETURNING row");
  EXPECT_EQ(text_of(made, "s/status/1"),
            "UPDATE op SET status = 'running', due = ?2 WHERE row = ?1 AND due <= ?3 RETURNING "
            "row");
  EXPECT_EQ(text_of(made, "s/skip/1"),
            "UPDATE op SET status = 'ready', due = ?2 WHERE 0 AND ( row = ?1 AND due <= ?3 ) "
            "RETURNING row");
  EXPECT_EQ(made.size(), 9U);
}

TEST(MutantsOfAStatement, reach_into_what_is_in_parentheses) {
  const auto made = mutants_of(
      "s", "SELECT row FROM op WHERE NOT EXISTS (SELECT 1 FROM need WHERE op = ?1 AND needed = 1)");
  EXPECT_EQ(text_of(made, "s/drop/3"),
            "SELECT row FROM op WHERE NOT EXISTS (SELECT 1 FROM need WHERE op = ?1 AND 1)");
}

TEST(MutantsOfAStatement, skip_an_insert_and_defer_a_transaction) {
  EXPECT_EQ(text_of(mutants_of("s", "INSERT INTO need (op, need) VALUES (?1, ?2)"), "s/skip/1"),
            "INSERT INTO need (op, need) SELECT ?1, ?2 WHERE 0 ");
  EXPECT_EQ(text_of(mutants_of("s", "BEGIN IMMEDIATE"), "s/deferred/1"), "BEGIN DEFERRED");
}

TEST(AutomaticMutants, are_hundreds_with_a_name_each_and_nearly_all_compile) {
  const Rig rig = engine_for_branching()();
  rig.sut->reset({});
  sqlite3* database = dynamic_cast<EngineSut&>(*rig.sut).engine().connection().handle();
  std::set<std::string> names;
  std::size_t stillborn = 0;
  for (const CatalogueMutant& mutant : catalogue_mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    if (!compiles(mutant, database)) ++stillborn;
  }
  EXPECT_GT(names.size(), 500U);
  EXPECT_LT(stillborn, names.size() / 50);
}

// So that nothing is lost where they are left out.
TEST(AutomaticMutants, are_not_made_of_what_the_engine_never_runs) {
  auto texts = std::make_shared<engine::sqlite::StatementTexts>(engine::store::catalog_texts());
  std::size_t left_out = 0;
  for (const engine::store::Statement& statement : engine::store::catalog) {
    const auto at = static_cast<std::size_t>(statement.id);
    const auto of_it = [&](const CatalogueMutant& mutant) { return mutant.statement == at; };
    if (!statement.name.starts_with("erase_") && !statement.name.starts_with("unobserved_")) {
      continue;
    }
    EXPECT_TRUE(std::ranges::none_of(catalogue_mutants(), of_it)) << statement.name;
    (*texts)[at] = "no statement";
    ++left_out;
  }
  EXPECT_GT(left_out, 0U);
  SearchOptions options;
  options.runs = 200;
  for (const MakeRig& make : {engine_in_memory(texts), engine_on_simulated_disk(texts)}) {
    EXPECT_FALSE(search(make, options).counterexample);
  }
}

}  // namespace
}  // namespace leaseproof::properties
