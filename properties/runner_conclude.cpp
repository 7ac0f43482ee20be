// What must have happened to a call, by the rules of TRACE 3, given which fault fired.
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

using model::Outcome;
using model::Word;

void Runner::Impl::reopen() {
  Reopened reopened = sut_.reopen();
  damage_ = std::move(reopened.lost);
  if (damage_.empty() && sut_.has_disk()) damage_ = sut_.damage();
}

bool Runner::Impl::count_fault(const Step& step, std::int64_t fired) {
  if (!step.fault) return false;
  const faults::Plan& plan = step.fault->plan;
  std::int64_t& counted = tally_.fired[plan.point][static_cast<std::size_t>(plan.kind)];
  ++(fired > 0 ? counted : tally_.not_fired);
  return fired > 0;
}

std::size_t Runner::Impl::play_restart(const Step& step) {
  Reopened reopened = sut_.restart(step.fault ? &*step.fault : nullptr);
  damage_ = std::move(reopened.lost);
  CallFact& fact = calls_.emplace_back();
  fact.step = &step;
  fact.given.now_us = clock_.time_us;
  fact.outcome = std::move(reopened.outcome);
  fact.fired = reopened.fired;
  if (count_fault(step, fact.fired)) conclude_restart(fact);
  count_cell(fact, op_unnamed);
  check_expectation(fact);
  show(fact);
  return calls_.size() - 1;
}

void Runner::Impl::conclude_restart(const CallFact& fact) {
  const faults::Kind kind = fact.step->fault->plan.kind;
  if (faults::is_end(kind)) {
    if (damage_.empty()) damage_ = sut_.damage();
    if (damage_.empty() && kind == faults::Kind::power_loss) look_what_was_lost();
    return;
  }
  const bool busy = kind == faults::Kind::busy && fact.fired >= config_.busy_tries;
  const bool explained = fact.word() == Word::ok || (fact.word() == Word::busy && busy) ||
                         (fact.word() == Word::storage_error && faults::is_storage_error(kind));
  if (explained) return;
  differ(fact, Outcome(Word::ok),
         fmt::format("restart answered {} after {} times {}", model::word(fact.word()), fact.fired,
                     faults::word(kind)));
}

void Runner::Impl::conclude(Call& call, Reply& reply) {
  CallFact& fact = calls_[call.fact];
  fact.outcome = std::move(reply.outcome);
  fact.fired = reply.fired;
  if (!reply.breach.empty()) differ(fact, fact.outcome, std::move(reply.breach));
  fact.locked_out =
      call.locked_out && (!is_read(call.step.action) || !sut_.reads_under_write_lock());

  const StepFault* fault = call.step.fault ? &*call.step.fault : nullptr;
  const bool fired = count_fault(call.step, fact.fired);
  const bool stands = fired && at_committed(*fault);
  const bool at_disk = fired && faults::is_at_disk(fault->plan.point);

  if (fired && faults::is_end(fault->plan.kind)) {
    if (at_disk || (fault->plan.kind == faults::Kind::power_loss && may_fall_back())) {
      conclude_by_disk(call, fact);
    } else {
      if (stands) expect_model(call);
      fact.ended = stands ? Ended::unheard : Ended::undone;
    }
    call.expected = Outcome(Word::crashed);
  } else if (at_disk && faults::is_storage_error(fault->plan.kind) &&
             fact.word() == Word::commit_unknown) {
    conclude_by_disk(call, fact);
    call.expected = Outcome(Word::commit_unknown);
  } else if (fired && !stands && faults::is_storage_error(fault->plan.kind) &&
             fact.word() == Word::storage_error) {
    fact.ended = Ended::undone;
    call.expected = Outcome(Word::storage_error);
  } else if (fact.locked_out) {
    conclude_locked_out(call, fact);
    return;
  } else if (fired && !stands && fault->plan.kind == faults::Kind::busy &&
             fact.fired >= config_.busy_tries && (!at_disk || fact.word() == Word::busy)) {
    fact.ended = Ended::undone;
    call.expected = Outcome(Word::busy);
  } else {
    expect_model(call);
    if (auto* seen = std::get_if<model::Observation>(&fact.outcome.detail);
        seen != nullptr && sut_.unseen() != nullptr) {
      fill(*seen, *sut_.unseen(), state_);
    }
    if (reply.read_clock && reply.now_us != call.given.now_us) {
      differ(fact, *call.expected,
             fmt::format("{} was judged by {}, the moment under the write lock was {}",
                         model::do_word(call.step.action), reply.now_us, call.given.now_us));
    }
  }
  if (!(fact.outcome == *call.expected)) {
    differ(fact, *call.expected,
           fmt::format("{} answered {}, the model says {}", model::do_word(call.step.action),
                       model::word(fact.word()), model::word(call.expected->word)));
  }
}

