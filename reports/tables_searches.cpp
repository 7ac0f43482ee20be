// Random searches: how much each ran, and how often each invariant was judged.
#include <utility>

#include "reports/tables.hpp"
#include "reports/tally.hpp"

namespace leaseproof::reports {

namespace {

Places counts_of(const Place& map) { return map.members(); }

Table searches(const Evidence& evidence) {
  Table table{"searches",
              "Random searches",
              {},
              {"", "search", "engine", "seed", "workers", "faults", "runs", "steps",
               "goals reached", "goals asked for", "cells reached", "verdict"}};
  for (const Part& search : evidence.searches) {
    const Place tally = search.place / "tally";
    const Place goals = tally / "goals";
    table.rows.push_back(
        {source_cell(search.place), search.name(), figure(search.place / "engine"),
         figure(search.place / "seed"), figure(search.place / "workers"),
         figure(search.place / "faults"), figure(search.place / "runs_done"),
         figure(tally / "steps"), positive_of(counts_of(goals)), size_of(goals),
         figure(search.place / "coverage" / "reached"),
         Text(figure(search.place / "verdict")).in(search.held() ? Tone::good : Tone::doubtful)});
  }
  return table;
}

Table invariants_table(const Evidence& evidence) {
  Table table{"invariants",
              "Invariants",
              "Each is judged after every step of a search that it applies to.",
              {"invariant", "searches", "times judged", "violations"}};
  for (const auto& [name, row] : invariants(evidence)) {
    Text violations(sum_of(row.violated));
    violations.tone = any(row.violated) ? Tone::bad : Tone::good;
    Text judged(sum_of(row.judged));
    if (!any(row.judged)) judged.tone = Tone::doubtful;
    table.rows.push_back(
        {key_of(row.rows.front()), count_of(row.rows), std::move(judged), std::move(violations)});
  }
  return table;
}

Table corpora(const Evidence& evidence) {
  Table table{"corpus", "Corpus", {}, {"", "files", "replays that held", "verdict"}};
  for (const Part& corpus : evidence.corpora) {
    table.rows.push_back(
        {source_cell(corpus.place), size_of(corpus.place / "files"), figure(corpus.place / "held"),
         Text(figure(corpus.place / "verdict")).in(corpus.held() ? Tone::good : Tone::bad)});
  }
  return table;
}

}  // namespace

std::vector<Table> search_tables(const Evidence& evidence) {
  return {searches(evidence), invariants_table(evidence), corpora(evidence)};
}

}  // namespace leaseproof::reports
