#include "reports/rules.hpp"

#include <algorithm>
#include <map>

#include "reports/tally.hpp"

namespace leaseproof::reports {

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::ready:
      return "ready";
    case Verdict::unknown:
      return "unknown";
    case Verdict::not_ready:
      return "not ready";
  }
  return "";
}

namespace {

using Texts = std::vector<Text>;

Texts nothing_is_violated(const Evidence& evidence) {
  Texts texts;
  for (const Violation& one : evidence.violations) {
    Text text = one.part.name();
    text << " (" << one.place.source().id << "): ";
    if (one.place.has("invariant")) text << figure(one.place / "invariant") << " is broken: ";
    texts.push_back(text << figure(one.place / "why"));
  }
  // A verdict without the violation that it speaks of is one all the same.
  for (const Part& document : evidence.documents) {
    const bool told = std::any_of(
        evidence.violations.begin(), evidence.violations.end(),
        [&](const Violation& one) { return &one.place.source() == &document.place.source(); });
    if (document.verdict() != "violation" || told) continue;
    texts.push_back(document.name() << " ended with " << figure(document.place / "verdict"));
  }
  for (const auto& [name, row] : invariants(evidence)) {
    if (!any(row.violated) || !evidence.violations.empty()) continue;
    Text text(key_of(row.rows.front()));
    texts.push_back(text << " was violated " << sum_of(row.violated) << " times");
  }
  return texts;
}

Texts no_mutant_survives(const Evidence& evidence) {
  Texts texts;
  for (const Hunt& hunt : evidence.hunts) {
    for (const Mutant& one : hunt.mutants) {
      if (!one.survived()) continue;
      Text text(one.name);
      texts.push_back(text << " was not caught: " << figure(one.change));
    }
  }
  return texts;
}

Texts no_canary_is_missed(const Evidence& evidence) {
  Texts texts;
  for (const Place& caught : evidence.canaries) {
    if (caught.value().get<bool>()) continue;
    Text text("the bug that has to be caught each time was caught: ");
    texts.push_back(text << figure(caught) << ". What else that run says proves nothing");
  }
  return texts;
}

Texts no_benchmark_regressed(const Evidence& evidence) {
  Texts texts;
  for (const Part& bench : evidence.benches) {
    for (const Place& one : (bench.place / "benchmarks").members()) {
      if (!one.has("regressed") || !(one / "regressed").value().get<bool>()) continue;
      Text text(figure(one / "name"));
      text << ": " << figure(one / "median") << " " << figure(one / "unit");
      if (one.has("baseline")) text << " against " << figure(one / "baseline");
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

Texts nothing_is_interrupted(const Evidence& evidence) {
  Texts texts;
  for (const Part& document : evidence.documents) {
    if (document.verdict() != "interrupted") continue;
    texts.push_back(document.name() << " was " << figure(document.place / "verdict"));
  }
  return texts;
}

Texts nothing_is_inconclusive(const Evidence& evidence) {
  Texts texts;
  for (const Part& part : evidence.judged()) {
    const std::string verdict = part.verdict();
    if (verdict != "inconclusive" && verdict != "environment_failed" && verdict != "wrong_input") {
      continue;
    }
    Text text = part.name();
    text << " is " << figure(part.place / "verdict");
    for (const char* key : {"why", "summary"}) {
      if (!part.place.has(key)) continue;
      text << ": " << figure(part.place / key);
      break;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

Texts every_goal_is_reached(const Evidence& evidence) {
  std::map<std::string, Places> all = goals(evidence);
  Places never;
  for (const auto& [name, counts] : all) {
    if (!any(counts)) never.push_back(counts.front());
  }
  if (never.empty()) return {};
  Text text(count_of(never));
  return {text << " goals were reached in no search"};
}

Texts every_fault_fires(const Evidence& evidence) {
  Places never;
  for (const auto& [name, point] : faults_fired(evidence)) {
    for (const auto& [kind, counts] : point.kinds) {
      if (!any(counts)) never.push_back(counts.front());
    }
  }
  if (never.empty()) return {};
  Text text(count_of(never));
  return {text << " pairs of a fault point and a kind of fault that can strike there never did"};
}

Texts no_excuse_is_wrong(const Evidence& evidence) {
  Texts texts;
  for (const Hunt& hunt : evidence.hunts) {
    for (const Mutant& one : hunt.mutants) {
      if (!one.is_wrongly_excused()) continue;
      Text text(one.name);
      texts.push_back(text << " is said to change nothing, and was caught");
    }
  }
  return texts;
}

// The different values of one part of all documents, each with where it stands first.
Texts differing(const Evidence& evidence, const char* key, const char* shown_key,
                const char* words) {
  std::map<std::string, Place> seen;
  for (const Part& document : evidence.documents) {
    const Place value = document.place / key;
    seen.try_emplace(value.value().dump(), value);
  }
  if (seen.size() < 2) return {};
  Text text(words);
  bool first = true;
  for (const auto& [dumped, place] : seen) {
    text << (first ? ": " : "; ") << figure(place / shown_key);
    for (const char* more : {"type", "leaseproof", "fault_points"}) {
      if (place.has(more)) text << " " << figure(place / more);
    }
    text << " (" << place.source().id << ")";
    first = false;
  }
  return {text};
}

Texts one_build(const Evidence& evidence) {
  return differing(evidence, "build", "compiler", "results of different builds are mixed");
}

Texts one_sqlite(const Evidence& evidence) {
  return differing(evidence, "sqlite", "source_id", "results on different SQLites are mixed");
}

bool is_ours(const Place& engine) {
  const std::string name = engine.text();
  return name == "memory" || name == "disk" || name == "simulated" || name == "killed";
}

Texts about_this_engine(const Evidence& evidence) {
  Texts texts;
  for (const auto* parts : {&evidence.searches, &evidence.explorations}) {
    for (const Part& part : *parts) {
      const Place engine = part.place / "engine";
      if (is_ours(engine)) continue;
      Text text = part.name();
      text << " is about " << figure(engine) << " and says nothing of the engine that is built";
      if (engine.text().starts_with("sut:")) {
        text << "; of a program behind a pipe only check can tell, and no goals, bounds, kills or "
                "mutants";
      }
      texts.push_back(std::move(text));
    }
  }
  for (const Part& stress : evidence.stresses) {
    if (!stress.place.has("bug") || (stress.place / "bug").is_null()) continue;
    texts.push_back(stress.name() << " had a bug planted: " << figure(stress.place / "bug"));
  }
  return texts;
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    constexpr Verdict bad = Verdict::not_ready;
    constexpr Verdict open = Verdict::unknown;
    std::vector<Rule> rows{
        {"violation", "No run broke a rule.", bad, false, nothing_is_violated},
        {"mutant_survived",
         "Every mutant that was hunted was caught, or is proven to change "
         "nothing.",
         bad, false, no_mutant_survives},
        {"canary_missed", "The bug that is planted in every gate was caught.", bad, false,
         no_canary_is_missed},
        {"bench_regressed", "No benchmark fell behind its baseline by more than was allowed.", bad,
         false, no_benchmark_regressed},
        {"interrupted", "No run was interrupted.", open, false, nothing_is_interrupted},
        {"inconclusive", "Every run and every phase came to a verdict.", open, false,
         nothing_is_inconclusive},
        {"goal_unreached", "Every goal was reached by some search.", open, false,
         every_goal_is_reached},
        {"fault_unfired", "Every kind of fault struck at every point where it can.", open, false,
         every_fault_fires},
        {"excuse_wrong", "No mutant was caught that is said to change nothing.", open, false,
         no_excuse_is_wrong},
        {"builds_mixed", "All results come from one build.", open, false, one_build},
        {"sqlites_mixed", "All results come from one SQLite.", open, false, one_sqlite},
        {"other_engine", "All results are about this engine, without a planted bug.", open, false,
         about_this_engine}};
    rows.insert(rows.end(), required_evidence().begin(), required_evidence().end());
    return rows;
  }();
  return all;
}

Judgement judge(const Evidence& evidence, const std::set<std::string>& waived) {
  Judgement judgement;
  for (const Rule& rule : rules()) {
    Judged& judged = judgement.rules.emplace_back();
    judged.rule = &rule;
    judged.reasons = rule.speaks(evidence);
    judged.waived = rule.can_be_waived && waived.contains(std::string(rule.id));
    if (judged.reasons.empty() || judged.waived) continue;
    judgement.verdict = std::max(judgement.verdict, rule.verdict);
  }
  return judgement;
}

}  // namespace leaseproof::reports
