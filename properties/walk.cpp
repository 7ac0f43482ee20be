#include "properties/walk.hpp"

#include <optional>
#include <variant>

#include "properties/history.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::Outcome;
using model::Word;

namespace {
bool ends_without_trace(const faults::Plan& plan, std::int64_t busy_tries) {
  switch (plan.kind) {
    case faults::Kind::crash:
    case faults::Kind::power_loss:
    case faults::Kind::io_error:
    case faults::Kind::disk_full:
      return true;
    case faults::Kind::busy:
      return plan.times >= busy_tries;
    case faults::Kind::throw_:
    case faults::Kind::interleave:
      return false;
  }
  return false;
}
}  // namespace

Walk::Walk(const Config& config) : busy_tries_(config.busy_tries) {
  state_.settings.clock_slack_us = config.clock_slack_us;
  for (const model::Queue& queue : config.queues) {
    Step step;
    step.action = queue;
    play(step);
  }
}

Outcome Walk::play(const Step& step) {
  if (const auto* move = std::get_if<model::Advance>(&step.action)) {
    time_us_ = saturating_add(time_us_, move->by_us);
    return Word::ok;
  }
  if (const auto* forget = std::get_if<model::Forget>(&step.action)) {
    handles_.forget(forget->worker);
    return Word::ok;
  }
  if (is_harness(step.action)) return Word::ok;

  model::Given given;
  time_us_ = saturating_add(time_us_, step.lock_wait_us);
  given.now_us = saturating_add(time_us_, step.skew_us);
  if (const model::WorkerHandle* by = handle_of(step.action)) {
    const Handle* handle = handles_.find(*by);
    if (handle == nullptr) return Word::invalid;
    given.lease_generation = handle->generation;
  }
  const auto* reads = std::get_if<model::SnapshotsSince>(&step.action);
  if (reads != nullptr) given.cursor = cursors_[reads->reader];

  const bool harmless = !step.fault || step.fault->plan.point == faults::observer_notify;
  const auto place = harmless
                         ? faults::Place::begin
                         : static_cast<faults::Place>(step.fault->plan.point % faults::place_count);
  const bool crash = !harmless && step.fault->plan.kind == faults::Kind::crash;
  if (!harmless && place != faults::Place::committed &&
      ends_without_trace(step.fault->plan, busy_tries_)) {
    bool reached = true;
    if (place == faults::Place::write) {
      model::State copy = state_;
      model::apply(copy, step.action, given);
      reached = !(copy == state_);
    }
    if (reached) {
      if (const std::string* worker = worker_of(step.action); crash && worker != nullptr) {
        handles_.forget(*worker);
      }
      return crash ? Word::crashed : Word::busy;
    }
  }
  Outcome outcome = model::apply(state_, step.action, given);
  if (crash && place == faults::Place::committed) {
    if (const std::string* worker = worker_of(step.action)) handles_.forget(*worker);
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
