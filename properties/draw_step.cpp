#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "properties/draw.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using faults::Kind;
using faults::Place;
using model::OpStatus;

StepDrawer::StepDrawer(Dice& dice, const Config& config, const Temper& temper,
                       const DrawOptions& options)
    : dice_(dice),
      config_(config),
      temper_(temper),
      options_(options),
      graphs_(dice, config, temper.unit_us),
      walk_(config) {
  if (temper.outside) graphs_.draw_effects(temper.steady);
}

// Weights follow what is possible: a lease where something is ready, a refresh where something may
// move, a worker's call where somebody holds a lease.
Deed StepDrawer::deed(bool rival) {
  std::int64_t ready = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t failed = 0;
  std::int64_t expired = 0;
  for (const auto& [id, op] : walk_.state().ops) {
    switch (op.view.status) {
      case OpStatus::ready:
        ++ready;
        break;
      case OpStatus::running:
        ++running;
        if (op.view.lease && op.view.lease->expires_us <= walk_.time_us()) ++expired;
        break;
      case OpStatus::pending:
      case OpStatus::blocked:
        ++waiting;
        break;
      case OpStatus::failed:
        ++failed;
        break;
      case OpStatus::waiting_approval:
      case OpStatus::reconciling:
      case OpStatus::succeeded:
      case OpStatus::effect_confirmed:
      case OpStatus::canceled:
        break;
    }
  }
  const bool few = walk_.state().ops.size() < 2;
  std::array<int, deed_count> weights{};
  const auto weigh = [&](Deed deed, int weight) {
    const auto at = static_cast<std::size_t>(deed);
    weights[at] = temper_.on[at] ? weight : 0;
  };
  weigh(Deed::create, walk_.state().ops.empty() ? 200 : few ? 20 : made_.size() < 4 ? 5 : 2);
  weigh(Deed::queue, 2);
  weigh(Deed::refresh, (waiting > 0 ? 14 : 4) + (expired > 0 ? 16 : 0));
  weigh(Deed::lease, ready > 0 ? 30 : 4);
  weigh(Deed::heartbeat, running > 0 ? 7 : 2);
  weigh(Deed::checkpoint, running > 0 ? 7 : 2);
  weigh(Deed::complete, running > 0 ? 14 : 3);
  weigh(Deed::fail, running > 0 ? 12 : 3);
  weigh(Deed::retry, failed > 0 ? 12 : 1);
  weigh(Deed::cancel, 2);
  weigh(Deed::snapshot, 2);
  weigh(Deed::page, 4);
  weigh(Deed::observe, 1);
  weigh(Deed::advance, running > 0 ? 16 : 7);
  weigh(Deed::restart, rival ? 0 : 2);
  weigh(Deed::forget, 2);
  weigh_outside(weights);
  if (std::all_of(weights.begin(), weights.end(), [](int weight) { return weight == 0; })) {
    return Deed::refresh;
  }
  return static_cast<Deed>(dice_.weighted(weights));
}

// A worker dies, or is overtaken, on one side of its call to the service.
void StepDrawer::draw_call_fault(Step& step, std::int64_t depth) {
  StepFault& fault = step.fault.emplace();
  fault.plan.point = dice_.chance(50) ? faults::effect_before_call : faults::effect_after_call;
  fault.plan.kind = depth < 2 && dice_.chance(40) ? Kind::interleave : Kind::crash;
}

void StepDrawer::draw_fault(Step& step, std::int64_t depth) {
  const std::optional<faults::Call> call = fault_call(step.action);
  if (!call) return;
  constexpr std::array<Kind, 5> kinds{Kind::crash, Kind::busy, Kind::interleave, Kind::io_error,
                                      Kind::disk_full};
  StepFault& fault = step.fault.emplace();
  if (dice_.chance(4)) {
    fault.plan.point = faults::observer_notify;
    fault.plan.kind = Kind::throw_;
    return;
  }
  fault.plan.kind = kinds[dice_.weighted(std::array<int, 5>{6, 6, depth < 2 ? 10 : 0, 4, 4})];
  // Half of the calls that are drawn change nothing and never come by `write`.
  const auto place =
      static_cast<Place>(dice_.weighted(std::array<int, faults::place_count>{3, 7, 3, 3}));
  fault.plan.point = faults::point_of(*call, place);
  if (!faults::allows(fault.plan.point, fault.plan.kind)) {
    fault.plan.point = faults::point_of(*call, Place::commit);
  }
}

