#include "properties/sweep.hpp"

#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "faults/crash_states.hpp"
#include "properties/engine_sut.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using faults::Kind;
using model::Word;

void StepSweep::add(const StepSweep& other) {
  runs += other.runs;
  crash_states += other.crash_states;
  fell_back += other.fell_back;
  for (const auto& [cell, count] : other.cells) cells[cell] += count;
  if (!counterexample) counterexample = other.counterexample;
  stopped = stopped || other.stopped;
}

namespace {
// Plans at the points inside a call, each at its first hit.
void add_call_plans(faults::Call call, std::int64_t busy_tries, std::vector<faults::Plan>& plans) {
  for (std::size_t place = 0; place < faults::place_count; ++place) {
    faults::Plan plan;
    plan.point = faults::point_of(call, static_cast<faults::Place>(place));
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      plan.kind = static_cast<Kind>(kind);
      plan.times = 1;
      // What other steps do meanwhile is for the random search to draw; a loss of power has states.
      if (plan.kind == Kind::interleave || plan.kind == Kind::power_loss) continue;
      if (!faults::allows(plan.point, plan.kind)) continue;
      plans.push_back(plan);
      if (plan.kind != Kind::busy) continue;
      plan.times = busy_tries;
      if (busy_tries > 1) plans.push_back(plan);
    }
  }
  faults::Plan listener;
  listener.point = faults::observer_notify;
  listener.kind = Kind::throw_;
  plans.push_back(listener);
}

void add_service_plans(std::vector<faults::Plan>& plans) {
  for (const faults::Point point : {faults::effect_before_call, faults::effect_after_call}) {
    faults::Plan plan;
    plan.point = point;
    plan.kind = Kind::crash;
    plans.push_back(plan);
  }
}

void add_disk_plans(std::vector<faults::Plan>& plans) {
  for (std::size_t i = 0; i < faults::operation_count * faults::role_count; ++i) {
    faults::Plan plan;
    const auto operation = static_cast<faults::Operation>(i / faults::role_count);
    plan.point = faults::point_of(operation);
    plan.file = static_cast<faults::Role>(i % faults::role_count);
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      plan.kind = static_cast<Kind>(kind);
      if (!faults::io_plan_of(plan) || plan.kind == Kind::power_loss) continue;
      // A process that dies leaves the same before an operation that changes nothing as after it.
      if (plan.kind == Kind::crash && !faults::changes_disk(operation)) continue;
      plan.sticky = false;
      plans.push_back(plan);
      if (faults::is_end(plan.kind)) continue;
      plan.sticky = true;
      plans.push_back(plan);
    }
  }
}

std::vector<faults::Plan> plans_for(const model::Action& action, std::int64_t busy_tries) {
  std::vector<faults::Plan> plans;
  if (std::holds_alternative<model::Call>(action)) {
    add_service_plans(plans);
    return plans;
  }
  if (const auto call = fault_call(action)) add_call_plans(*call, busy_tries, plans);
  if (!is_harness(action) || std::holds_alternative<model::Restart>(action)) add_disk_plans(plans);
  return plans;
}

// A moment at which the power may go: before an operation of the step.
struct Moment {
  faults::Plan plan;
  faults::Disk disk;
};
}  // namespace

// The runs at one step.
class Sweep::Try {
 public:
  Try(Sweep& sweep, const Case& whole, std::size_t at)
      : sweep_(sweep), whole_(whole), at_(at), steps_(whole.steps.begin(), end_of(whole, at)) {
    RunnerOptions options = sweep.options_.runner;
    options.on_step = [this](std::size_t index, const Step&, const model::Outcome& outcome,
                             const model::Observation& after) {
      if (index + 1 == at_) {
        before_ = after;
        if (steps_[at_].fault) fired_before_ = fired_so_far();
      }
      if (index != at_) return;
      played_ = true;
      word_ = outcome.word;
      changed_ = !(after == before_);
    };
    runner_.emplace(*sweep.sut_, sweep.clock_, std::move(options));
  }

