// What the results hold, by kind: a gate's phases stand beside what single commands found.
//
// Promise: each part of each result is in here once, in the order of the files; nothing is judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure.hpp"
#include "reports/place.hpp"

namespace leaseproof::reports {

// A part that has a verdict of its own: a document, or a phase of a gate.
struct Part {
  Place place;
  Place of;  // the document that it belongs to
  [[nodiscard]] std::string verdict() const { return (place / "verdict").text(); }
  [[nodiscard]] bool held() const { return verdict() == "held"; }
  // "check", or "gate" and the name of the phase: as it is told.
  [[nodiscard]] Text name() const;
};

// One mutant of one hunt.
struct Mutant {
  Place place;
  Figure name;
  Place change;  // what stands there, or what a user would suffer
  Place end;     // a word, or whether it was caught
  std::string kind;

  [[nodiscard]] bool survived() const;
  [[nodiscard]] bool is_equivalent() const { return end.value() == "equivalent"; }
  [[nodiscard]] bool is_wrongly_excused() const;
  // By which it was caught, or null.
  [[nodiscard]] const Json* caught_by() const;
};

struct Hunt {
  Place place;  // its statements stand here
  Part part;
  std::vector<Mutant> mutants;
};

struct Violation {
  Place place;
  Part part;
};

struct Evidence {
  explicit Evidence(const std::vector<Source>& sources);

  std::vector<Part> documents;
  std::vector<Part> gates;
  std::vector<Part> searches;
  std::vector<Part> corpora;
  std::vector<Part> sweeps;
  std::vector<Part> explorations;
  std::vector<Part> crashes;
  std::vector<Part> stresses;
  std::vector<Part> benches;
  std::vector<Part> determinisms;
  std::vector<Place> canaries;  // whether each was caught
  std::vector<Hunt> hunts;
  std::vector<Violation> violations;

  // All parts that may be inconclusive by themselves.
  [[nodiscard]] std::vector<Part> judged() const;
  [[nodiscard]] bool has(std::string_view command) const;

 private:
  void add_gate(const Part& gate);
  void add_hunt(const Place& place, const Part& part, const Place& mutants);
  void add_violation(const Part& part);
  void add_canary(const Place& place);
};

// The commands that leave a result, in the order in which they are told.
const std::vector<std::string>& commands();

}  // namespace leaseproof::reports
