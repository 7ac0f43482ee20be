#include "reports/report.hpp"

#include "reports/html.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/mutation.hpp"
#include "reports/report_json.hpp"
#include "reports/unchecked.hpp"

namespace leaseproof::reports {

namespace {

Counterexample counterexample_of(const Violation& one) {
  const Place& place = one.place;
  Counterexample told{place, {}, figure(place / "why"), {}, {}};
  told.title = place.has("invariant") ? Text(figure(place / "invariant")) : one.part.name();
  if (place.has("invariant")) told.title << ", found by " << one.part.name();
  told.title << " (" << place.source().id << ")";
  if (place.has("replay_with")) {
    told.replay = Text(figure(place / "replay_with")) << " " << beside(place / "file");
  }
  if (place.has("interleaving") && !(place / "interleaving").is_null()) {
    told.interleaving = place / "interleaving";
  }
  return told;
}

}  // namespace

Report make_report(const std::vector<Source>& sources, const std::set<std::string>& waived) {
  Report report{&sources, Evidence(sources), {}, {}, {}, {}};
  report.judgement = judge(report.evidence, waived);
  report.tables = all_tables(sources, report.evidence);
  report.tables.insert(report.tables.begin(), rule_table(report.judgement));
  report.unchecked = unchecked(report.evidence, report.judgement);
  for (const Violation& one : report.evidence.violations) {
    report.counterexamples.push_back(counterexample_of(one));
  }
  return report;
}

std::vector<std::pair<std::string, std::string>> files_of(const Report& report) {
  return {{"junit.xml", junit(report)},
          {"mutation.json", mutation_report(report)},
          {"report.html", html(report)},
          {"report.json", report_json(report)},
          {"report.md", markdown(report)}};
}

}  // namespace leaseproof::reports
