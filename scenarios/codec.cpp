#include "scenarios/codec.hpp"

#include <array>

#include "scenarios/action_codec.hpp"
#include "scenarios/expectation.hpp"
#include "scenarios/lint.hpp"
#include "scenarios/reply.hpp"
#include "scenarios/step_codec.hpp"

namespace leaseproof::scenarios {

using properties::Config;
using properties::Synchronous;

namespace {

constexpr std::array<std::string_view, 3> synchronous_words{"full", "normal", "off"};

}  // namespace

std::string_view synchronous_word(Synchronous value) {
  return synchronous_words.at(static_cast<std::size_t>(value));
}

void read_synchronous(Reader& reader, Synchronous& value) {
  std::string word;
  reader.may("synchronous", word, std::string(synchronous_word(Synchronous::full)));
  const auto& words = synchronous_words;
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    reader.at("synchronous").refuse(unknown_word("word", word, {words.begin(), words.end()}));
  }
  value = static_cast<Synchronous>(found - words.begin());
}

namespace {

void at_least(Reader& reader, std::string_view key, std::int64_t value, std::int64_t least) {
  if (value < least) reader.at(key).refuse(fmt::format("must be at least {}", least));
}

void check_queue(const model::Queue& queue, const Place& place) {
  const auto least = [&place](std::string_view key, std::int64_t value) {
    if (value < 0) Place{&place, key, std::nullopt}.refuse("must be at least 0");
  };
  least("max_in_flight", queue.max_in_flight);
  least("rate_per_s", queue.rate_per_s);
  least("burst", queue.burst);
  if (queue.burst > 0 && queue.rate_per_s == 0) {
    Place{&place, "rate_per_s", std::nullopt}.refuse("must be at least 1 where burst is not 0");
  }
}

Config read_config(const Json& json, const Place& place) {
  Config config;
  const Config otherwise;
  Reader reader(json, place, otherwise);
  reader.may("lease_us", config.lease_us, otherwise.lease_us);
  at_least(reader, "lease_us", config.lease_us, 1);
  reader.may("busy_tries", config.busy_tries, otherwise.busy_tries);
  at_least(reader, "busy_tries", config.busy_tries, 1);
  reader.may("clock_slack_us", config.clock_slack_us, otherwise.clock_slack_us);
  at_least(reader, "clock_slack_us", config.clock_slack_us, 0);
  read_synchronous(reader, config.synchronous);
  if (const Json* service = reader.find("service")) {
    const Place at = reader.at("service");
    Reader inner(*service, at, otherwise);
    inner.may("contract", config.service_contract, otherwise.service_contract);
    inner.may("retention_us", config.service_retention_us, otherwise.service_retention_us);
    at_least(inner, "retention_us", config.service_retention_us, 0);
    if (config.service_retention_us > 0 && config.service_contract != model::Contract::idempotent) {
      inner.at("retention_us").refuse("must be 0: only the contract 'idempotent' has a retention");
    }
    inner.end();
  }
  reader.may_list("queues", config.queues);
  for (std::size_t i = 0; i < config.queues.size(); ++i) {
    check_queue(config.queues[i], Place{&place, "queues", i});
  }
  reader.end();
  return config;
}

void write_config(std::string& out, const Config& config) {
  const Config otherwise;
  Writer writer(out, config);
  writer.must("lease_us", config.lease_us);
  writer.may("busy_tries", config.busy_tries, otherwise.busy_tries);
  writer.may_list("queues", config.queues);
  if (config.synchronous != Synchronous::full) {
    writer.must("synchronous", synchronous_word(config.synchronous));
  }
  writer.may("clock_slack_us", config.clock_slack_us, otherwise.clock_slack_us);
  if (config.service_contract != otherwise.service_contract || config.service_retention_us != 0) {
    std::string service;
    Writer inner(service, config);
    inner.must("contract", config.service_contract);
    inner.must("retention_us", config.service_retention_us);
    inner.end();
    writer.must_json("service", service);
  }
  writer.end();
}

RecordedViolation read_violation(const Json& json, const Place& place, const Config& config) {
  RecordedViolation violation;
  Reader reader(json, place, config);
  reader.must("invariant", violation.invariant);
  reader.must("step", violation.step);
  at_least(reader, "step", violation.step, 0);
  reader.may("why", violation.why, std::string());
  reader.may_json("expected", violation.expected, "null");
  reader.may_json("observed", violation.observed, "null");
  reader.end();
  return violation;
}

Found read_found(const Json& json, const Place& place, const Config& config) {
  Found found;
  Reader reader(json, place, config);
  reader.must("by", found.by);
  const Json& seed = reader.require("seed");
  // A seed takes all 64 bits, one more than the other numbers.
  if (!seed.is_number_unsigned()) {
    reader.at("seed").refuse("must be an integer from 0 to 18446744073709551615");
  }
  found.seed = seed.get<std::uint64_t>();
  reader.may("engine", found.engine, std::string());
  reader.may("steps_before_shrinking", found.steps_before_shrinking, std::int64_t{0});
  reader.may("certificate", found.certificate, std::string());
  reader.end();
  return found;
}

Scenario read(const Json& json) {
  Scenario scenario;
  const Place top;
  const Config otherwise;
  Reader reader(json, top, otherwise);
  std::string format;
  reader.must("format", format);
  if (format != trace_format) {
    reader.at("format").refuse(
        fmt::format("must be \"{}\"; this program reads no other", trace_format));
  }
  reader.must("name", scenario.name);
  reader.may("about", scenario.about, std::string());
  if (const Json* config = reader.find("config")) {
    scenario.config = read_config(*config, reader.at("config"));
  }
  scenario.steps = read_steps(reader.require("steps"), top, scenario.config);
  if (const Json* expected = reader.find("finally")) {
    check_finally_shape(*expected, reader.at("finally"));
    scenario.finally = canonical(*expected);
  }
  if (const Json* violation = reader.find("violation")) {
    scenario.violation = read_violation(*violation, reader.at("violation"), scenario.config);
  }
  if (const Json* found = reader.find("found")) {
    scenario.found = read_found(*found, reader.at("found"), scenario.config);
  }
  reader.end();
  // A search may ask nonsense on purpose, and shrinking cuts the steps that made sense of others.
  if (!scenario.found) {
    const std::vector<Finding> findings = lint(scenario.steps);
    if (!findings.empty()) throw Refused{findings.front().text};
  }
  return scenario;
}

}  // namespace

