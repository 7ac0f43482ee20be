// The tables of a report: what was run, how often, and what came of it.
//
// Promise: each cell that holds something of a file holds it as a figure with its places; tables
// that would be empty are left out. Same evidence, same tables.
#pragma once

#include <string>
#include <vector>

#include "reports/evidence.hpp"
#include "reports/rules.hpp"

namespace leaseproof::reports {

struct Table {
  std::string id;
  std::string title;
  Text note = {};
  std::vector<std::string> columns;
  std::vector<std::vector<Text>> rows = {};
  bool folded = false;  // long, and of interest only to who looks for something

  // A column of numbers, though a cell of it may hold a word.
  [[nodiscard]] bool is_numeric(std::size_t column) const;
};

// A cell for what a place may not have.
Text cell(const Place& place, std::string_view key);
// The id of the file that a row is about.
Text source_cell(const Place& place);

Table rule_table(const Judgement& judgement);
std::vector<Table> source_tables(const std::vector<Source>& sources);  // tables_sources.cpp
std::vector<Table> search_tables(const Evidence& evidence);            // tables_searches.cpp
std::vector<Table> coverage_tables(const Evidence& evidence);          // tables_coverage.cpp
std::vector<Table> exploration_tables(const Evidence& evidence);       // tables_bounds.cpp
std::vector<Table> crash_tables(const Evidence& evidence);             // tables_crashes.cpp
std::vector<Table> mutant_tables(const Evidence& evidence);            // tables_mutants.cpp
std::vector<Table> bench_tables(const Evidence& evidence);             // tables_bench.cpp

// All of them that hold a row, in the order of a page.
std::vector<Table> all_tables(const std::vector<Source>& sources, const Evidence& evidence);

}  // namespace leaseproof::reports
