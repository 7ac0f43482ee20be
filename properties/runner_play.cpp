#include <fmt/format.h>

#include <utility>
#include <variant>

#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

using model::Outcome;
using model::Word;

namespace {
// Puts the common clock back on the caller who stands still, whatever ran meanwhile.
class CallerClock {
 public:
  CallerClock(SimClock& clock, std::int64_t skew_us) : clock_(clock), before_us_(clock.skew_us) {
    clock_.skew_us = skew_us;
  }
  ~CallerClock() { clock_.skew_us = before_us_; }
  CallerClock(const CallerClock&) = delete;
  CallerClock& operator=(const CallerClock&) = delete;

 private:
  SimClock& clock_;
  std::int64_t before_us_;
};
}  // namespace

std::size_t Runner::Impl::answer(const Step& step, std::int64_t depth, Outcome outcome) {
  CallFact& fact = calls_.emplace_back();
  fact.step = &step;
  fact.depth = depth;
  fact.given.now_us = clock_.time_us;
  fact.outcome = std::move(outcome);
  if (step.fault) ++tally_.not_fired;
  count_cell(fact, stood(step.action));
  check_expectation(fact);
  show(fact);
  return calls_.size() - 1;
}

Stood Runner::Impl::stood(const model::Action& action) const {
  const std::string* named = op_of(action);
  if (named == nullptr) return op_unnamed;
  const model::Op* op = model::find_op(state_, *named);
  return op == nullptr ? op_absent : static_cast<Stood>(op->view.status);
}

void Runner::Impl::count_cell(const CallFact& fact, Stood stood) {
  const bool struck = fact.fired > 0 && fact.step->fault;
  cells_.count({stood, action_kind(fact.action()), fact.word(),
                struck ? fault_kind(fact.step->fault->plan) : std::uint8_t{0}},
               index_);
}

// What the harness plays itself leaves the model alone.
void Runner::Impl::show(const CallFact& fact) const {
  if (!options_.on_call) return;
  options_.on_call({fact, clock_.time_us, state_, state_, outside_, nullptr});
}

void Runner::Impl::show(const CallFact& fact, const Call& call) const {
  if (!options_.on_call) return;
  const model::State& before = call.before ? *call.before : state_;
  const bool stands = call.after && fact.ended != Ended::undone;
  options_.on_call({fact, saturating_add(call.base_us, call.step.lock_wait_us), before,
                    stands ? *call.after : before, outside_,
                    call.expected ? &*call.expected : nullptr});
}

std::size_t Runner::Impl::play(const Step& step, bool locked_out, std::int64_t depth) {
  ++tally_.steps;
  if (!takes_part(sut_, step.action)) {
    return answer(step, depth, Outcome::invalid("this engine takes no part in such a call"));
  }
  if (std::holds_alternative<model::Call>(step.action)) return play_call(step, locked_out, depth);
  if (is_harness(step.action)) return play_harness(step, depth);
  return play_engine(step, locked_out, depth);
}

std::size_t Runner::Impl::play_harness(const Step& step, std::int64_t depth) {
  if (const auto* advance = std::get_if<model::Advance>(&step.action)) {
    std::int64_t moved = 0;
    if (__builtin_add_overflow(clock_.time_us, advance->by_us, &moved)) {
      return answer(step, depth, Outcome::invalid("by_us moves the clock out of 64 bits"));
    }
    clock_.time_us = moved;
    outside_.see_clock(clock_.time_us, 0);
  } else if (const auto* deliver = std::get_if<model::Deliver>(&step.action)) {
    return answer(step, depth, outside_.deliver(deliver->op, clock_.time_us));
  } else if (const auto* forget = std::get_if<model::Forget>(&step.action)) {
    handles_.forget(forget->worker);
    outside_.forget(forget->worker);
  } else {
    if (depth > 0) {
      return answer(
          step, depth,
          Outcome::invalid("restart cannot be interleaved into a call of the same engine"));
    }
    return play_restart(step);
  }
  return answer(step, depth, Word::ok);
}

namespace {
Outcome without_handle(const model::WorkerHandle& by) {
  return Outcome::invalid(fmt::format("{} has no handle {} for {}", by.worker, by.handle, by.op));
}
}  // namespace

