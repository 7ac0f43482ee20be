#include "properties/shortest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "model/rules.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::Word;

namespace {

// Reads a case step by step into the world that its calls span.
class Spanning {
 public:
  explicit Spanning(const Case& whole) {
    options_.world.settings.clock_slack_us = whole.config.clock_slack_us;
    begun_.settings = options_.world.settings;
    options_.world.lease_us = whole.config.lease_us;
    options_.world.horizon_us = std::numeric_limits<std::int64_t>::max();
    for (auto* names : {&options_.world.workers, &options_.world.payloads}) names->clear();
    for (auto* actors : {&options_.world.reviewers, &options_.world.operators}) actors->clear();
    options_.world.max_generation = 0;
    for (const model::Queue& queue : whole.config.queues) set_up(queue);
  }

  // What the world cannot have, or empty.
  std::string take(const Step& step) {
    if (step.skew_us != 0) return "a clock that is off";
    if (step.lock_wait_us != 0) return "a wait for the lock";
    if (!take_fault(step)) return fmt::format("a fault {}", faults::word(step.fault->plan.kind));
    const bool taken = std::visit([&](const auto& action) { return take(action); }, step.action);
    return taken ? "" : fmt::format("such a {}", model::do_word(step.action));
  }

  tl::expected<ExhaustiveOptions, std::string> options() {
    model::World& world = options_.world;
    if (leases_.size() > 1) return tl::unexpected(std::string("leases of several durations"));
    if (!leases_.empty()) world.lease_us = *leases_.begin();
    if (world.workers.empty()) world.workers.emplace_back("A");
    if (world.payloads.empty()) world.payloads.emplace_back("null");
    return std::move(options_);
  }

 private:
  bool take_fault(const Step& step) {
    if (!step.fault) return true;
    const faults::Plan& plan = step.fault->plan;
    const auto call = fault_call(step.action);
    if (!call || plan.hit != 1) return false;
    const auto at = [&](faults::Place place) {
      return plan.point == faults::point_of(*call, place);
    };
    FaultBudget& budget = options_.faults;
    const bool after_begin =
        at(faults::Place::write) || at(faults::Place::commit) || at(faults::Place::committed);
    switch (plan.kind) {
      case faults::Kind::crash:
        ++budget.crashes;
        return after_begin;
      case faults::Kind::power_loss:
        ++budget.losses;
        return after_begin && step.fault->torn_sectors.empty();
      case faults::Kind::busy:
        ++budget.busies;
        return at(faults::Place::begin);
      case faults::Kind::io_error:
        ++budget.refusals;
        return at(faults::Place::commit);
      case faults::Kind::disk_full:
      case faults::Kind::throw_:
      case faults::Kind::interleave:
      case faults::Kind::cannot_open:
      case faults::Kind::read_only:
        return false;
    }
    return false;
  }

  bool set_up(const model::Action& action) {
    if (!moved_) {
      const Word word = model::apply(begun_, action, model::Given{}).word;
      if (word == Word::created || word == Word::ok) {
        options_.world.setup.push_back(action);
        return true;
      }
    }
    add(options_.world.anytime, action);
    return moved();
  }
  bool take(const model::Ensure& action) { return set_up(action); }
  bool take(const model::Start& action) { return action.workflow && set_up(action); }
  bool take(const model::Queue& action) { return set_up(action); }
  bool take(const model::ContextPut& action) { return set_up(action); }
  bool take(const model::Refresh&) { return moved(); }
  bool take(const model::Lease& action) {
    if (action.queue || action.site) return false;
    leases_.insert(action.lease_us);
    auto& workers = options_.world.workers;
    const std::string& owner = action.owner ? *action.owner : action.worker;
    if (std::find(workers.begin(), workers.end(), owner) == workers.end()) workers.push_back(owner);
    ++options_.world.max_generation;
    return moved();
  }
  bool take(const model::Heartbeat& action) {
    add(options_.world.heartbeats_us, action.lease_us);
    return moved();
  }
  bool take(const model::Checkpoint&) { return moved(options_.world.checkpoints); }
  bool take(const model::Complete& action) {
    if (!action.emit.empty()) options_.world.emits[action.by.op] = action.emit;
    return !action.completed_at_us && one(options_.world.artifacts, artifacts_, action.artifacts);
  }
  bool take(const model::Fail& action) {
    add(options_.world.failures, action.kind);
    return one(options_.world.error, errors_, action.error);
  }
  bool take(const model::Retry& action) {
    return !action.deadline_us && moved(options_.world.retries);
  }
  bool take(const model::Cancel&) { return moved(options_.world.cancels); }
  bool take(const model::ContextRevoke&) { return moved(options_.world.revocations); }
  bool take(const model::Advance& action) { return action.by_us >= 0 && moved(); }
  bool take(const model::RequestApproval& action) {
    auto& payloads = options_.world.payloads;
    std::erase(payloads, action.payload);
    payloads.insert(payloads.begin(), action.payload);
    return one(reviewed_, reviews_, action.payload) &&
           one(options_.world.approval_ttl_us, ttls_, action.ttl_us);
  }
  bool take(const model::Decide& action) {
    add(options_.world.reviewers, action.actor);
    options_.world.rejections = options_.world.rejections || !action.approve;
    return !action.stale_hash && !action.hash && moved();
  }
  bool take(const model::Dispatch& action) {
    add(options_.world.payloads, action.payload);
    return moved();
  }
  // Whoever sends is answered, with the payload of its permit.
  bool take(const model::Call& action) {
    return action.service == model::ServiceMode::ok && !action.payload && moved();
  }
  bool take(const model::Reconcile&) { return moved(); }
  bool take(const model::Close& action) {
    add(options_.world.operators, action.actor);
    return moved();
  }
  // Nothing here stands for them.
  bool take(const model::Deliver&) { return false; }
  bool take(const model::Observe&) { return false; }
  bool take(const model::Snapshot&) { return false; }
  // The search reads all workflows in every state.
  bool take(const model::SnapshotsSince&) { return moved(); }
  bool take(const model::Restart&) { return false; }
  bool take(const model::Forget&) { return false; }

