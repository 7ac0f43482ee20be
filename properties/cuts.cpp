#include "properties/cuts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::Advance;
using model::OpSpec;

namespace {
std::vector<OpSpec>* specs_of(model::Action& action) {
  if (auto* start = std::get_if<model::Start>(&action)) return &start->ops;
  if (auto* ensure = std::get_if<model::Ensure>(&action)) return &ensure->ops;
  if (auto* complete = std::get_if<model::Complete>(&action)) return &complete->emit;
  return nullptr;
}

const std::vector<OpSpec>* specs_of(const model::Action& action) {
  if (const auto* start = std::get_if<model::Start>(&action)) return &start->ops;
  if (const auto* ensure = std::get_if<model::Ensure>(&action)) return &ensure->ops;
  if (const auto* complete = std::get_if<model::Complete>(&action)) return &complete->emit;
  return nullptr;
}

std::size_t inner_count(const Step& step) { return step.fault ? step.fault->steps.size() : 0; }

// The fault of step `at` at the same place of the call before it, or nothing where that has none.
std::optional<StepFault> earlier_fault(const std::vector<Step>& steps, std::size_t at) {
  if (at == 0 || !steps[at].fault || steps[at - 1].fault) return std::nullopt;
  const std::optional<faults::Call> before = fault_call(steps[at - 1].action);
  const std::optional<faults::Place> place = faults::place_of(steps[at].fault->plan.point);
  if (!before || !place) return std::nullopt;
  StepFault moved = *steps[at].fault;
  moved.plan.point = faults::point_of(*before, *place);
  return moved;
}

bool drop_need(OpSpec& spec, const std::string& on) {
  return std::erase_if(spec.needs, [&](const model::Need& need) { return need.op == on; }) > 0;
}

// The same ids may stand in a repeated `ensure`, so they go everywhere at once.
bool drop_op(std::vector<Step>& steps, const std::string& id) {
  bool dropped = false;
  for (Step& step : steps) {
    if (std::vector<OpSpec>* specs = specs_of(step.action)) {
      const auto count = std::erase_if(*specs, [&](const OpSpec& spec) { return spec.id == id; });
      dropped = dropped || count > 0;
      for (OpSpec& spec : *specs) drop_need(spec, id);
    }
    if (step.fault) dropped = drop_op(step.fault->steps, id) || dropped;
  }
  return dropped;
}

bool names(const Step& step, const std::string& id) {
  const std::string* op = op_of(step.action);
  return op != nullptr && *op == id;
}

void drop_steps_of(std::vector<Step>& steps, const std::string& id) {
  std::erase_if(steps, [&](const Step& step) { return names(step, id); });
  for (Step& step : steps) {
    if (step.fault) drop_steps_of(step.fault->steps, id);
  }
}

template <class Change>
void each_spec(std::vector<Step>& steps, const std::string& id, const Change& change) {
  for (Step& step : steps) {
    if (std::vector<OpSpec>* specs = specs_of(step.action)) {
      for (OpSpec& spec : *specs) {
        if (spec.id == id) change(spec);
      }
    }
    if (step.fault) each_spec(step.fault->steps, id, change);
  }
}

// Without what neither its contract nor its approval needs.
model::EffectSpec bare(model::EffectSpec effect) {
  effect.retention_us = 0;
  effect.target.clear();
  return effect;
}

bool bare(model::Action& action, const Config& config) {
  const model::Action before = action;
  if (auto* lease = std::get_if<model::Lease>(&action)) {
    lease->queue.reset();
    lease->site.reset();
    lease->lease_us = config.lease_us;
  } else if (auto* beat = std::get_if<model::Heartbeat>(&action)) {
    beat->lease_us = config.lease_us;
  } else if (auto* complete = std::get_if<model::Complete>(&action)) {
    complete->result = "null";
    complete->completed_at_us.reset();
    complete->artifacts.clear();
    complete->emit.clear();
  } else if (auto* fail = std::get_if<model::Fail>(&action)) {
    fail->error.reset();
  } else if (auto* retry = std::get_if<model::Retry>(&action)) {
    retry->deadline_us.reset();
  } else if (auto* request = std::get_if<model::RequestApproval>(&action)) {
    request->ttl_us = model::default_approval_ttl_us;
  } else if (auto* decide = std::get_if<model::Decide>(&action)) {
    decide->hash.reset();
  } else if (auto* call = std::get_if<model::Call>(&action)) {
    call->payload.reset();
  } else if (auto* put = std::get_if<model::ContextPut>(&action)) {
    put->payload = "null";
  } else if (auto* page = std::get_if<model::SnapshotsSince>(&action)) {
    page->reader = "r1";
  }
  return !(action == before);
}

// Halves first, then rounder numbers: a reader grasps 30 s sooner than 29.999871 s.
bool shorten(Advance& advance, std::size_t size) {
  std::int64_t shorter = advance.by_us / 2;
  if (size == 1) {
    std::int64_t unit = 10;
    while (unit < 1'000'000'000 && advance.by_us % (unit * 10) == 0) unit *= 10;
    shorter = advance.by_us - advance.by_us % unit;
  }
  if (shorter == advance.by_us) return false;
  advance.by_us = shorter;
  return true;
}
}  // namespace

std::vector<Cut> cuts_of(const Case& whole) {
  std::vector<Cut> cuts;
  const std::vector<Step>& steps = whole.steps;
  for (std::size_t size = steps.size(); size > 0; size /= 2) {
    // From the end: what comes after the violation is the easiest to lose.
    for (std::size_t end = steps.size(); end > 0; end = end > size ? end - size : 0) {
      cuts.push_back({CutKind::steps, end > size ? end - size : 0, std::min(size, end)});
    }
  }
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (!steps[at].fault) continue;
    cuts.push_back({CutKind::fault, at, 0});
    if (earlier_fault(steps, at)) cuts.push_back({CutKind::earlier, at, 0});
    if (inner_count(steps[at]) > 0) cuts.push_back({CutKind::unnest, at, 0});
    for (std::size_t i = 0; i < inner_count(steps[at]); ++i) {
      cuts.push_back({CutKind::inner, at, i});
      cuts.push_back({CutKind::inner_fault, at, i});
    }
  }
  for (std::size_t at = 0; at < whole.config.queues.size(); ++at) {
    cuts.push_back({CutKind::queue, at, 0});
  }
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::vector<OpSpec>* specs = specs_of(steps[at].action);
    if (specs == nullptr) continue;
    for (std::size_t i = 0; i < specs->size(); ++i) {
      cuts.push_back({CutKind::op, at, i});
      cuts.push_back({CutKind::needs, at, i});
      cuts.push_back({CutKind::spec, at, i});
      if ((*specs)[i].context) cuts.push_back({CutKind::context, at, i});
      if (!(*specs)[i].effect) continue;
      cuts.push_back({CutKind::spec, at, i, 2});
      cuts.push_back({CutKind::spec, at, i, 1});
    }
  }
  // Two things that only go together: an op and the lease that takes it out of the way of another;
  // an attempt and the steps that use it up.
  for (const Step& step : steps) {
    const std::vector<OpSpec>* specs = specs_of(step.action);
    if (specs == nullptr) continue;
    for (const OpSpec& spec : *specs) {
      for (std::size_t at = 0; at < steps.size(); ++at) {
        if (std::holds_alternative<model::Lease>(steps[at].action)) {
          cuts.push_back({CutKind::op_and_lease, at, 0, 0, spec.id});
        }
        for (std::int64_t less = spec.max_attempts - 1; less > 0 && less < 4; --less) {
          const auto count = static_cast<std::size_t>(less);
          if (at + 3 * count > steps.size()) continue;
          cuts.push_back({CutKind::attempts, at, 3 * count, count, spec.id});
        }
      }
    }
  }
  for (std::size_t at = 0; at < steps.size(); ++at) {
    cuts.push_back({CutKind::body, at, 0});
    if (steps[at].skew_us != 0) cuts.push_back({CutKind::skew, at, 0});
    if (steps[at].lock_wait_us != 0) {
      cuts.push_back({CutKind::lock_wait, at, 0});
      if (!std::holds_alternative<Advance>(steps[at].action)) {
        cuts.push_back({CutKind::waited, at, 0});
      }
    }
    if (!std::holds_alternative<Advance>(steps[at].action)) continue;
    if (at + 1 < steps.size() && std::holds_alternative<Advance>(steps[at + 1].action)) {
      cuts.push_back({CutKind::merge, at, 0});
    }
    cuts.push_back({CutKind::shorter, at, 1});
    cuts.push_back({CutKind::shorter, at, 2});
  }
  cuts.push_back({CutKind::config, 0, 0});
  return cuts;
}

