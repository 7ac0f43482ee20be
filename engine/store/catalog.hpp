// Every statement of the engine, named, with the reason for its guard (ARCHITECTURE, idea 5).
//
// Promise: no SQL text of the engine stands elsewhere but in the schema; the catalogue is data, so
// that a mutant of it (a conjunct dropped, a bound shifted) needs no rebuild.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/store/catalog_creation.hpp"
#include "engine/store/catalog_database.hpp"
#include "engine/store/catalog_effects.hpp"
#include "engine/store/catalog_graph.hpp"
#include "engine/store/catalog_leasing.hpp"
#include "engine/store/catalog_reading.hpp"
#include "engine/store/catalog_work.hpp"
#include "engine/store/statement.hpp"

namespace leaseproof::engine::store {

template <std::size_t... sizes>
constexpr auto joined(const std::array<Statement, sizes>&... parts) {
  std::array<Statement, (sizes + ...)> whole{};
  std::size_t filled = 0;
  ((std::copy(parts.begin(), parts.end(), whole.begin() + static_cast<std::ptrdiff_t>(filled)),
    filled += sizes),
   ...);
  return whole;
}

inline constexpr auto catalog =
    joined(database_statements, creation_statements, leasing_statements, work_statements,
           effects_statements, graph_statements, reading_statements);

constexpr bool catalog_is_in_order() {
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    if (index(catalog[i].id) != i) return false;
  }
  return true;
}
static_assert(catalog_is_in_order());

// The texts by index, as a connection takes them.
std::vector<std::string> catalog_texts();

}  // namespace leaseproof::engine::store
