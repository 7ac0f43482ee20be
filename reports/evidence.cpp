#include "reports/evidence.hpp"

#include <algorithm>

namespace leaseproof::reports {

Text Part::name() const {
  Text text(figure(of / "command"));
  if (place.pointer() != of.pointer()) text << " " << key_of(place);
  return text;
}

bool Mutant::survived() const {
  if (end.value().is_boolean()) return !end.value().get<bool>();
  return end.value() == "survived" || end.value() == "otherwise";
}

bool Mutant::is_wrongly_excused() const {
  return place.has("wrongly_excused") && (place / "wrongly_excused").value().get<bool>();
}

const Json* Mutant::caught_by() const {
  if (survived() || is_equivalent()) return nullptr;
  if (place.has("by") && !(place / "by").text().empty()) return &(place / "by").value();
  return &end.value();
}

Evidence::Evidence(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    const Place place(source);
    const Part part{place, place};
    documents.push_back(part);
    const std::string command = (place / "command").text();
    if (command == "gate") add_gate(part);
    if (command == "check") searches.push_back(part);
    if (command == "explore") explorations.push_back(part);
    if (command == "sweep") sweeps.push_back(part);
    if (command == "crash") crashes.push_back(part);
    if (command == "stress") stresses.push_back(part);
    if (command == "bench") benches.push_back(part);
    if (command == "mutants") add_hunt(place, part, place / "mutants");
    add_violation(part);
  }
}

void Evidence::add_gate(const Part& gate) {
  gates.push_back(gate);
  for (const Place& phase : (gate.place / "phases").members()) {
    const Part part{phase, gate.place};
    const std::string name = phase.key();
    if (name == "memory" || name == "disk" || name == "storage") searches.push_back(part);
    if (name == "explore") explorations.push_back(part);
    if (name == "determinism") determinisms.push_back(part);
    if (name == "canary" && phase.has("result")) canaries.push_back(phase / "result" / "caught");
    if (name == "sweep") {
      sweeps.push_back(part);
      if (phase.has("canary_caught")) canaries.push_back(phase / "canary_caught");
    }
    if (name == "mutants") {
      for (const char* group : {"planted", "automatic"}) {
        add_hunt(phase / group, part, phase / group / "mutants");
      }
    }
    if (name == "corpus") {
      corpora.push_back(part);
      for (const Place& file : (phase / "files").members()) {
        for (const Place& engine : file.members()) {
          if (engine.value().is_object()) violations.push_back({engine, part});
        }
      }
    }
    add_violation(part);
  }
}

void Evidence::add_hunt(const Place& place, const Part& part, const Place& mutants) {
  Hunt& hunt = hunts.emplace_back(Hunt{place, part, {}});
  for (const Place& one : mutants.members()) {
    const bool listed = one.has("name");
    hunt.mutants.push_back({one, listed ? figure(one / "name") : key_of(one),
                            one / (listed ? "change" : "suffering"),
                            one / (listed ? "end" : "caught"), (one / "kind").text()});
  }
}

void Evidence::add_violation(const Part& part) {
  if (!part.place.has("violation")) return;
  const Place violation = part.place / "violation";
  if (!violation.is_null()) violations.push_back({violation, part});
}

std::vector<Part> Evidence::judged() const {
  std::vector<Part> all;
  for (const auto* parts : {&corpora, &searches, &sweeps, &explorations, &determinisms, &crashes,
                            &stresses, &benches}) {
    all.insert(all.end(), parts->begin(), parts->end());
  }
  return all;
}

bool Evidence::has(std::string_view command) const {
  return std::any_of(documents.begin(), documents.end(), [&](const Part& document) {
    return (document.place / "command").text() == command;
  });
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> all{"gate",  "check",  "explore", "sweep",
                                            "crash", "stress", "mutants", "bench"};
  return all;
}

}  // namespace leaseproof::reports
