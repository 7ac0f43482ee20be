#include "scenarios/cli/report.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "properties/goals.hpp"
#include "properties/invariants.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/explanation.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::cli {

Json tally_json(const properties::Tally& tally) {
  Json json{{"runs", tally.runs},
            {"steps", tally.steps},
            {"faults_not_fired", tally.not_fired},
            {"goals", Json::object()},
            {"invariants", Json::object()},
            {"faults_fired", Json::object()}};
  const auto count = [](const std::vector<std::int64_t>& counts, std::size_t row) {
    return row < counts.size() ? counts[row] : 0;
  };
  for (std::size_t i = 0; i < properties::goals.size(); ++i) {
    if (!properties::is_asked_for(properties::goals[i], tally)) continue;
    json["goals"][std::string(properties::goals[i].name)] = count(tally.goals, i);
  }
  for (std::size_t i = 0; i < properties::invariants.size(); ++i) {
    json["invariants"][std::string(properties::invariants[i].name)] = {
        {"judged", count(tally.judged, i)}, {"violated", count(tally.violated, i)}};
  }
  for (std::size_t point = 0; point < faults::point_count; ++point) {
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      if (!faults::allows(static_cast<faults::Point>(point), static_cast<faults::Kind>(kind))) {
        continue;
      }
      json["faults_fired"][faults::point_names[point]][std::string(faults::kind_words[kind])] =
          tally.fired[point][kind];
    }
  }
  return json;
}

Json coverage_json(const properties::Coverage& coverage) {
  Json cells = Json::object();
  for (const auto& [id, reached] : coverage.cells()) {
    const properties::Cell cell = properties::cell_of(id);
    cells[std::string(cell.action_word())][std::string(properties::word_of_stood(cell.stood))]
         [std::string(model::word(cell.word))][cell.fault_words()] = {
             {"count", reached.count}, {"first_run", reached.first_run}};
  }
  Json json{{"reached", coverage.cells().size()}, {"last_new_in_run", nullptr}, {"cells", cells}};
  if (coverage.last_new()) json["last_new_in_run"] = *coverage.last_new();
  return json;
}

Json violation_json(const properties::Violation& violation) {
  const RecordedViolation record = recorded(violation);
  return {{"invariant", record.invariant},
          {"step", record.step},
          {"why", record.why},
          {"expected", embedded(record.expected)},
          {"observed", embedded(record.observed)}};
}

Json sqlite_json() {
  constexpr int first_with_race = 3007000;
  constexpr int last_with_race = 3051002;
  const int number = sqlite3_libversion_number();
  const bool race = number >= first_with_race && number <= last_with_race;
  return {
      {"version", sqlite3_libversion()},
      {"source_id", sqlite3_sourceid()},
      {"in_wal_reset_race_range", race},
      {"note", race ? "This SQLite lies in the range of the WAL-reset race (3.7.0 to 3.51.2): "
                      "the engine checkpoints by one connection at a time, under the write lock."
                    : "This SQLite lies outside the range of the WAL-reset race (3.7.0 to "
                      "3.51.2)."}};
}

Exit print_result(Json document, std::string_view command, Exit exit, Json timing) {
  document["command"] = command;
  document["exit"] = static_cast<int>(exit);
  document["build"] = build_json();
  document["sqlite"] = sqlite_json();
  document["timing"] = std::move(timing);
  print_document(document);
  return exit;
}

std::string headline(const properties::Violation& violation) {
  return fmt::format("{} at step {}: {}", violation.invariant, violation.step + 1, violation.why);
}

std::string replay_line(const std::string& file, const std::string& engine) {
  return fmt::format("leaseproof replay{} {}", engine_option(engine), shell_word(file));
}

std::string told_violation(const Replay& replay, const std::string& file,
                           const std::string& engine) {
  std::string out = explanation(replay) + "\n";
  out +=
      fmt::format("  file      {}\n  replay    {}\n", printable(file), replay_line(file, engine));
  return out + "  and with  --step, --moment or --mermaid\n";
}

}  // namespace leaseproof::scenarios::cli
