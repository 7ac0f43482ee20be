// Automatic mutants that nobody could tell from the engine, and why.
//
// Promise: data only. A test runs each beside the engine through the same cases and finds the same
// rows in both databases. An excuse for a mutant that is caught is itself a finding; so is one for
// a mutant that does not exist.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace leaseproof::properties {

// What the mutant leaves in the database.
enum class Leaves : std::uint8_t {
  the_same,
  // Other ops are marked as changed, which only spares work.
  other_marks
};

struct Excuse {
  Leaves leaves = Leaves::the_same;
  std::string_view reason;
};

// Of the automatic mutant of this name, or null.
const Excuse* find_excuse(std::string_view mutant);
// All mutants that have one.
std::vector<std::string_view> excused_mutants();

}  // namespace leaseproof::properties
