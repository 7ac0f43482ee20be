#include "scenarios/step_codec.hpp"

#include <algorithm>

#include "scenarios/action_codec.hpp"
#include "scenarios/expectation.hpp"
#include "scenarios/points.hpp"

namespace leaseproof::scenarios {

using properties::Config;
using properties::Step;
using properties::StepFault;

namespace {

// Of a fault at the disk: of which file's operations, and whether it stays.
void read_place_on_disk(Reader& reader, faults::Plan& plan) {
  std::optional<std::string> file;
  reader.may("file", file);
  reader.may("sticky", plan.sticky, false);
  if (!file) return;
  plan.file = file_named(*file);
  const auto& words = faults::role_words;
  if (!plan.file) {
    reader.at("file").refuse(unknown_word("word", *file, {words.begin(), words.end()}));
  }
  if (plan.kind != faults::Kind::interleave && !faults::io_plan_of(plan)) {
    reader.at("file").refuse(fmt::format("'{}' cannot happen at '{}' of the {}",
                                         faults::word(plan.kind), faults::point_names[plan.point],
                                         *file));
  }
}

void read_step(const Json& json, const Place& place, const Config& config, Step& step) {
  Reader reader(json, place, config);
  step.action = read_action(reader);
  reader.may("skew_us", step.skew_us, std::int64_t{0});
  reader.may("lock_wait_us", step.lock_wait_us, std::int64_t{0});
  if (step.lock_wait_us < 0)
    reader.at("lock_wait_us").refuse("is a waiting time; it cannot be negative");
  if (const Json* fault = reader.find("fault")) {
    read_fault(*fault, reader.at("fault"), config, step.fault.emplace());
  }
  if (const Json* expect = reader.find("expect")) {
    check_expect_shape(*expect, reader.at("expect"), step.action);
    step.expect = canonical(*expect);
  }
  reader.end();
}

}  // namespace

void read_fault(const Json& json, const Place& place, const Config& config, StepFault& fault) {
  Reader reader(json, place, config);
  std::string at;
  std::string kind;
  reader.must("at", at);
  reader.must("kind", kind);
  const auto point = faults::find_point(at);
  if (!point) reader.at("at").refuse(unknown_word("fault point", at, all_point_names()));
  const auto known_kind = kind_named(kind);
  if (!known_kind) {
    const auto& words = faults::kind_words;
    reader.at("kind").refuse(unknown_word("word", kind, {words.begin(), words.end()}));
  }
  if (!makes_sense(*point, *known_kind)) {
    reader.at("kind").refuse(
        fmt::format("'{}' cannot happen at '{}'; `leaseproof faults` lists what can", kind, at));
  }
  fault.plan.point = *point;
  fault.plan.kind = *known_kind;
  reader.may("hit", fault.plan.hit, std::int64_t{1});
  if (fault.plan.hit < 1) reader.at("hit").refuse("counts from 1");
  reader.may("times", fault.plan.times, std::int64_t{1});
  if (fault.plan.times < 1) reader.at("times").refuse("must be at least 1");
  if (*known_kind == faults::Kind::power_loss) {
    reader.may_list("torn_sectors", fault.torn_sectors);
    const auto& sectors = fault.torn_sectors;
    if (std::any_of(sectors.begin(), sectors.end(), [](std::int64_t n) { return n < 0; })) {
      reader.at("torn_sectors").refuse("counts sectors from 0");
    }
  }
  if (faults::is_at_disk(*point)) read_place_on_disk(reader, fault.plan);
  if (*known_kind == faults::Kind::interleave) {
    fault.steps = read_steps(reader.require("steps"), place, config);
  }
  reader.end();
}

void write_fault(std::string& out, const StepFault& fault, const Config& config,
                 Defaults defaults) {
  Writer writer(out, config, defaults);
  writer.must("at", std::string_view(faults::point_names[fault.plan.point]));
  writer.must("kind", faults::word(fault.plan.kind));
  writer.may("hit", fault.plan.hit, std::int64_t{1});
  writer.may("times", fault.plan.times, std::int64_t{1});
  if (fault.plan.file) writer.must("file", faults::word(*fault.plan.file));
  if (faults::is_at_disk(fault.plan.point)) writer.may("sticky", fault.plan.sticky, false);
  writer.may_list("torn_sectors", fault.torn_sectors);
  if (fault.plan.kind == faults::Kind::interleave) {
    std::string steps = "[";
    for (const Step& step : fault.steps) {
      if (&step != fault.steps.data()) steps += ", ";
      write_step(steps, step, config);
    }
    writer.must_json("steps", steps + "]");
  }
  writer.end();
}

std::vector<Step> read_steps(const Json& list, const Place& parent, const Config& config) {
  if (!list.is_array()) {
    Place{&parent, "steps", std::nullopt}.refuse(
        fmt::format("must be a list, but is {}", type_name(list)));
  }
  std::vector<Step> steps;
  steps.reserve(list.size());
  for (const Json& item : list) {
    const Place place{&parent, "steps", steps.size()};
    read_step(item, place, config, steps.emplace_back());
  }
  return steps;
}

void write_step(std::string& out, const Step& step, const Config& config) {
  Writer writer(out, config);
  write_action(writer, step.action);
  writer.may("skew_us", step.skew_us, std::int64_t{0});
  writer.may("lock_wait_us", step.lock_wait_us, std::int64_t{0});
  if (step.fault) {
    std::string fault;
    write_fault(fault, *step.fault, config);
    writer.must_json("fault", fault);
  }
  if (!step.expect.empty()) writer.must_json("expect", step.expect);
  writer.end();
}

}  // namespace leaseproof::scenarios
