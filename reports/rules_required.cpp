// The evidence without which nothing is ready: a row each.
#include <algorithm>

#include "reports/rules.hpp"

namespace leaseproof::reports {

namespace {

using Required = std::vector<Text>;

Required missing(bool there, const char* what) { return there ? Required{} : Required{Text(what)}; }

bool held_on(const Evidence& evidence, std::string_view engine) {
  return std::any_of(evidence.searches.begin(), evidence.searches.end(), [&](const Part& search) {
    return search.held() && (search.place / "engine").text() == engine &&
           (search.place / "faults").value().get<bool>();
  });
}

bool any_held(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.held(); });
}

Required corpus(const Evidence& evidence) {
  return missing(any_held(evidence.corpora),
                 "no replay of the corpus is there that held; run leaseproof gate");
}

Required search_in_memory(const Evidence& evidence) {
  return missing(held_on(evidence, "memory"),
                 "no random search with faults in memory is there that held and reached its goals; "
                 "run leaseproof gate, or check with more runs");
}

Required search_on_a_failing_disk(const Evidence& evidence) {
  return missing(held_on(evidence, "simulated"),
                 "no random search on a disk that fails and loses its power is there that held; "
                 "run leaseproof gate, or check on the engine simulated");
}

Required sweep(const Evidence& evidence) {
  return missing(any_held(evidence.sweeps),
                 "no sweep of faults and crash states is there that held; run leaseproof gate or "
                 "sweep");
}

Required exhaustive(const Evidence& evidence) {
  const bool complete =
      std::any_of(evidence.explorations.begin(), evidence.explorations.end(), [](const Part& part) {
        const std::vector<Place> worlds = (part.place / "worlds").members();
        return part.held() && std::any_of(worlds.begin(), worlds.end(), [](const Place& world) {
                 return (world / "complete").value().get<bool>();
               });
      });
  return missing(complete,
                 "no world is there that was searched to its last state; run leaseproof gate or "
                 "explore");
}

// Automatic mutants are a sample of what may be wrong; planted bugs are what somebody suffered.
Required planted_bugs(const Evidence& evidence) {
  const bool hunted =
      std::any_of(evidence.hunts.begin(), evidence.hunts.end(), [](const Hunt& one) {
        const bool whole = !one.place.has("only") || (one.place / "only").text().empty();
        return whole &&
               std::any_of(one.mutants.begin(), one.mutants.end(), [](const Mutant& mutant) {
                 return mutant.kind == "statement" && mutant.caught_by() != nullptr;
               });
      });
  return missing(hunted,
                 "no hunt of all planted bugs is there; run leaseproof gate, or mutants without a "
                 "name");
}

Required determinism(const Evidence& evidence) {
  return missing(any_held(evidence.determinisms),
                 "nothing shows that a seed does the same everywhere; run leaseproof gate");
}

Required real_kills(const Evidence& evidence) {
  const bool killed =
      std::any_of(evidence.crashes.begin(), evidence.crashes.end(), [](const Part& crash) {
        return crash.held() && (crash.place / "only").value().empty() &&
               (crash.place / "kills").number() > 0;
      });
  return missing(killed,
                 "no processes were killed at all fault points; run leaseproof crash without a "
                 "choice of points");
}

Required real_threads(const Evidence& evidence) {
  const bool stressed =
      std::any_of(evidence.stresses.begin(), evidence.stresses.end(), [](const Part& stress) {
        return stress.held() && (stress.place / "figures" / "kills").number() > 0 &&
               (stress.place / "events").number() > 0;
      });
  return missing(stressed,
                 "no stress with real threads, processes and kills is there that held; run "
                 "leaseproof stress");
}

Required speed(const Evidence& evidence) {
  const bool compared =
      std::any_of(evidence.benches.begin(), evidence.benches.end(), [](const Part& bench) {
        const std::vector<Place> all = (bench.place / "benchmarks").members();
        return bench.held() && bench.place.has("baseline") &&
               std::any_of(all.begin(), all.end(),
                           [](const Place& one) { return one.has("regressed"); });
      });
  return missing(compared,
                 "no benchmark was compared with a baseline; run leaseproof bench with a baseline");
}

}  // namespace

const std::vector<Rule>& required_evidence() {
  static const std::vector<Rule> rows = [] {
    constexpr Verdict open = Verdict::unknown;
    return std::vector<Rule>{
        {"corpus", "The corpus of known stories held.", open, true, corpus},
        {"search_in_memory", "A random search with faults held and reached its goals.", open, true,
         search_in_memory},
        {"search_on_a_failing_disk",
         "A random search on a disk that fails and loses its power "
         "held.",
         open, true, search_on_a_failing_disk},
        {"sweep", "A sweep of every fault and crash state of a step held.", open, true, sweep},
        {"exhaustive", "A small world was searched to its last state.", open, true, exhaustive},
        {"planted_bugs", "All planted bugs were hunted.", open, true, planted_bugs},
        {"determinism", "A seed does the same on every machine.", open, true, determinism},
        {"real_kills", "Processes were killed at every fault point, and what they left held.", open,
         true, real_kills},
        {"real_threads",
         "Real threads and processes worked while some were killed, and the "
         "journal was sound.",
         open, true, real_threads},
        {"speed", "Benchmarks were compared with a baseline.", open, true, speed}};
  }();
  return rows;
}

}  // namespace leaseproof::reports
