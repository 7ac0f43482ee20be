#include <algorithm>
#include <map>
#include <utility>

#include "reports/tables.hpp"

namespace leaseproof::reports {

bool Table::is_numeric(std::size_t column) const {
  return std::any_of(rows.begin(), rows.end(),
                     [column](const std::vector<Text>& row) { return row[column].is_number(); });
}

Text cell(const Place& place, std::string_view key) {
  return place.has(key) ? Text(figure(place / key)) : Text("–");
}

Text source_cell(const Place& place) { return place.source().id; }

namespace {

Tone tone_of(const std::string& verdict) {
  if (verdict == "held") return Tone::good;
  return verdict == "violation" ? Tone::bad : Tone::doubtful;
}

Table results(const std::vector<Source>& sources) {
  Table table{"results", "Results", {}, {"", "file", "command", "verdict", "seed", "seconds"}};
  for (const Source& source : sources) {
    const Place document(source);
    const Place timing = document / "timing";
    table.rows.push_back(
        {source_cell(document), file_of(source), figure(document / "command"),
         Text(figure(document / "verdict")).in(tone_of((document / "verdict").text())),
         cell(document, "seed"), cell(timing, "seconds")});
  }
  return table;
}

Text joined(const Place& list) {
  Text text;
  for (const Place& one : list.members()) {
    if (!text.pieces.empty()) text << ", ";
    text << figure(one);
  }
  return text.pieces.empty() ? Text("none") : text;
}

Table builds(const std::vector<Source>& sources) {
  Table table{"builds",
              "Build and SQLite",
              {},
              {"results", "version", "compiler", "type", "sanitizers", "fault points", "SQLite",
               "source id"}};
  std::map<std::string, std::size_t> seen;
  for (const Source& source : sources) {
    const Place document(source);
    const Place build = document / "build";
    const Place sqlite = document / "sqlite";
    const auto [at, added] =
        seen.emplace(build.value().dump() + sqlite.value().dump(), table.rows.size());
    if (!added) {
      table.rows[at->second].front() << ", " << source.id;
      continue;
    }
    table.rows.push_back({source_cell(document), figure(build / "leaseproof"),
                          figure(build / "compiler"), figure(build / "type"),
                          joined(build / "sanitizers"), figure(build / "fault_points"),
                          figure(sqlite / "version"), figure(sqlite / "source_id")});
  }
  return table;
}

}  // namespace

std::vector<Table> source_tables(const std::vector<Source>& sources) {
  return {results(sources), builds(sources)};
}

Table rule_table(const Judgement& judgement) {
  Table table{"rules", "Rules", {}, {"rule", "what has to be so", "where it is not", "here"}};
  for (const Judged& one : judgement.rules) {
    const bool bad = one.rule->verdict == Verdict::not_ready;
    Text here = Text("kept").in(Tone::good);
    if (!one.reasons.empty()) {
      here = one.waived ? Text("waived").in(Tone::doubtful)
                        : Text("not kept").in(bad ? Tone::bad : Tone::doubtful);
    }
    table.rows.push_back({std::string(one.rule->id), std::string(one.rule->sentence),
                          std::string(word(one.rule->verdict)), std::move(here)});
  }
  return table;
}

std::vector<Table> all_tables(const std::vector<Source>& sources, const Evidence& evidence) {
  std::vector<Table> all;
  const auto add = [&all](std::vector<Table> tables) {
    for (Table& table : tables) {
      if (!table.rows.empty()) all.push_back(std::move(table));
    }
  };
  add(search_tables(evidence));
  add(coverage_tables(evidence));
  add(exploration_tables(evidence));
  add(crash_tables(evidence));
  add(mutant_tables(evidence));
  add(bench_tables(evidence));
  add(source_tables(sources));
  return all;
}

}  // namespace leaseproof::reports