  StepSweep all() {
    for (const faults::Plan& plan : plans_for(steps_[at_].action, whole_.config.busy_tries)) {
      StepFault fault;
      fault.plan = plan;
      for (; try_one(fault); ++fault.plan.hit) {
      }
      if (over()) return std::move(found_);
    }
    for (const Moment& moment : moments()) {
      if (!lose_power(moment)) break;
    }
    found_.fell_back = runner_->tally().fell_back;
    return std::move(found_);
  }

 private:
  static std::vector<Step>::const_iterator end_of(const Case& whole, std::size_t at) {
    return whole.steps.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  }

  [[nodiscard]] bool over() {
    if (!found_.stopped && sweep_.options_.stop && sweep_.options_.stop()) found_.stopped = true;
    return found_.stopped || found_.counterexample.has_value();
  }

  // False: the step never came to this hit, or nothing more is to be tried.
  bool try_one(const StepFault& fault) {
    if (over()) return false;
    steps_[at_].fault = fault;
    fired_before_ = fired_so_far();
    played_ = false;
    std::optional<Violation> violation = play();
    const bool fired = played_ && fired_so_far() > fired_before_;
    if (violation) {
      Counterexample& example = found_.counterexample.emplace();
      example.config = whole_.config;
      example.steps = steps_;
      example.steps_before_shrinking = steps_.size();
      example.violation = std::move(*violation);
      return false;
    }
    if (!fired) return false;
    ++found_.runs;
    ++found_.cells[{fault.plan.point, fault.plan.kind, word_, changed_}];
    return true;
  }

  // What follows the step is played once for each state that it leaves: an engine that was opened
  // anew goes by what is durable alone, another also by what struck it.
  std::optional<Violation> play() {
    runner_->begin(whole_.config);
    for (const Step& step : steps_) {
      if (auto violation = runner_->step(step)) return violation;
    }
    const faults::Plan& plan = steps_[at_].fault->plan;
    After after{sweep_.vfs_->hash(), word_, changed_, {}};
    if (!faults::is_end(plan.kind)) after.struck = {plan.point, plan.kind, plan.file, plan.sticky};
    if (!settled_.insert(after).second) return std::nullopt;
    return runner_->finish();
  }

  // A step before this one may have the same fault of its own.
  [[nodiscard]] std::int64_t fired_so_far() const {
    const faults::Plan& plan = steps_[at_].fault->plan;
    return runner_->tally().fired[plan.point][static_cast<std::size_t>(plan.kind)];
  }

  // Plays the step without a fault and keeps the disk as it was before each operation.
  std::vector<Moment> moments() {
    std::vector<Moment> moments;
    if (over() || (is_harness(steps_[at_].action) &&
                   !std::holds_alternative<model::Restart>(steps_[at_].action))) {
      return moments;
    }
    steps_[at_].fault.reset();
    runner_->begin(whole_.config);
    for (std::size_t i = 0; i < at_; ++i) {
      if (runner_->step(steps_[i])) return moments;
    }
    if (const auto call = fault_call(steps_[at_].action)) {
      for (const faults::Place place : {faults::Place::begin, faults::Place::committed}) {
        Moment& moment = moments.emplace_back();
        moment.plan.point = faults::point_of(*call, place);
        moment.plan.kind = Kind::power_loss;
        if (place == faults::Place::begin) moment.disk = sweep_.vfs_->snapshot();
      }
    }
    std::array<std::array<std::int64_t, faults::role_count>, faults::operation_count> count{};
    sweep_.vfs_->watch(
        [&](faults::Operation operation, faults::Role role, const faults::Disk& disk) {
          const std::int64_t hit =
              ++count[static_cast<std::size_t>(operation)][static_cast<std::size_t>(role)];
          if (!faults::changes_disk(operation)) return;
          Moment moment;
          moment.plan.point = faults::point_of(operation);
          moment.plan.kind = Kind::power_loss;
          moment.plan.file = role;
          moment.plan.hit = hit;
          if (!faults::io_plan_of(moment.plan)) return;
          moment.disk = disk;
          moments.push_back(std::move(moment));
        });
    // The operations of the judgement that follows are none of the step's.
    static_cast<void>(runner_->step(steps_[at_]));
    sweep_.vfs_->watch({});
    for (Moment& moment : moments) {
      if (faults::place_of(moment.plan.point) == faults::Place::committed) {
        moment.disk = sweep_.vfs_->snapshot();
      }
    }
    return moments;
  }