// Where on the disk, and how much of what was not synced stays.
void StepDrawer::place_on_disk(StepFault& fault) {
  const faults::Plan& plan = fault.plan;
  if (plan.kind == Kind::power_loss) {
    const std::int64_t torn = dice_.chance(50) ? 0 : dice_.between(1, 6);
    for (std::int64_t i = 0; i < torn; ++i) {
      fault.torn_sectors.push_back(dice_.between(0, dice_.chance(50) ? 3 : 20));
    }
  }
  if (!faults::is_at_disk(plan.point)) return;
  fault.plan.hit = dice_.between(1, dice_.chance(60) ? 3 : 14);
  fault.plan.sticky = !faults::is_end(plan.kind) && dice_.chance(25);
}

void StepDrawer::draw_disk_fault(Step& step) {
  StepFault& fault = step.fault.emplace();
  if (fault_call(step.action) && dice_.chance(20)) {
    fault.plan.point = faults::point_of(*fault_call(step.action),
                                        static_cast<Place>(dice_.below(faults::place_count)));
    fault.plan.kind = Kind::power_loss;
  } else {
    std::vector<Hunt> can;
    for (std::size_t i = 0; i < faults::vfs_point_count; ++i) {
      const auto point = static_cast<faults::Point>(faults::vfs_open + i);
      for (std::size_t k = 0; k < faults::kind_words.size(); ++k) {
        if (faults::allows(point, static_cast<Kind>(k)))
          can.push_back({point, static_cast<Kind>(k)});
      }
    }
    const Hunt& drawn = can[dice_.below(can.size())];
    fault.plan.point = drawn.point;
    fault.plan.kind = drawn.kind;
  }
  place_on_disk(fault);
}

// Whether the hunted fault can strike here. A listener may be told of any call; others act inside a
// call no deeper than where chance lets them.
bool StepDrawer::is_hunted(const model::Action& action, std::int64_t depth) const {
  if (!options_.hunt) return false;
  const auto [point, kind] = *options_.hunt;
  if (kind == Kind::interleave && depth >= 2) return false;
  if (std::holds_alternative<model::Call>(action)) return faults::is_at_service(point);
  if (faults::needs_disk(point, kind) && depth > 0) return false;
  if (faults::is_at_disk(point)) {
    // A call opens no file, and deletes and cuts none; closing and opening the engine does.
    const bool reopens = std::holds_alternative<model::Restart>(action);
    const auto operation = faults::operation_of(point);
    using faults::Operation;
    const bool only_there = operation == Operation::open || operation == Operation::truncate ||
                            operation == Operation::delete_ || operation == Operation::lock;
    return reopens || (!only_there && fault_call(action).has_value());
  }
  const std::optional<faults::Call> call = fault_call(action);
  return call && (point == faults::observer_notify || faults::call_of(point) == call);
}

