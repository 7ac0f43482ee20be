#include "scenarios/course.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/rules.hpp"
#include "properties/judgement.hpp"
#include "scenarios/guard.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios {

Lane lane_of(const model::Action& action) {
  if (const std::string* worker = properties::worker_of(action)) {
    return {Lane::Kind::worker, printable(*worker)};
  }
  return std::visit(
      []<class A>(const A& a) -> Lane {
        if constexpr (std::is_same_v<A, model::Forget>) {
          return {Lane::Kind::worker, printable(a.worker)};
        } else if constexpr (std::is_same_v<A, model::Advance>) {
          return {Lane::Kind::clock, "clock"};
        } else if constexpr (std::is_same_v<A, model::Deliver>) {
          return {Lane::Kind::service, "service"};
        } else if constexpr (std::is_same_v<A, model::Decide> || std::is_same_v<A, model::Retry> ||
                             std::is_same_v<A, model::Cancel> ||
                             std::is_same_v<A, model::Reconcile> ||
                             std::is_same_v<A, model::Close>) {
          return {Lane::Kind::operator_, "operator"};
        } else {
          return {Lane::Kind::host, "host"};
        }
      },
      action);
}

bool is_at_service(const model::Action& action) {
  return std::holds_alternative<model::Call>(action) ||
         std::holds_alternative<model::Deliver>(action) ||
         std::holds_alternative<model::Reconcile>(action);
}

bool has_acted_at(faults::Point point) {
  return faults::place_of(point) == faults::Place::committed ||
         point == faults::effect_after_call || point == faults::observer_notify;
}

namespace {

void add_lane(Lane lane, std::vector<Lane>& lanes) {
  if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(std::move(lane));
}

// Whoever acts in it, and inside of it.
void add_lanes(const Happening& happening, std::vector<Lane>& lanes) {
  add_lane(happening.lane, lanes);
  if (is_at_service(happening.step.action)) add_lane({Lane::Kind::service, "service"}, lanes);
  for (const Happening& inner : happening.inner) add_lanes(inner, lanes);
}

}  // namespace

std::size_t first_fair_step_shown(const Course& course) {
  constexpr std::size_t most = 8;
  return course.fair.size() > most ? course.fair.size() - most : 0;
}

std::map<std::string, model::LeaseView> leases_in(const model::Observation& observed) {
  std::map<std::string, model::LeaseView> leases;
  for (const auto& [id, op] : observed.ops) {
    if (op.lease) leases.emplace(id, *op.lease);
  }
  return leases;
}

void add_all_lanes(Course& course) {
  for (const auto* frames : {&course.frames, &course.fair}) {
    for (const Frame& frame : *frames) add_lanes(frame.top, course.lanes);
  }
  std::stable_sort(course.lanes.begin(), course.lanes.end(),
                   [](const Lane& a, const Lane& b) { return a.kind < b.kind; });
}

Course CourseRecorder::take() {
  add_all_lanes(course_);
  return std::move(course_);
}

void CourseRecorder::begin(const model::Observation& observed) {
  open_.clear();
  before_ = observed;
}

void CourseRecorder::see(const properties::CallSeen& seen) {
  Happening happening;
  happening.step = *seen.fact.step;
  happening.lane = lane_of(seen.fact.action());
  happening.common_us = seen.common_us;
  happening.outcome = seen.fact.outcome;
  happening.fired = seen.fact.fired > 0;
  happening.why = guard(seen, seen.fact.outcome);
  if (seen.expected != nullptr && !(*seen.expected == seen.fact.outcome)) {
    happening.expected = *seen.expected;
    happening.expected_why = guard(seen, *seen.expected);
  }
  const model::Observation after = model::observe(seen.after);
  happening.changed = changes(model::observe(seen.before), after);
  happening.leases = leases_in(after);
  happening.inner = std::exchange(open_[seen.fact.depth + 1], {});
  open_[seen.fact.depth].push_back(std::move(happening));
}

void CourseRecorder::close(const model::Observation* observed, const model::State& state) {
  std::vector<Happening> tops = std::exchange(open_[0], {});
  if (tops.empty()) return;
  Frame& frame = (settling_ ? course_.fair : course_.frames).emplace_back();
  frame.top = std::move(tops.back());
  frame.model = model::observe(state);
  if (observed == nullptr) return;
  frame.engine = *observed;
  // The service is the harness's own: there is but one.
  frame.model.writes = observed->writes;
  frame.beyond_the_model = changes(frame.model, frame.engine);
  frame.changed = changes(before_, *observed);
  before_ = *observed;
}

}  // namespace leaseproof::scenarios
