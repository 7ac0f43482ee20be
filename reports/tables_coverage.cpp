// What searches came by: goals, and faults by point and kind.
#include <map>
#include <set>
#include <utility>

#include "reports/tables.hpp"
#include "reports/tally.hpp"

namespace leaseproof::reports {

namespace {

Table goals_table(const Evidence& evidence, bool reached) {
  Table table;
  table.id = reached ? "goals" : "goals_never_reached";
  table.title = reached ? "Goals that were reached" : "Goals never reached";
  table.columns = {"goal", "searches that asked", "times reached"};
  table.folded = reached;
  for (const auto& [name, counts] : goals(evidence)) {
    if (any(counts) != reached) continue;
    table.rows.push_back({key_of(counts.front()), count_of(counts),
                          Text(sum_of(counts)).in(reached ? Tone::plain : Tone::doubtful)});
  }
  return table;
}

// "disk_full" as a head that may be broken over lines.
std::string head_of(std::string kind) {
  for (char& c : kind) c = c == '_' ? ' ' : c;
  return kind;
}

// Of each kind, at how many of the points where it can strike it did.
Table kinds_table(const Evidence& evidence) {
  Table table{"fault_kinds",
              "Kinds of faults that struck",
              "In random searches and sweeps.",
              {"kind of fault", "points where it can strike", "where it never did", "times"}};
  std::map<std::string, Places> times;
  std::map<std::string, Places> can;
  std::map<std::string, Places> never;
  for (const auto& [name, point] : faults_fired(evidence)) {
    for (const auto& [kind, counts] : point.kinds) {
      times[kind].insert(times[kind].end(), counts.begin(), counts.end());
      can[kind].push_back(counts.front());
      if (!any(counts)) never[kind].push_back(counts.front());
    }
  }
  for (const auto& [kind, counts] : times) {
    const Places& gaps = never[kind];
    table.rows.push_back(
        {kind, count_of(can[kind]),
         gaps.empty() ? Text("none").in(Tone::good) : Text(count_of(gaps)).in(Tone::doubtful),
         sum_of(counts)});
  }
  return table;
}

Table faults_table(const Evidence& evidence) {
  Table table{"faults",
              "Faults that struck, by point and kind",
              "In random searches and sweeps. A dash: this kind cannot strike at this point.",
              {"fault point"}};
  table.folded = true;
  const auto points = faults_fired(evidence);
  std::set<std::string> kinds;
  for (const auto& [name, point] : points) {
    for (const auto& [kind, counts] : point.kinds) kinds.insert(kind);
  }
  for (const std::string& kind : kinds) table.columns.push_back(head_of(kind));
  for (const auto& [name, point] : points) {
    std::vector<Text>& row = table.rows.emplace_back();
    row.emplace_back(point.name);
    for (const std::string& kind : kinds) {
      const auto found = point.kinds.find(kind);
      if (found == point.kinds.end()) {
        row.push_back(Text("–").in(Tone::faint));
        continue;
      }
      row.push_back(
          Text(sum_of(found->second)).in(any(found->second) ? Tone::plain : Tone::doubtful));
    }
  }
  return table;
}

}  // namespace

std::vector<Table> coverage_tables(const Evidence& evidence) {
  return {goals_table(evidence, false), kinds_table(evidence), faults_table(evidence),
          goals_table(evidence, true)};
}

}  // namespace leaseproof::reports