void StepDrawer::disturb(Step& step, std::int64_t depth) {
  const bool calls = std::holds_alternative<model::Call>(step.action);
  const bool reopens =
      options_.disk && depth == 0 && std::holds_alternative<model::Restart>(step.action);
  if (reopens && options_.faults) {
    if (is_hunted(step.action, depth)) {
      StepFault& fault = step.fault.emplace();
      fault.plan.point = options_.hunt->point;
      fault.plan.kind = options_.hunt->kind;
      place_on_disk(fault);
    } else if (options_.others && dice_.chance(40)) {
      draw_disk_fault(step);
    }
  }
  if (is_harness(step.action) && !calls) return;
  const std::int64_t now_us = walk_.time_us();
  if (dice_.chance(temper_.skew_percent)) {
    step.skew_us = dice_.chance(50)
                       ? until_boundary(true)
                       : dice_.of<std::int64_t>({-1, 1, config_.lease_us / 2, -config_.lease_us / 2,
                                                 config_.lease_us});
    step.skew_us = std::max(step.skew_us, -now_us);
  }
  if (!calls && !is_read(step.action) && dice_.chance(temper_.wait_percent)) {
    step.lock_wait_us = std::max<std::int64_t>(1, until_boundary(false));
  }
  if (!options_.faults) return;
  if (is_hunted(step.action, depth) && dice_.chance(80)) {
    StepFault& fault = step.fault.emplace();
    fault.plan.point = options_.hunt->point;
    fault.plan.kind = options_.hunt->kind;
    place_on_disk(fault);
  } else if (dice_.chance(temper_.fault_percent)) {
    if (calls) {
      draw_call_fault(step, depth);
    } else if (options_.disk && depth == 0 && dice_.chance(40)) {
      draw_disk_fault(step);
    } else {
      draw_fault(step, depth);
    }
  }
  if (step.fault && options_.can_be_hit &&
      !options_.can_be_hit(step.fault->plan.point, step.fault->plan.kind)) {
    step.fault.reset();
  }
  if (step.fault && step.fault->plan.kind == Kind::busy) {
    step.fault->plan.times = dice_.between(1, config_.busy_tries + 1);
  }
}

// A cancellation that gets the lock before a dispatch of the same workflow does.
Step StepDrawer::canceled_meanwhile(const std::string& op_id) {
  const model::Op* op = model::find_op(walk_.state(), op_id);
  Step step;
  step.action = model::Cancel{op == nullptr ? any_workflow() : op->view.workflow};
  walk_.play(step);
  return step;
}

// What the interleaved steps meet depends on where the call stands still: before its lock they go
// first, after its COMMIT they see its change, in between they see the state before it.
void StepDrawer::play(Step& step, std::int64_t depth) {
  if (!step.fault || step.fault->plan.kind != Kind::interleave) {
    walk_.play(step);
    return;
  }
  const std::optional<Place> place = faults::place_of(step.fault->plan.point);
  const bool acted =
      place == Place::committed || step.fault->plan.point == faults::effect_after_call;
  StepFault fault = std::move(*step.fault);
  step.fault.reset();
  if (acted) walk_.play(step);
  const bool locked = place == Place::write || place == Place::commit;
  const std::int64_t count = dice_.between(1, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    if (i == 0 && std::holds_alternative<model::Ensure>(step.action) && dice_.chance(60)) {
      Step twin;
      twin.action = step.action;
      if (!locked) walk_.play(twin);
      fault.steps.push_back(std::move(twin));
      continue;
    }
    if (i == 0 && place == Place::begin && dice_.chance(40) &&
        std::holds_alternative<model::Dispatch>(step.action)) {
      fault.steps.push_back(canceled_meanwhile(std::get<model::Dispatch>(step.action).by.op));
      continue;
    }
    if (locked) {
      locked_out([&] { fault.steps.push_back(next(depth + 1, true)); });
    } else {
      fault.steps.push_back(next(depth + 1, true));
    }
  }
  if (!acted) walk_.play(step);
  step.fault = std::move(fault);
}

Step StepDrawer::next(std::int64_t depth, bool rival) {
  Step step;
  step.action = action(deed(rival));
  const bool is_asked_for =
      !is_harness(step.action) || std::holds_alternative<model::Advance>(step.action);
  if (options_.speaks && is_asked_for && !options_.speaks(step.action)) {
    step.action = model::Advance{dice_.of<std::int64_t>({1, temper_.unit_us})};
  }
  disturb(step, depth);
  play(step, depth);
  if (const auto* put = std::get_if<model::ContextPut>(&step.action)) graphs_.put_scope(put->scope);
  return step;
}

