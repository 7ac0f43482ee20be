#include "properties/shortest.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "properties/judgement.hpp"

namespace leaseproof::properties {

namespace {

// Reads a case step by step into the world that its calls span.
class Spanning {
 public:
  explicit Spanning(const Case& whole) {
    options_.world.settings.clock_slack_us = whole.config.clock_slack_us;
    options_.world.lease_us = whole.config.lease_us;
    options_.world.horizon_us = std::numeric_limits<std::int64_t>::max();
    options_.world.workers.clear();
    options_.world.max_generation = 0;
    for (const model::Queue& queue : whole.config.queues) options_.world.setup.emplace_back(queue);
  }

  bool take(const Step& step) {
    if (step.skew_us != 0 || step.lock_wait_us != 0 || !take_fault(step)) return false;
    return std::visit([&](const auto& action) { return take(action); }, step.action);
  }

  std::optional<ExhaustiveOptions> options() {
    model::World& world = options_.world;
    if (leases_.size() > 1 || world.setup.empty()) return std::nullopt;
    if (!leases_.empty()) world.lease_us = *leases_.begin();
    if (world.workers.empty()) world.workers.emplace_back("A");
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
    if (plan.kind == faults::Kind::crash) {
      ++options_.crashes;
      return at(faults::Place::write) || at(faults::Place::commit) || at(faults::Place::committed);
    }
    if (plan.kind == faults::Kind::busy) {
      ++options_.busies;
      return at(faults::Place::begin);
    }
    return false;
  }

  bool set_up(model::Action action, const std::vector<model::OpSpec>& ops) {
    if (moved_) return false;
    for (const model::OpSpec& op : ops) {
      if (op.effect) return false;
    }
    options_.world.setup.push_back(std::move(action));
    return true;
  }
  bool take(const model::Ensure& action) { return set_up(action, action.ops); }
  bool take(const model::Start& action) { return action.workflow && set_up(action, action.ops); }
  bool take(const model::Queue& action) { return set_up(action, {}); }
  bool take(const model::ContextPut& action) { return set_up(action, {}); }
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
    return action.artifacts.empty() && !action.completed_at_us && moved();
  }
  bool take(const model::Fail& action) {
    add(options_.world.failures, action.kind);
    return moved();
  }
  bool take(const model::Retry& action) {
    return !action.deadline_us && moved(options_.world.retries);
  }
  bool take(const model::Cancel&) { return moved(options_.world.cancels); }
  bool take(const model::ContextRevoke&) { return moved(options_.world.revocations); }
  bool take(const model::Advance& action) { return action.by_us >= 0 && moved(); }
  // Nothing here stands for them.
  bool take(const model::RequestApproval&) { return false; }
  bool take(const model::Decide&) { return false; }
  bool take(const model::Dispatch&) { return false; }
  bool take(const model::Call&) { return false; }
  bool take(const model::Deliver&) { return false; }
  bool take(const model::Observe&) { return false; }
  bool take(const model::Reconcile&) { return false; }
  bool take(const model::Close&) { return false; }
  bool take(const model::Snapshot&) { return false; }
  bool take(const model::SnapshotsSince&) { return false; }
  bool take(const model::Restart&) { return false; }
  bool take(const model::Forget&) { return false; }

  template <class Value>
  static void add(std::vector<Value>& values, const Value& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  bool moved() { return moved_ = true; }
  bool moved(bool& allowed) { return allowed = moved_ = true; }

  ExhaustiveOptions options_;
  std::set<std::int64_t> leases_;
  bool moved_ = false;
};

}  // namespace

std::optional<ExhaustiveOptions> world_of(const Case& whole) {
  Spanning spanning(whole);
  for (const Step& step : whole.steps) {
    if (!spanning.take(step)) return std::nullopt;
  }
  return spanning.options();
}

void find_shortest(const MakeRig& make, std::size_t most_states, Counterexample& counterexample) {
  std::optional<ExhaustiveOptions> options =
      world_of({counterexample.config, counterexample.steps});
  if (!options || !counterexample.reproducible) return;
  const std::size_t set_up = options->world.setup.size() - counterexample.config.queues.size();
  const std::size_t moves = counterexample.steps.size() - set_up;
  if (moves == 0) return;
  options->most_states = most_states;
  options->most_depth = moves - 1;
  ExhaustiveResult searched = search_exhaustively(make, *options);
  if (!searched.counterexample) {
    const bool whole = searched.waiting == 0 || searched.depth == options->most_depth;
    if (whole && !searched.stopped) counterexample.certificate = Certificate::shortest;
    return;
  }
  Counterexample& found = *searched.counterexample;
  if (!found.reproducible || found.violation.invariant != counterexample.violation.invariant)
    return;
  counterexample.config = std::move(found.config);
  counterexample.steps = std::move(found.steps);
  counterexample.violation = std::move(found.violation);
  counterexample.certificate = Certificate::shortest;
}

}  // namespace leaseproof::properties
