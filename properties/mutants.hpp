// Seeded bugs: mutants of the statement catalogue (ARCHITECTURE, idea 5).
//
// Promise: each row is one bug that real engines had or that drops one guard of SEMANTICS 3; it is
// data, so that it runs in this process without a rebuild. A mutant that no search catches is a
// hole in the test bed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::properties {

struct Edit {
  engine::store::Sql statement;
  std::string_view find;  // stands in the statement exactly once
  std::string_view replace;
};

struct Mutant {
  std::string_view name;
  std::string_view suffering;  // what a user of such an engine would suffer
  std::string_view source;     // the seed or the public report that it comes from, or the guard
  std::vector<Edit> edits;
};

// In a fixed order; the first four are the seeds' own.
std::span<const Mutant> mutants();
// The mutant that the gate plants in every run to see itself fail.
const Mutant& canary();
// By name, or null.
const Mutant* find_mutant(std::string_view name);

// The catalogue with the edits made. Aborts when an edit does not find its text exactly once: a
// mutant that changes nothing would pass for a bug that was not caught.
std::shared_ptr<const engine::sqlite::StatementTexts> mutated(const Mutant& mutant);

}  // namespace leaseproof::properties