tl::expected<Scenario, std::string> read_scenario(std::string_view text, std::string_view file) {
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(fmt::format("{}: {}", file, json.error()));
  try {
    return read(*json);
  } catch (const Refused& refused) {
    return tl::unexpected(fmt::format("{}: {}", file, refused.text));
  }
}

std::string write_scenario(const Scenario& scenario) {
  const Config& config = scenario.config;
  std::string out = "{\n  \"format\": ";
  const auto line = [&out](std::string_view key) {
    out += ",\n  ";
    write_string(out, key);
    out += ": ";
  };
  write_string(out, trace_format);
  line("name");
  write_string(out, scenario.name);
  line("about");
  write_string(out, scenario.about);
  line("config");
  write_config(out, config);
  line("steps");
  out += '[';
  for (const properties::Step& step : scenario.steps) {
    out += &step == scenario.steps.data() ? "\n    " : ",\n    ";
    write_step(out, step, config);
  }
  out += scenario.steps.empty() ? "]" : "\n  ]";
  if (!scenario.finally.empty()) {
    line("finally");
    out += scenario.finally;
  }
  if (scenario.violation) {
    line("violation");
    Writer writer(out, config);
    writer.must("invariant", scenario.violation->invariant);
    writer.must("step", scenario.violation->step);
    writer.must("why", scenario.violation->why);
    writer.must_json("expected", scenario.violation->expected);
    writer.must_json("observed", scenario.violation->observed);
    writer.end();
  }
  if (scenario.found) {
    line("found");
    Writer writer(out, config);
    writer.must("by", scenario.found->by);
    writer.must_json("seed", std::to_string(scenario.found->seed));
    writer.must("engine", scenario.found->engine);
    writer.must("steps_before_shrinking", scenario.found->steps_before_shrinking);
    if (!scenario.found->certificate.empty()) {
      writer.must("certificate", scenario.found->certificate);
    }
    writer.end();
  }
  out += "\n}\n";
  return out;
}

RecordedViolation recorded(const properties::Violation& violation) {
  RecordedViolation record;
  record.invariant = violation.invariant;
  record.step = static_cast<std::int64_t>(violation.step) + 1;
  record.why = violation.why;
  Json expected = violation.expected ? reply_json(*violation.expected) : Json::object();
  Json observed = violation.observed ? reply_json(*violation.observed) : Json::object();
  if (violation.expected_state && violation.observed_state) {
    // The whole state would bury the one field that matters.
    auto [should, is] = differing(observation_json(*violation.expected_state),
                                  observation_json(*violation.observed_state));
    if (!should.empty()) {
      expected["state"] = std::move(should);
      observed["state"] = std::move(is);
    }
  }
  record.expected = canonical(expected);
  record.observed = canonical(observed);
  return record;
}

Scenario as_scenario(const properties::Counterexample& counterexample, std::string_view by,
                     std::string_view engine) {
  Scenario scenario;
  const properties::Violation& violation = counterexample.violation;
  scenario.name = fmt::format("{} broken at step {}", violation.invariant, violation.step + 1);
  scenario.about = fmt::format("Found by {} with seed {} in run {} and shrunk from {} steps to {}.",
                               by, counterexample.seed, counterexample.run,
                               counterexample.steps_before_shrinking, counterexample.steps.size());
  scenario.config = counterexample.config;
  scenario.steps = counterexample.steps;
  scenario.violation = recorded(violation);
  scenario.found = Found{std::string(by), counterexample.seed, std::string(engine),
                         static_cast<std::int64_t>(counterexample.steps_before_shrinking),
                         counterexample.certificate == properties::Certificate::none
                             ? std::string()
                             : std::string(word(counterexample.certificate))};
  return scenario;
}

}  // namespace leaseproof::scenarios