  bool lose_power(const Moment& moment) {
    const faults::CrashLimit limit{sweep_.options_.states_a_moment, sweep_.options_.seed};
    // What may be left after the call was answered is another matter than before.
    const bool answered = faults::place_of(moment.plan.point) == faults::Place::committed;
    for (const auto& state : faults::crash_states(moment.disk, limit)) {
      if (!seen_.emplace(answered, state.disk.durable_hash()).second) continue;
      StepFault fault;
      fault.plan = moment.plan;
      for (std::size_t unit = 0; unit < state.plan.stays.size(); ++unit) {
        if (state.plan.stays[unit]) fault.torn_sectors.push_back(static_cast<std::int64_t>(unit));
      }
      if (try_one(fault)) ++found_.crash_states;
      if (over()) return false;
    }
    return true;
  }

  struct Struck {
    faults::Point point = faults::point_count;
    Kind kind = Kind::crash;
    std::optional<faults::Role> file = std::nullopt;
    bool sticky = false;
    auto operator<=>(const Struck&) const = default;
  };
  struct After {
    std::uint64_t content = 0;
    Word word = Word::ok;
    bool changed = false;
    Struck struck;
    auto operator<=>(const After&) const = default;
  };

  Sweep& sweep_;
  const Case& whole_;
  std::size_t at_;
  std::vector<Step> steps_;
  std::optional<Runner> runner_;
  StepSweep found_;
  model::Observation before_;
  std::int64_t fired_before_ = 0;
  bool played_ = false;
  Word word_ = Word::ok;
  bool changed_ = false;
  std::set<std::pair<bool, std::uint64_t>> seen_;
  std::set<After> settled_;
};

Sweep::Sweep(SweepOptions options) : options_(std::move(options)) {
  EngineSutOptions engine = on_simulated_disk(options_.bug);
  if (options_.statements != nullptr) engine.statements = options_.statements;
  vfs_ = engine.vfs;
  sut_ = std::make_unique<EngineSut>(clock_, std::move(engine));
}

Sweep::~Sweep() = default;

StepSweep Sweep::step(const Case& whole, std::size_t at) {
  if (whole.steps[at].fault) return {};
  return Try(*this, whole, at).all();
}

Case small_case() {
  const auto step = [](model::Action action) {
    Step made;
    made.action = std::move(action);
    return made;
  };
  model::OpSpec first;
  first.id = "first";
  model::OpSpec second;
  second.id = "second";
  second.needs.push_back({"first"});
  second.max_attempts = 2;
  model::Start start;
  start.workflow = "w";
  start.ops = {first, second};
  model::Lease lease;
  lease.worker = "A";
  const model::WorkerHandle of_first{"A", "first", 0};
  const model::WorkerHandle of_second{"A", "second", 0};
  model::Checkpoint checkpoint;
  checkpoint.by = of_first;
  checkpoint.step = "half";
  // As long as the journal keeps it whole.
  checkpoint.payload = '"' + std::string(200, 'x') + '"';
  model::Complete complete;
  complete.by = of_first;
  model::Fail fail;
  fail.by = of_second;
  fail.kind = model::FailKind::permanent;
  model::Retry retry;
  retry.op = "second";
  model::Cancel cancel;
  cancel.workflow = "w";
  Case made;
  made.config.busy_tries = 2;
  for (model::Action action : std::vector<model::Action>{
           start, model::Refresh{}, lease, model::Heartbeat{of_first}, checkpoint, complete,
           model::Restart{}, model::Refresh{}, lease, fail, retry, cancel}) {
    made.steps.push_back(step(std::move(action)));
  }
  return made;
}

}  // namespace leaseproof::properties
