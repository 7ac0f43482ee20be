// Checks what automatic mutants are made of a statement, that each compiles or is known not to, and
// that the excuses are of mutants that exist. Does not hunt them: `leaseproof mutants` does.
#include "properties/mutants_automatic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "properties/engine_sut.hpp"
#include "properties/mutants_excused.hpp"

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

TEST(AutomaticMutants, that_are_excused_exist_and_are_excused_once) {
  std::set<std::string_view> seen;
  for (const std::string_view name : excused_mutants()) {
    EXPECT_NE(find_catalogue_mutant(name), nullptr) << name;
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_FALSE(find_excuse(name)->reason.empty()) << name;
  }
}

}  // namespace
}  // namespace leaseproof::properties
