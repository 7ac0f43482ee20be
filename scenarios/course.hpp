// The course of a run: each step with all that was interleaved into it, who acted, what it was
// answered and why, and what it changed.
//
// Promise: everything that lanes, diagrams and the walk through a run show is in here, and all of
// it was seen while the run was judged; nothing is played twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/vocabulary.hpp"
#include "properties/runner.hpp"
#include "properties/step.hpp"

namespace leaseproof::scenarios {

// Who acts: a worker; the host, which makes workflows, sweeps and restarts; an operator, who
// decides and mends; the clock; the outside service.
struct Lane {
  enum class Kind : std::uint8_t { worker, host, operator_, clock, service };
  Kind kind = Kind::host;
  std::string name;
  bool operator==(const Lane&) const = default;
};
Lane lane_of(const model::Action& action);
// Whether the outside service is called, asked, or reached by a late request.
bool is_at_service(const model::Action& action);

// Whether a call that stands still there has taken effect already.
bool has_acted_at(faults::Point point);

// One call, or one move of the clock or the harness.
struct Happening {
  properties::Step step;
  Lane lane;
  std::int64_t common_us = 0;
  model::Outcome outcome;
  bool fired = false;
  std::string why;  // the guard that decided, or empty
  // What the model answers, where that is another answer, and its guard.
  std::optional<model::Outcome> expected;
  std::string expected_why;
  std::vector<std::string> changed;                // by this call alone, as the model has it
  std::map<std::string, model::LeaseView> leases;  // by op, after it, as the model has them
  std::vector<Happening> inner;                    // what ran while it stood still

  [[nodiscard]] bool stood_still() const {
    return fired && step.fault->plan.kind == faults::Kind::interleave;
  }
};

// One step of the file, when it is over.
struct Frame {
  std::string name;  // empty: its number
  Happening top;
  std::vector<std::string> changed;  // in the engine, as it was observed
  // What the engine shows beside what the model says, as changes from the one to the other.
  std::vector<std::string> beyond_the_model;
  model::Observation engine;
  model::Observation model;
};

// By op, those of an observation.
std::map<std::string, model::LeaseView> leases_in(const model::Observation& observed);

struct Course {
  properties::Config config;
  std::vector<Lane> lanes;  // workers in the order in which they first act, then the others
  std::vector<Frame> frames;
  // After the last step, where that is when the violation showed: everybody acts fairly until every
  // op is settled.
  std::vector<Frame> fair;
};
// Gives it a lane for each who acts in its frames.
void add_all_lanes(Course& course);
// Most of a long schedule is waiting: only its end is shown, from this index on.
std::size_t first_fair_step_shown(const Course& course);

// Listens to a runner: `see` belongs into `on_call`, `close` into `on_step`.
class CourseRecorder {
 public:
  explicit CourseRecorder(const properties::Config& config) { course_.config = config; }
  void see(const properties::CallSeen& seen);
  // What was seen before the first step is not part of the course.
  void begin(const model::Observation& observed);
  // `observed` is null where nothing can be observed any more.
  void close(const model::Observation* observed, const model::State& state);
  // What follows is the fair schedule.
  void settle() { settling_ = true; }
  void forget_fair_steps() { course_.fair.clear(); }
  [[nodiscard]] Course take();

 private:
  Course course_;
  bool settling_ = false;
  model::Observation before_;
  std::map<std::int64_t, std::vector<Happening>> open_;  // by depth, until what they are inside of
};

}  // namespace leaseproof::scenarios