std::optional<Case> apply_cut(const Case& whole, const Cut& cut) {
  Case cutted = whole;
  std::vector<Step>& steps = cutted.steps;
  const auto at = static_cast<std::ptrdiff_t>(cut.at);
  const auto size = static_cast<std::ptrdiff_t>(cut.size);
  Step nothing;
  Step& step = cut.at < steps.size() ? steps[cut.at] : nothing;
  bool smaller = true;
  switch (cut.kind) {
    case CutKind::steps:
      steps.erase(steps.begin() + at, steps.begin() + at + size);
      break;
    case CutKind::fault:
      step.fault.reset();
      break;
    case CutKind::earlier:
      steps[cut.at - 1].fault = earlier_fault(steps, cut.at);
      steps.erase(steps.begin() + at);
      break;
    case CutKind::unnest: {
      std::vector<Step> inner = std::move(step.fault->steps);
      step.fault.reset();
      steps.insert(steps.begin() + at, std::make_move_iterator(inner.begin()),
                   std::make_move_iterator(inner.end()));
      break;
    }
    case CutKind::inner:
      step.fault->steps.erase(step.fault->steps.begin() + size);
      break;
    case CutKind::inner_fault: {
      Step& inner = step.fault->steps[cut.size];
      smaller = inner.fault.has_value() || inner.skew_us != 0 || inner.lock_wait_us != 0;
      inner.fault.reset();
      inner.skew_us = 0;
      inner.lock_wait_us = 0;
      break;
    }
    case CutKind::skew:
      step.skew_us = 0;
      break;
    case CutKind::waited: {
      const std::int64_t waited_us = step.lock_wait_us;
      step = Step{};
      step.action = Advance{waited_us};
      break;
    }
    case CutKind::lock_wait:
      step.lock_wait_us = 0;
      break;
    case CutKind::merge: {
      std::int64_t sum = 0;
      auto& first = std::get<Advance>(step.action);
      smaller = !__builtin_add_overflow(first.by_us,
                                        std::get<Advance>(steps[cut.at + 1].action).by_us, &sum);
      first.by_us = sum;
      steps.erase(steps.begin() + at + 1);
      break;
    }
    case CutKind::shorter:
      smaller = shorten(std::get<Advance>(step.action), cut.size);
      break;
    case CutKind::op:
      smaller = drop_op(steps, std::string((*specs_of(step.action))[cut.size].id));
      break;
    case CutKind::needs: {
      const std::string id = (*specs_of(step.action))[cut.size].id;
      smaller = !(*specs_of(step.action))[cut.size].needs.empty();
      each_spec(steps, id, [](OpSpec& spec) { spec.needs.clear(); });
      break;
    }
    case CutKind::spec: {
      const OpSpec& spec = (*specs_of(step.action))[cut.size];
      OpSpec plain;
      plain.id = spec.id;
      plain.needs = spec.needs;
      if (cut.other == 1) plain.effect = spec.effect;
      if (cut.other == 2) plain.effect = bare(*spec.effect);
      // A smaller budget makes a shorter story.
      plain.max_attempts =
          std::min(plain.max_attempts, std::max<std::int64_t>(1, spec.max_attempts));
      smaller = !(plain == spec);
      each_spec(steps, plain.id, [&](OpSpec& other) {
        const auto needs = std::move(other.needs);
        other = plain;
        other.needs = needs;
      });
      break;
    }
    case CutKind::context: {
      const std::string id = (*specs_of(step.action))[cut.size].id;
      each_spec(steps, id, [](OpSpec& spec) { spec.context.reset(); });
      break;
    }
    case CutKind::op_and_lease:
      steps.erase(steps.begin() + at);
      smaller = drop_op(steps, cut.op);
      drop_steps_of(steps, cut.op);
      break;
    case CutKind::attempts:
      steps.erase(steps.begin() + at, steps.begin() + at + size);
      each_spec(steps, cut.op,
                [&](OpSpec& spec) { spec.max_attempts -= static_cast<std::int64_t>(cut.other); });
      break;
    case CutKind::body:
      smaller = bare(step.action, cutted.config);
      break;
    case CutKind::queue:
      cutted.config.queues.erase(cutted.config.queues.begin() + at);
      break;
    case CutKind::config: {
      const Config plain;
      smaller = cutted.config.busy_tries != plain.busy_tries ||
                cutted.config.clock_slack_us != plain.clock_slack_us;
      cutted.config.busy_tries = plain.busy_tries;
      cutted.config.clock_slack_us = plain.clock_slack_us;
      break;
    }
  }
  if (!smaller) return std::nullopt;
  return cutted;
}

}  // namespace leaseproof::properties
