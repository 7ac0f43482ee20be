#include "reports/unchecked.hpp"

#include <set>
#include <utility>

#include "reports/tally.hpp"

namespace leaseproof::reports {

namespace {

class List {
 public:
  explicit List(const Evidence& evidence) : evidence_(evidence) {}

  void waivers(const Judgement& judgement) {
    for (const Judged& one : judgement.rules) {
      if (!one.waived || one.reasons.empty()) continue;
      add(Text("waived by who made this report: " + std::string(one.rule->sentence)));
    }
  }

  void commands_missing() {
    for (const std::string& command : commands()) {
      if (evidence_.has(command)) continue;
      // What a gate does besides is told where its parts are.
      add(Text("no result of leaseproof " + command + " is among these"));
    }
  }

  // What is known of the SQLite below, each once.
  void sqlites() {
    std::set<std::string> told;
    for (const Part& document : evidence_.documents) {
      const Place sqlite = document.place / "sqlite";
      const bool concerns = (sqlite / "in_wal_reset_race_range").value().get<bool>();
      const Place note = sqlite / "note";
      if (concerns && told.insert(note.text()).second) add(figure(note));
    }
  }

  void gates() {
    for (const Part& gate : evidence_.gates) {
      for (const Place& phase : (gate.place / "phases_left_out").members()) {
        add(Text("a gate left out its phase ") << figure(phase));
      }
    }
  }

  void searches() {
    for (const Part& search : evidence_.searches) {
      const Place& place = search.place;
      if (!(place / "faults").value().get<bool>()) {
        add(search.name() << ": faults are " << figure(place / "faults"));
      }
      if ((place / "tally" / "goals").value().empty()) {
        add(search.name() << ": no goals were asked for, since " << figure(place / "engine")
                          << " does not speak every word");
      }
    }
  }

  void sweeps() {
    for (const Part& sweep : evidence_.sweeps) {
      const Place one_in = sweep.place / "one_step_in";
      if (one_in.number() > 1) {
        add(sweep.name() << ": of the steps of all stories only one in " << figure(one_in)
                         << " was swept");
      }
      if (sweep.place.has("whole_corpus") && !(sweep.place / "whole_corpus").value().get<bool>()) {
        add(sweep.name() << ": not the whole corpus, " << figure(sweep.place / "cases")
                         << " stories");
      }
    }
  }

  void explorations() {
    for (const Part& exploration : evidence_.explorations) {
      const Place left_out = exploration.place / "left_out";
      if (!left_out.value().empty()) {
        Text text = exploration.name();
        text << ": worlds left out: ";
        list(left_out, text);
        add(std::move(text));
      }
      for (const Place& world : (exploration.place / "worlds").members()) {
        const Place waiting = world / "not_explored";
        if (waiting.number() == 0) continue;
        add(Text("world ") << figure(world / "world") << ": " << figure(waiting)
                           << " states were reached and not explored");
      }
    }
  }

  void kills() {
    for (const Part& crash : evidence_.crashes) {
      const Place only = crash.place / "only";
      if (only.value().empty()) continue;
      Text text = crash.name();
      text << ": only points that begin with ";
      list(only, text);
      add(std::move(text));
    }
  }

  void stresses() {
    for (const Part& stress : evidence_.stresses) {
      const Place& place = stress.place;
      if ((place / "skew_us").number() == 0) add(stress.name() << ": all clocks agreed");
      if ((place / "figures" / "kills").number() == 0) add(stress.name() << ": nobody was killed");
    }
  }

  void hunts() {
    for (const Hunt& hunt : evidence_.hunts) {
      if (hunt.place.has("only") && !(hunt.place / "only").text().empty()) {
        add(hunt.part.name() << ": only mutants with " << figure(hunt.place / "only")
                             << " in their name");
      }
      if (hunt.place.has("kind") && (hunt.place / "kind").text() != "all") {
        add(hunt.part.name() << ": only the kind " << figure(hunt.place / "kind"));
      }
      if (hunt.place.key() == "automatic") {
        add(hunt.part.name() << ": of the changed statements a sample, "
                             << figure(hunt.place / "hunted"));
      }
    }
  }

  void benches() {
    for (const Part& bench : evidence_.benches) {
      if (!bench.place.has("baseline")) {
        add(bench.name() << ": compared with no baseline");
        continue;
      }
      for (const Place& one : (bench.place / "benchmarks").members()) {
        if (one.has("baseline")) continue;
        add(Text("the baseline has no ") << figure(one / "name"));
      }
    }
  }

  void coverage() {
    Text never("goals that no search reached: ");
    for (const auto& [name, counts] : goals(evidence_)) {
      if (any(counts)) continue;
      if (never.pieces.size() > 1) never << ", ";
      never << key_of(counts.front());
    }
    if (never.pieces.size() > 1) add(std::move(never));
    for (const auto& [name, point] : faults_fired(evidence_)) {
      Text kinds;
      for (const auto& [kind, counts] : point.kinds) {
        if (any(counts)) continue;
        if (!kinds.pieces.empty()) kinds << ", ";
        kinds << kind;
      }
      if (kinds.pieces.empty()) continue;
      add(Text("never struck at ") << point.name << ": " << kinds);
    }
  }

  std::vector<Text> take() { return std::move(texts_); }

 private:
  void add(Text text) { texts_.push_back(std::move(text)); }

  static void list(const Place& names, Text& text) {
    bool first = true;
    for (const Place& one : names.members()) {
      if (!first) text << ", ";
      text << figure(one);
      first = false;
    }
  }

  const Evidence& evidence_;
  std::vector<Text> texts_;
};

}  // namespace

std::vector<Text> unchecked(const Evidence& evidence, const Judgement& judgement) {
  List list(evidence);
  list.waivers(judgement);
  list.commands_missing();
  list.sqlites();
  list.gates();
  list.searches();
  list.sweeps();
  list.explorations();
  list.kills();
  list.stresses();
  list.hunts();
  list.benches();
  list.coverage();
  return list.take();
}

}  // namespace leaseproof::reports
