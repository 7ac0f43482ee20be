#include "scenarios/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "properties/invariants.hpp"
#include "scenarios/lanes.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t margin = 2;
constexpr std::size_t label_width = 10;
constexpr std::size_t longest_cell = 35;

// "  The rule: …", broken so that its lines stand beneath each other.
std::string labeled(const std::string& label, const std::string& text) {
  std::string out;
  for (const std::string& line :
       wrapped(padded(label, label_width) + text, page_width - margin, label_width)) {
    out += std::string(margin, ' ') + line + "\n";
  }
  return out;
}

using Row = std::array<std::string, 3>;

std::string columns_of(const std::vector<Row>& rows) {
  std::array<std::size_t, 2> widths{0, 0};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(columns(row[i]), longest_cell));
    }
  }
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format("  {}  {}  {}\n", padded(shortened(row[0], longest_cell), widths[0]),
                       padded(shortened(row[1], longest_cell), widths[1]),
                       shortened(row[2], longest_cell));
  }
  return out;
}

const std::string* value_in(const std::vector<Thing>& things, const std::string& thing,
                            const std::string& field) {
  for (const Thing& candidate : things) {
    if (candidate.name != thing) continue;
    for (const Field& at : candidate.fields) {
      if (at.name == field && !at.value.empty()) return &at.value;
    }
  }
  return nullptr;
}

std::vector<Row> differing_rows(const model::Observation& model, const model::Observation& engine) {
  const std::vector<Thing> should = things(model);
  const std::vector<Thing> is = things(engine);
  std::vector<Row> rows;
  const auto compare = [&](const Thing& thing, const Field& field) {
    const std::string* a = value_in(should, thing.name, field.name);
    const std::string* b = value_in(is, thing.name, field.name);
    if (a == nullptr && b == nullptr) return;
    if (a != nullptr && b != nullptr && *a == *b) return;
    // Of what only one side has, a zero says nothing.
    if ((a == nullptr && *b == "0") || (b == nullptr && *a == "0")) return;
    const std::string name = thing.name + (field.name.empty() ? "" : " " + field.name);
    Row row{name, a == nullptr ? "–" : *a, b == nullptr ? "–" : *b};
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(std::move(row));
  };
  for (const std::vector<Thing>* side : {&should, &is}) {
    for (const Thing& thing : *side) {
      for (const Field& field : thing.fields) compare(thing, field);
    }
  }
  return rows;
}

}  // namespace

std::string verdict(const Replay& replay) {
  const properties::Violation& violation = *replay.violation;
  const auto row = properties::find_invariant(violation.invariant);
  const std::string_view id = row ? properties::invariants[*row].id : std::string_view();
  std::string when = fmt::format("at step {}", violation.step + 1);
  if (replay.course.frames.empty()) {
    when = "before the first step, by the queues of the config";
  } else if (violation.step >= replay.course.frames.size()) {
    when = "after the last step";
  }
  std::string out = fmt::format("\n  {}{} is broken {}\n", violation.invariant,
                                id.empty() ? "" : fmt::format(" ({})", id), when);
  if (row) out += labeled("The rule:", std::string(properties::invariants[*row].sentence));
  out += labeled("Why:", printable(violation.why));

  std::vector<Row> rows;
  if (violation.expected && violation.observed && !(*violation.expected == *violation.observed)) {
    rows.push_back({"answer", told(*violation.expected), told(*violation.observed)});
  }
  if (violation.expected_state && violation.observed_state) {
    model::Observation model = *violation.expected_state;
    // The service is the harness's own: there is but one.
    model.writes = violation.observed_state->writes;
    const std::vector<Row> states = differing_rows(model, *violation.observed_state);
    rows.insert(rows.end(), states.begin(), states.end());
  }
  if (rows.empty()) {
    const bool of_the_file = violation.invariant == properties::as_expected;
    return out + "  Model and engine answer and show the same; " +
           (of_the_file ? "it is the file that expects something else.\n"
                        : "the rule looks at more: the journal, the service, what went before.\n");
  }
  rows.insert(rows.begin(), {"", "the model", "the engine"});
  return out + "\n" + columns_of(rows);
}

std::string side_by_side(const model::Observation& model, const model::Observation& engine) {
  std::vector<Row> rows = differing_rows(model, engine);
  if (rows.empty()) return {};
  rows.insert(rows.begin(), {"", "the model", "the engine"});
  return columns_of(rows);
}

std::string introduction(const Scenario& scenario, const std::string& engine) {
  std::string out;
  for (const std::string& text : {printable(scenario.name), printable(scenario.about)}) {
    if (text.empty()) continue;
    for (const std::string& line : wrapped(text, page_width - margin)) {
      out += std::string(margin, ' ') + line + "\n";
    }
  }
  const properties::Config& config = scenario.config;
  std::string told_config = fmt::format("engine {}, lease {}, {} tries when busy", engine,
                                        told_time(config.lease_us), config.busy_tries);
  if (config.clock_slack_us != 0) {
    told_config += ", clocks may differ by " + told_time(config.clock_slack_us);
  }
  if (config.synchronous != properties::Synchronous::full) {
    told_config += config.synchronous == properties::Synchronous::normal ? ", synchronous normal"
                                                                         : ", synchronous off";
  }
  for (const model::Queue& queue : config.queues) {
    properties::Step step;
    step.action = queue;
    told_config += "; " + told(step, config);
  }
  for (const std::string& line : wrapped(told_config, page_width - margin)) {
    out += std::string(margin, ' ') + line + "\n";
  }
  return out + "\n";
}

std::string explanation(const Replay& replay) {
  const std::size_t broken =
      replay.violation ? replay.violation->step : replay.course.frames.size();
  std::string out = lanes(replay.course, broken);
  if (replay.violation) return out + verdict(replay);
  return out +
         "\n  Every answer and every state is what the model says, and every invariant holds.\n";
}

}  // namespace leaseproof::scenarios
