#include "properties/walk.hpp"

#include <optional>
#include <variant>

#include "properties/judgement.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::Outcome;
using model::Word;

namespace {
bool ends_without_trace(const faults::Plan& plan, std::int64_t busy_tries) {
  if (plan.kind == faults::Kind::busy) return plan.times >= busy_tries;
  return faults::is_end(plan.kind) || faults::is_storage_error(plan.kind);
}
}  // namespace

Walk::Walk(const Config& config) : busy_tries_(config.busy_tries) {
  state_.settings.clock_slack_us = config.clock_slack_us;
  outside_.clear(config.clock_slack_us);
  for (const model::Queue& queue : config.queues) {
    Step step;
    step.action = queue;
    play(step);
  }
}

Outcome Walk::play_harness(const Step& step) {
  if (const auto* move = std::get_if<model::Advance>(&step.action)) {
    time_us_ = saturating_add(time_us_, move->by_us);
    outside_.see_clock(time_us_, 0);
    return Word::ok;
  }
  if (const auto* call = std::get_if<model::Call>(&step.action)) {
    const Handle* handle = handles_.find(call->by);
    if (handle == nullptr) return Word::invalid;
    outside_.see_clock(time_us_, step.skew_us);
    const bool dies = step.fault && step.fault->plan.kind == faults::Kind::crash &&
                      outside_.can_send(*call, handle->generation);
    if (dies && step.fault->plan.point == faults::effect_before_call) {
      bury(step);
      return Word::crashed;
    }
    Outcome outcome =
        outside_.call(*call, handle->generation, saturating_add(time_us_, step.skew_us), time_us_);
    if (dies) {
      bury(step);
      return Word::crashed;
    }
    outside_.hear(step.action, {}, outcome, nullptr, false);
    return outcome;
  }
  if (const auto* deliver = std::get_if<model::Deliver>(&step.action)) {
    return outside_.deliver(deliver->op, time_us_);
  }
  if (const auto* forget = std::get_if<model::Forget>(&step.action)) {
    handles_.forget(forget->worker);
    outside_.forget(forget->worker);
  }
  return Word::ok;
}

void Walk::bury(const Step& step) {
  const std::string* worker = worker_of(step.action);
  if (worker == nullptr) return;
  handles_.forget(*worker);
  outside_.forget(*worker);
}

Outcome Walk::play(const Step& step) {
  if (is_harness(step.action)) return play_harness(step);

  model::Given given;
  if (const auto* reconcile = std::get_if<model::Reconcile>(&step.action)) {
    given.found = outside_.find(reconcile->op, time_us_);
  } else if (const auto* complete = std::get_if<model::Complete>(&step.action)) {
    given.receipt = outside_.receipt(complete->by.worker, complete->by.op);
  }
  outside_.see_clock(time_us_, step.skew_us);
  time_us_ = saturating_add(time_us_, step.lock_wait_us);
  given.now_us = saturating_add(time_us_, step.skew_us);
  if (const model::WorkerHandle* by = handle_of(step.action)) {
    const Handle* handle = handles_.find(*by);
    if (handle == nullptr) return Word::invalid;
    given.lease_generation = handle->generation;
  }
  const auto* reads = std::get_if<model::SnapshotsSince>(&step.action);
  if (reads != nullptr) given.cursor = cursors_[reads->reader];

  const auto struck = step.fault ? faults::place_of(step.fault->plan.point) : std::nullopt;
  const bool harmless = !struck;
  const faults::Place place = struck.value_or(faults::Place::begin);
  const bool crash = !harmless && faults::is_end(step.fault->plan.kind);
  if (!harmless && place != faults::Place::committed &&
      ends_without_trace(step.fault->plan, busy_tries_)) {
    bool reached = true;
    if (place == faults::Place::write) {
      model::State copy = state_;
      model::apply(copy, step.action, given);
      reached = !(copy == state_);
    }
    if (reached) {
      if (crash) bury(step);
      return crash ? Word::crashed : Word::busy;
    }
  }
  Outcome outcome = model::apply(state_, step.action, given);
  const bool unheard = crash && place == faults::Place::committed;
  const std::string* named = op_of(step.action);
  const model::Op* op = named == nullptr ? nullptr : model::find_op(std::as_const(state_), *named);
  if (op != nullptr && op->spec->effect) {
    outside_.hear(step.action, given, outcome, &*op->spec->effect, unheard);
  }
  if (unheard) {
    bury(step);
    return Word::crashed;
  }
  if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
    handles_.add(std::get<model::Lease>(step.action).worker, leased->op, {leased->generation, {}});
  }
  if (const auto* page = std::get_if<model::Page>(&outcome.detail); page && reads != nullptr) {
    std::int64_t& cursor = cursors_[reads->reader];
    cursor = model::page_cursor(state_, *page, cursor);
  }
  return outcome;
}

}  // namespace leaseproof::properties
