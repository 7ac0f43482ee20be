#include "reports/junit.hpp"

#include <utility>
#include <vector>

#include "reports/escape.hpp"
#include "reports/tally.hpp"

namespace leaseproof::reports {

namespace {

enum class End { passed, failed, skipped };

struct Check {
  std::string name;
  End end = End::passed;
  std::string why;
};

class Suite {
 public:
  explicit Suite(std::string name) : name_(std::move(name)) {}

  void add(const std::string& name, End end, const std::string& why = {}) {
    checks_.push_back({name, end, why});
  }

  [[nodiscard]] std::size_t count(End end) const {
    std::size_t number = 0;
    for (const Check& one : checks_) number += one.end == end ? 1 : 0;
    return number;
  }
  [[nodiscard]] std::size_t size() const { return checks_.size(); }

  [[nodiscard]] std::string xml() const {
    std::string out = "  <testsuite name=\"" + xml_text(name_) + "\"" + counts(*this) + ">\n";
    for (const Check& one : checks_) {
      out +=
          "    <testcase classname=\"" + xml_text(name_) + "\" name=\"" + xml_text(one.name) + "\"";
      if (one.end == End::passed) {
        out += "/>\n";
        continue;
      }
      const std::string element = one.end == End::failed ? "failure" : "skipped";
      out += "><" + element + " message=\"" + xml_text(one.why) + "\"/></testcase>\n";
    }
    return out + "  </testsuite>\n";
  }

  template <class Counted>
  static std::string counts(const Counted& counted) {
    return " tests=\"" + std::to_string(counted.size()) + "\" failures=\"" +
           std::to_string(counted.count(End::failed)) + "\" errors=\"0\" skipped=\"" +
           std::to_string(counted.count(End::skipped)) + "\"";
  }

 private:
  std::string name_;
  std::vector<Check> checks_;
};

struct Suites {
  std::vector<Suite> all;
  [[nodiscard]] std::size_t count(End end) const {
    std::size_t number = 0;
    for (const Suite& one : all) number += one.count(end);
    return number;
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t number = 0;
    for (const Suite& one : all) number += one.size();
    return number;
  }
};

Suite of_rules(const Judgement& judgement) {
  Suite suite("verdict");
  for (const Judged& one : judgement.rules) {
    std::string why;
    for (const Text& reason : one.reasons) why += (why.empty() ? "" : "; ") + reason.plain();
    const End end = one.reasons.empty()                       ? End::passed
                    : one.rule->verdict == Verdict::not_ready ? End::failed
                                                              : End::skipped;
    suite.add(std::string(one.rule->id), end, why);
  }
  return suite;
}

std::string why_of(const Place& part) {
  for (const char* key : {"why", "summary"}) {
    if (part.has(key)) return (part / key).text();
  }
  return (part / "verdict").text();
}

Suite of_parts(const Evidence& evidence) {
  Suite suite("runs");
  for (const Part& part : evidence.judged()) {
    const std::string name = part.name().plain() + " (" + part.place.source().id + ")";
    if (part.held()) {
      suite.add(name, End::passed);
    } else if (part.verdict() != "violation") {
      suite.add(name, End::skipped, why_of(part.place));
    } else {
      std::string why = part.verdict();
      for (const Violation& one : evidence.violations) {
        if (&one.place.source() == &part.place.source() &&
            one.part.place.pointer() == part.place.pointer()) {
          why = (one.place / "why").text();
        }
      }
      suite.add(name, End::failed, why);
    }
  }
  return suite;
}

Suite of_invariants(const Evidence& evidence) {
  Suite suite("invariants");
  for (const auto& [name, row] : invariants(evidence)) {
    if (any(row.violated)) {
      suite.add(name, End::failed, sum_of(row.violated).shown + " violations");
    } else if (!any(row.judged)) {
      suite.add(name, End::skipped, "no search came by a state that it judges");
    } else {
      suite.add(name, End::passed);
    }
  }
  return suite;
}

Suite of_worlds(const Evidence& evidence) {
  Suite suite("worlds");
  for (const Part& exploration : evidence.explorations) {
    for (const Place& world : (exploration.place / "worlds").members()) {
      const bool complete = (world / "complete").value().get<bool>();
      suite.add((world / "world").text(), complete ? End::passed : End::skipped,
                "not searched to its last state");
    }
  }
  return suite;
}

Suite of_mutants(const Evidence& evidence) {
  Suite suite("mutants");
  for (const Hunt& hunt : evidence.hunts) {
    for (const Mutant& one : hunt.mutants) {
      const std::string change = one.change.text();
      if (one.survived()) {
        suite.add(one.name.shown, End::failed, "not caught: " + change);
      } else if (one.is_equivalent()) {
        suite.add(one.name.shown, End::skipped, "changes nothing that can be seen: " + change);
      } else {
        suite.add(one.name.shown, End::passed);
      }
    }
  }
  return suite;
}

Suite of_benchmarks(const Evidence& evidence) {
  Suite suite("benchmarks");
  for (const Part& bench : evidence.benches) {
    for (const Place& one : (bench.place / "benchmarks").members()) {
      const std::string name = (one / "name").text();
      if (!one.has("regressed")) {
        suite.add(name, End::skipped, "compared with no baseline");
      } else if ((one / "regressed").value().get<bool>()) {
        suite.add(name, End::failed, "fell behind its baseline");
      } else {
        suite.add(name, End::passed);
      }
    }
  }
  return suite;
}

}  // namespace

std::string junit(const Report& report) {
  const Evidence& evidence = report.evidence;
  Suites suites;
  for (Suite suite : {of_rules(report.judgement), of_parts(evidence), of_invariants(evidence),
                      of_worlds(evidence), of_mutants(evidence), of_benchmarks(evidence)}) {
    if (suite.size() > 0) suites.all.push_back(std::move(suite));
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<testsuites name=\"leaseproof\"" + Suite::counts(suites) + ">\n";
  for (const Suite& suite : suites.all) out += suite.xml();
  return out + "</testsuites>\n";
}

}  // namespace leaseproof::reports
