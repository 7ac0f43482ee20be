// Mutants: how many of each hunt were caught, and which were not.
#include <utility>

#include "reports/tables.hpp"
#include "reports/tally.hpp"

namespace leaseproof::reports {

namespace {

Table hunts(const Evidence& evidence) {
  Table table{"hunts",
              "Mutants hunted",
              {},
              {"", "hunt", "hunted", "caught", "survived", "proven to change nothing"}};
  for (const Hunt& hunt : evidence.hunts) {
    Places all;
    Places caught;
    Places survived;
    Places equivalent;
    for (const Mutant& one : hunt.mutants) {
      all.push_back(one.place);
      if (one.survived()) {
        survived.push_back(one.place);
      } else {
        (one.is_equivalent() ? equivalent : caught).push_back(one.place);
      }
    }
    Text name = hunt.part.name();
    if (hunt.place.pointer() != hunt.part.place.pointer()) name << " " << key_of(hunt.place);
    if (hunt.place.has("kind")) name << ", kind " << figure(hunt.place / "kind");
    const Tone tone = survived.empty() ? Tone::good : Tone::bad;
    const auto counted = [&](const Places& places) {
      return places.empty() ? Text("none") : Text(count_of(places));
    };
    table.rows.push_back({source_cell(hunt.place), std::move(name), counted(all), counted(caught),
                          counted(survived).in(tone), counted(equivalent)});
  }
  return table;
}

Table not_caught(const Evidence& evidence) {
  Table table{"not_caught",
              "Mutants that nothing caught",
              "Of those that are equivalent a reason is on file, which a test checks.",
              {"", "mutant", "what it changes", "end"}};
  for (const Hunt& hunt : evidence.hunts) {
    for (const Mutant& one : hunt.mutants) {
      if (!one.survived() && !one.is_equivalent()) continue;
      Text end = one.survived() ? Text("survived").in(Tone::bad) : Text(figure(one.end));
      table.rows.push_back({source_cell(one.place), one.name, figure(one.change), std::move(end)});
    }
  }
  return table;
}

Table all_mutants(const Evidence& evidence) {
  Table table{"mutants",
              "Mutants that were caught",
              {},
              {"", "mutant", "what it changes", "caught by", "in run"}};
  table.folded = true;
  for (const Hunt& hunt : evidence.hunts) {
    for (const Mutant& one : hunt.mutants) {
      if (one.caught_by() == nullptr) continue;
      const bool named = one.place.has("by") && !(one.place / "by").text().empty();
      table.rows.push_back({source_cell(one.place), one.name, figure(one.change),
                            figure(named ? one.place / "by" : one.end), cell(one.place, "run")});
    }
  }
  return table;
}

}  // namespace

std::vector<Table> mutant_tables(const Evidence& evidence) {
  return {hunts(evidence), not_caught(evidence), all_mutants(evidence)};
}

}  // namespace leaseproof::reports