// The fault of a worker's call, where it strikes at this point: the harness owns the outside
// service and what workers hold for it, so no engine has these points. A call comes by each once.
bool Runner::Impl::strikes(const Step& step, faults::Point point, bool locked_out,
                           std::int64_t depth) {
  if (!step.fault || step.fault->plan.point != point || step.fault->plan.hit != 1) return false;
  const faults::Kind kind = step.fault->plan.kind;
  if (kind == faults::Kind::interleave) {
    const CallerClock common(clock_, 0);
    for (const Step& inner : step.fault->steps) play(inner, locked_out, depth + 1);
  }
  ++tally_.fired[point][static_cast<std::size_t>(kind)];
  return true;
}

// Talks to the service only: no lock, no transaction, so no lock wait either.
std::size_t Runner::Impl::play_call(const Step& step, bool locked_out, std::int64_t depth) {
  const auto& call = std::get<model::Call>(step.action);
  const Handle* handle = handles_.find(call.by);
  if (handle == nullptr) return answer(step, depth, without_handle(call.by));
  const std::int64_t generation = handle->generation;
  const Stood stood_before = stood(step.action);
  Outcome outcome;
  if (!outside_.can_send(call, generation)) {
    // Nothing to call with, so the call never comes by a point.
    return answer(step, depth, outside_.call(call, generation, 0, 0));
  }
  const bool dies = step.fault && step.fault->plan.kind == faults::Kind::crash;
  bool fired = strikes(step, faults::effect_before_call, locked_out, depth);
  outside_.see_clock(clock_.time_us, step.skew_us);
  const std::int64_t worker_us = saturating_add(clock_.time_us, step.skew_us);
  if (!fired || !dies) {
    outcome = outside_.call(call, generation, worker_us, clock_.time_us);
    fired = strikes(step, faults::effect_after_call, locked_out, depth) || fired;
  }
  if (fired && dies) outcome = Word::crashed;

  const std::size_t at = calls_.size();
  CallFact& fact = calls_.emplace_back();
  fact.step = &step;
  fact.depth = depth;
  fact.given.now_us = worker_us;
  fact.given.lease_generation = generation;
  fact.outcome = std::move(outcome);
  fact.fired = fired ? 1 : 0;
  if (step.fault && !fired) ++tally_.not_fired;
  hear(fact);
  count_cell(fact, stood_before);
  check_expectation(fact);
  show(fact);
  return at;
}

// What the op's effect is to be: known from the call that made it, also within the same step.
const model::EffectSpec* Runner::Impl::effect_of(const model::Action& action) const {
  const std::string* id = op_of(action);
  if (id == nullptr) return nullptr;
  const OpFacts* facts = history_.op(*id);
  if (facts != nullptr) return facts->spec.effect ? &*facts->spec.effect : nullptr;
  const model::Op* op = model::find_op(state_, *id);
  return op != nullptr && op->spec->effect ? &*op->spec->effect : nullptr;
}

// What the caller holds or was told by the service, at the moment when it makes the call.
void Runner::Impl::equip(Call& call) {
  if (const auto* complete = std::get_if<model::Complete>(&call.step.action)) {
    call.given.receipt = outside_.receipt(complete->by.worker, complete->by.op);
  } else if (const auto* reconcile = std::get_if<model::Reconcile>(&call.step.action)) {
    call.given.found = outside_.find(reconcile->op, clock_.time_us);
  }
}

// What the caller learns, or what its process takes along when it dies.
void Runner::Impl::hear(const CallFact& fact) {
  if (fact.ended != Ended::undone) {
    outside_.hear(fact.action(), fact.given, fact.outcome, effect_of(fact.action()),
                  fact.ended == Ended::unheard);
  }
  if (fact.word() != Word::crashed) return;
  if (const std::string* worker = worker_of(fact.action())) {
    handles_.forget(*worker);
    outside_.forget(*worker);
  }
  restart_due_ = true;
}

void Runner::Impl::set_moment(Call& call) {
  call.given.now_us =
      saturating_add(saturating_add(call.base_us, call.step.lock_wait_us), call.step.skew_us);
}

std::size_t Runner::Impl::list(Call& call, std::int64_t depth) {
  if (call.listed) return call.fact;
  call.listed = true;
  call.fact = calls_.size();
  CallFact& fact = calls_.emplace_back();
  fact.step = &call.step;
  fact.depth = depth;
  fact.to_engine = true;
  return call.fact;
}

