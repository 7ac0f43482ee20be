// Bugs that nobody had to think of: each statement of the catalogue with one small thing changed.
//
// Promise: made from the catalogue's text alone, in its order; names are the same as long as the
// statement is. Every conjunct dropped, every comparison shifted by one and turned around, every
// assignment left out, every statement skipped, every word of a status exchanged, IMMEDIATE made
// DEFERRED. All parameters stay bound. Some do not compile, and some change nothing that anybody
// could see: who runs them finds out.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::properties {

struct CatalogueMutant {
  std::string name;  // statement/kind/number
  std::size_t statement = 0;
  std::string change;  // what stood there and what stands there now
  std::string text;    // of the whole statement
};

const std::vector<CatalogueMutant>& catalogue_mutants();
// By name, or null.
const CatalogueMutant* find_catalogue_mutant(std::string_view name);
// Those of one text, for a statement of this name.
std::vector<CatalogueMutant> mutants_of(std::string_view name, std::string_view text);

// Whether SQLite takes the statement; asked of a database of the engine's.
bool compiles(const CatalogueMutant& mutant, sqlite3* database);

// The catalogue with this one statement in place of its own.
std::shared_ptr<const engine::sqlite::StatementTexts> mutated(const CatalogueMutant& mutant);

// Those of a mutant of the catalogue, planted or automatic, of this name; null where there is none.
std::shared_ptr<const engine::sqlite::StatementTexts> texts_of_mutant(std::string_view name);

}  // namespace leaseproof::properties
