// Automatic mutants that no search can catch, and why.
//
// Promise: data only. `equivalent` says that nobody could tell the mutant from the engine;
// `elsewhere` that no call of a search runs the statement, and which tests judge it. An excuse for
// a mutant that is caught is itself a finding; so is one for a mutant that does not exist.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace leaseproof::properties {

enum class ExcuseKind : std::uint8_t { equivalent, elsewhere };

struct Excuse {
  ExcuseKind kind = ExcuseKind::equivalent;
  std::string_view reason;
};

// Of the automatic mutant of this name, or null.
const Excuse* find_excuse(std::string_view mutant);
// All mutants that have one.
std::vector<std::string_view> excused_mutants();

}  // namespace leaseproof::properties