void Runner::Impl::expect_model(Call& call) {
  if (call.expected) return;
  if (options_.on_call) call.before = state_;
  call.stood = stood(call.step.action);
  ask_model(call);
  if (options_.on_call) call.after = state_;
}

void Runner::Impl::ask_model(Call& call) {
  const auto* reads = std::get_if<model::SnapshotsSince>(&call.step.action);
  if (reads == nullptr) {
    call.expected = model::apply(state_, call.step.action, call.given);
    return;
  }
  // Engine and model may count events differently, so each reader has a place in either.
  const std::int64_t engine_cursor = std::exchange(call.given.cursor, call.cursor_model);
  call.expected = model::apply(state_, call.step.action, call.given);
  call.given.cursor = engine_cursor;
  if (const auto* page = std::get_if<model::Page>(&call.expected->detail)) {
    cursors_[reads->reader].model = model::page_cursor(state_, *page, call.cursor_model);
  }
}

void Runner::Impl::interleave(Call& call, std::int64_t depth) {
  const faults::Plan& plan = call.step.fault->plan;
  const CallerClock common(clock_, 0);
  bool locked_out = call.locked_out;
  if (faults::place_of(plan.point) != faults::Place::begin) {
    call.entered_late = true;
    clock_.time_us = saturating_add(call.base_us, call.step.lock_wait_us);
    if (at_committed(*call.step.fault)) {
      expect_model(call);
      list(call, depth);
    } else {
      locked_out = true;
    }
  }
  for (const Step& inner : call.step.fault->steps) play(inner, locked_out, depth + 1);
  if (call.entered_late) return;
  call.base_us = clock_.time_us;
  set_moment(call);
}

std::size_t Runner::Impl::play_engine(const Step& step, bool locked_out, std::int64_t depth) {
  Call call(step);
  call.locked_out = locked_out;
  call.base_us = clock_.time_us;
  set_moment(call);

  CallFrame frame;
  const Handle* handle = nullptr;
  std::string proof;
  if (const model::WorkerHandle* by = handle_of(step.action)) {
    handle = handles_.find(*by);
    if (handle == nullptr) return answer(step, depth, without_handle(*by));
    call.given.lease_generation = handle->generation;
    // A copy: interleaved steps may take the handle away.
    proof = handle->text;
    frame.handle = proof;
  } else if (const auto* reads = std::get_if<model::SnapshotsSince>(&step.action)) {
    const Cursors& cursors = cursors_[reads->reader];
    call.given.cursor = cursors.engine;
    call.cursor_model = cursors.model;
  } else if (const auto* start = std::get_if<model::Start>(&step.action);
             start != nullptr && !start->workflow) {
    call.given.fresh_id = fmt::format("fresh-{}", ++fresh_ids_);
  }

  equip(call);
  outside_.see_clock(clock_.time_us, step.skew_us);
  frame.action = &step.action;
  frame.lock_wait_us = step.lock_wait_us;
  frame.given = &call.given;
  if (step.fault) frame.fault = &*step.fault;
  if (step.fault && step.fault->plan.kind == faults::Kind::interleave) {
    frame.interleave = [this, &call, depth] { interleave(call, depth); };
  }

  Reply reply;
  {
    const CallerClock caller(clock_, step.skew_us);
    reply = sut_.apply(frame);
  }
  if (!call.entered_late) {
    clock_.time_us = saturating_add(call.base_us, step.lock_wait_us);
  }
  list(call, depth);
  conclude(call, reply);

  // By index, because interleaved steps were listed meanwhile.
  CallFact& fact = calls_[call.fact];
  fact.given = call.given;
  hear(fact);
  if (const auto* leased = std::get_if<model::Leased>(&fact.outcome.detail)) {
    handles_.add(std::get<model::Lease>(step.action).worker, leased->op,
                 {leased->generation, std::move(reply.handle)});
  } else if (const auto* reads = std::get_if<model::SnapshotsSince>(&step.action);
             reads != nullptr && fact.word() == Word::ok) {
    cursors_[reads->reader].engine = reply.cursor;
  } else if (auto* seen = std::get_if<model::Observation>(&fact.outcome.detail)) {
    seen->writes = outside_.writes_by_key();
  }
  count_cell(fact, call.stood ? *call.stood : stood(step.action));
  check_expectation(fact);
  show(fact, call);
  return call.fact;
}

}  // namespace leaseproof::properties