namespace {
Config draw_config(Dice& dice) {
  Config config;
  config.lease_us = dice.of<std::int64_t>({30'000'000, 30'000'000, 1'000'000, 100});
  config.busy_tries = dice.of<std::int64_t>({3, 3, 3, 1, 2});
  const std::uint64_t queues = dice.below(3);
  for (std::uint64_t i = 0; i < queues; ++i) {
    model::Queue queue;
    if (i > 0 || dice.chance(40)) queue.queue = i == 0 ? "pages" : "paid";
    if (dice.chance(15)) queue.site = "other";
    queue.max_in_flight = dice.of<std::int64_t>({0, 1, 1, 2, 3});
    if (dice.chance(50)) {
      queue.burst = dice.of<std::int64_t>({1, 1, 2, 3});
      queue.rate_per_s = dice.of<std::int64_t>({1, 3, 7, 1000});
    }
    config.queues.push_back(std::move(queue));
  }
  return config;
}
}  // namespace

Temper draw_temper(Dice& dice, const Config& config, const DrawOptions& options) {
  Temper temper;
  temper.on.fill(true);
  if (dice.chance(60)) {
    for (std::size_t i = 0; i < plain_deed_count; ++i) {
      const auto deed = static_cast<Deed>(i);
      if (deed == Deed::create || deed == Deed::refresh || deed == Deed::lease) continue;
      temper.on[i] = !dice.chance(25);
    }
  }
  if (options.hunt && faults::is_at_disk(options.hunt->point)) {
    temper.on[static_cast<std::size_t>(Deed::restart)] = true;
  }
  const int workers = std::clamp(options.workers, 2, 4);
  for (int i = 0; i < workers; ++i) temper.workers.emplace_back(1, static_cast<char>('A' + i));
  if (dice.chance(35)) temper.shared_owner = "host";
  temper.unit_us = std::max<std::int64_t>(1, config.lease_us / 30);
  if (options.faults && options.others)
    temper.fault_percent = dice.of<std::uint64_t>({0, 5, 15, 30});
  temper.skew_percent = dice.of<std::uint64_t>({0, 0, 5, 20});
  temper.wait_percent = dice.of<std::uint64_t>({0, 0, 5, 15});
  temper.back_percent = dice.of<std::uint64_t>({0, 0, 10, 30});
  temper.length = static_cast<std::size_t>(dice.between(10, 60));
  // Last, and only for an engine that dispatches: for any other the cases stay what they are.
  const bool dispatches = !options.speaks || options.speaks(model::Dispatch{});
  // A hunted call has to come about at all.
  const faults::Point first_outside =
      faults::point_of(faults::Call::context_put, faults::Place::begin);
  const bool needs_outside = options.hunt && options.hunt->point >= first_outside &&
                             options.hunt->point < faults::observer_notify;
  if (!dispatches || (dice.chance(35) && !needs_outside)) return temper;
  temper.outside = true;
  temper.length += 20;
  if (dice.chance(50)) {
    temper.skew_percent = 0;
    temper.back_percent = 0;
  }
  temper.steady = temper.skew_percent == 0 && temper.back_percent == 0;
  for (std::size_t i = plain_deed_count; i < deed_count; ++i) temper.on[i] = !dice.chance(6);
  return temper;
}

Case draw_case(std::uint64_t seed, const DrawOptions& options) {
  Dice dice{rc::Random(seed)};
  Case drawn;
  drawn.config = draw_config(dice);
  if (options.speaks && !options.speaks(model::Queue{})) drawn.config.queues.clear();
  const Temper temper = draw_temper(dice, drawn.config, options);
  if (temper.outside) {
    drawn.config.clock_slack_us = dice.of<std::int64_t>({0, 0, 0, temper.unit_us});
  }
  StepDrawer drawer(dice, drawn.config, temper, options);
  drawn.steps.reserve(temper.length);
  while (drawn.steps.size() < temper.length) drawn.steps.push_back(drawer.next());
  return drawn;
}

}  // namespace leaseproof::properties