// A fault at the disk strikes before or after the commit; which, only what is there can tell. Where
// neither is, the judgement finds the difference.
void Runner::Impl::conclude_by_disk(Call& call, CallFact& fact) {
  fact.ended = Ended::undone;
  if (fact.word() == Word::crashed) {
    reopen();
    reopened_ = true;
    if (!damage_.empty()) return;
  }
  // What is only read leaves nothing.
  if (is_read(call.step.action)) {
    if (fact.word() == Word::crashed) look_what_was_lost();
    return;
  }
  const model::Observation& found = sut_.observe_in_full();
  const bool may_be_undone = model::agrees(state_, found);
  const model::State before = state_;
  expect_model(call);
  const bool may_stand = model::agrees(state_, found);
  // Of what nobody observes only the journal tells.
  const bool stands = may_be_undone ? may_stand && found.last_seq != last_seq_ : may_stand;
  if (stands) {
    fact.ended = Ended::unheard;
    return;
  }
  // A commit that nobody could observe may have been lost before this call.
  const bool all_there = may_be_undone && found.last_seq >= last_seq_;
  if (!all_there && may_fall_back()) fall_back(found);
  if (!fell_back_) state_ = before;
}

// After a loss of power outside of any call that writes.
void Runner::Impl::look_what_was_lost() {
  if (!may_fall_back()) return;
  const model::Observation& found = sut_.observe_in_full();
  if (!model::agrees(state_, found) || found.last_seq < last_seq_) fall_back(found);
}

void Runner::Impl::fall_back(const model::Observation& found) {
  for (std::size_t i = past_.size(); i-- > 0 && !fell_back_;) {
    fell_back_ = model::agrees(past_[i], found);
  }
  if (!fell_back_) return;
  ++tally_.fell_back;
  seen_ = found;
}

// Another call holds the write lock, so nothing can change. A shape that is refused before the lock
// is asked for is told just the same.
void Runner::Impl::conclude_locked_out(Call& call, CallFact& fact) {
  fact.ended = Ended::undone;
  call.expected = Outcome(Word::busy);
  if (fact.word() == Word::busy) return;
  if (fact.word() == Word::invalid) {
    model::State copy = state_;
    if (model::apply(copy, call.step.action, call.given).word == Word::invalid) return;
  }
  differ(fact, *call.expected,
         fmt::format("{} answered {} while another call held the write lock",
                     model::do_word(call.step.action), model::word(fact.word())));
}

void Runner::Impl::differ(const CallFact& fact, const Outcome& expected, std::string why) {
  if (!difference_.empty() || !options_.compare_with_model) return;
  difference_ = std::move(why);
  differing_expected_ = expected;
  differing_observed_ = fact.outcome;
}

void Runner::Impl::check_expectation(const CallFact& fact) {
  if (!unexpected_.empty()) return;
  if (const auto* lease = std::get_if<model::Lease>(&fact.action());
      lease != nullptr && lease->expected_op) {
    const auto* leased = std::get_if<model::Leased>(&fact.outcome.detail);
    if (leased != nullptr && leased->op != *lease->expected_op) {
      unexpected_ = fmt::format("{} was expected to be leased next, it was {}", *lease->expected_op,
                                leased->op);
    } else if (fact.word() == Word::none) {
      unexpected_ =
          fmt::format("{} was expected to be leased next, nothing was", *lease->expected_op);
    }
  }
  if (unexpected_.empty() && options_.check_expectation && !fact.step->expect.empty()) {
    unexpected_ = options_.check_expectation(*fact.step, fact.outcome);
  }
  if (unexpected_.empty()) return;
  differing_observed_ = fact.outcome;
}

}  // namespace leaseproof::properties