  template <class Value>
  static void add(std::vector<Value>& values, const Value& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  // What a world has one of.
  template <class Value>
  bool one(Value& place, std::vector<Value>& seen, const Value& value) {
    add(seen, value);
    place = value;
    return moved() && seen.size() == 1;
  }
  bool moved() { return moved_ = true; }
  bool moved(bool& allowed) { return allowed = moved_ = true; }

  ExhaustiveOptions options_;
  std::set<std::int64_t> leases_;
  std::vector<std::vector<model::Artifact>> artifacts_;
  std::vector<std::optional<std::string>> errors_;
  std::vector<std::string> reviews_;
  std::string reviewed_;
  std::vector<std::int64_t> ttls_;
  model::State begun_;
  bool moved_ = false;
};

}  // namespace

tl::expected<ExhaustiveOptions, std::string> world_of(const Case& whole) {
  Spanning spanning(whole);
  for (const Step& step : whole.steps) {
    if (std::string why = spanning.take(step); !why.empty()) return tl::unexpected(std::move(why));
  }
  return spanning.options();
}

void find_shortest(const MakeRig& make, const RunnerOptions& judging, std::size_t most_states,
                   Counterexample& counterexample) {
  if (!counterexample.reproducible) return;
  auto options = world_of({counterexample.config, counterexample.steps});
  if (!options) {
    counterexample.uncertain = "no world has " + options.error();
    return;
  }
  const std::size_t set_up = options->world.setup.size() - counterexample.config.queues.size();
  const std::size_t moves = counterexample.steps.size() - set_up;
  // Nothing goes before the beginning.
  if (moves == 0 && set_up <= 1) counterexample.certificate = Certificate::shortest;
  if (moves == 0) {
    if (set_up > 1) counterexample.uncertain = "its beginning alone breaks the rule";
    return;
  }
  options->runner = judging;
  options->most_states = most_states;
  options->most_depth = moves - 1;
  options->wanted = counterexample.violation.invariant;
  // Found only by who acts fairly from then on.
  options->settle = counterexample.violation.step >= counterexample.steps.size();
  ExhaustiveResult searched = search_exhaustively(make, *options);
  if (!searched.counterexample) {
    const bool whole = searched.waiting == 0 || searched.depth == options->most_depth;
    if (whole && !searched.stopped) {
      counterexample.certificate = Certificate::shortest;
    } else {
      counterexample.uncertain = fmt::format("{} states are too few", searched.states);
    }
    return;
  }
  Counterexample& found = *searched.counterexample;
  counterexample.certificate = Certificate::shortest;
  // One that somebody has to read ends in a step that is not a move.
  if (found.steps.size() >= counterexample.steps.size()) return;
  counterexample.config = std::move(found.config);
  counterexample.steps = std::move(found.steps);
  counterexample.violation = std::move(found.violation);
}

}  // namespace leaseproof::properties
