#include "engine/leased_attempt.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/scheduler/supervisor.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

using model::FailKind;
using model::Outcome;
using model::Word;

namespace {

bool is_trouble(Word word) {
  return word == Word::busy || word == Word::storage_error || word == Word::commit_unknown;
}

// SEMANTICS 3, 5 and 6: the op left `running` in the transaction that answered this.
bool ends_the_op(Word word) {
  switch (word) {
    case Word::waiting:
    case Word::deadline_exceeded:
    case Word::context_invalid:
    case Word::deadline_or_attempt_budget:
    case Word::binding_mismatch:
    case Word::approval_expired_before_dispatch:
    case Word::resend_closed:
    case Word::payload_conflict:
      return true;
    default:
      return false;
  }
}

// A text that the engine cannot store must not keep a failure from being reported.
std::string storable(std::string error) {
  if (check_utf8("error", error)) return "the runner failed; its text is not valid UTF-8";
  return error;
}

// Never empty, or the failure would be told by its kind alone.
std::string text_of(const std::exception& exception) {
  const char* text = exception.what();
  if (text == nullptr || *text == '\0') return "the runner threw an exception without a text";
  return text;
}

}  // namespace

void Runners::put(std::string kind, Runner runner) {
  auto shared = runner ? std::make_shared<const Runner>(std::move(runner)) : nullptr;
  const std::lock_guard lock(mutex_);
  // What it replaces goes with `shared`, once the lock is free: it is the user's code that ends.
  by_kind_[std::move(kind)].swap(shared);
}

std::shared_ptr<const Runner> Runners::find(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_kind_.find(kind);
  return found == by_kind_.end() ? nullptr : found->second;
}

LeasedAttempt::LeasedAttempt(Engine& engine, Clock& clock, std::shared_ptr<const Runners> runners,
                             LeaseTerms terms, model::Leased leased, std::string token)
    : engine_(&engine),
      clock_(&clock),
      runners_(std::move(runners)),
      terms_(terms),
      op_(std::move(leased.op)),
      token_(std::move(token)),
      expires_us_(leased.expires_us) {}

void LeasedAttempt::run(Supervisor& supervisor) {
  supervisor_ = &supervisor;
  const Outcome read = engine_->work(op_, work_);
  if (read.word != Word::ok) {
    answer_ = Failed{FailKind::retryable, "the op could not be read: " + read.why};
    return;
  }
  answer_ = answer_of_runner();
}

Answer LeasedAttempt::answer_of_runner() {
  const auto runner = runners_->find(work_.kind);
  if (runner == nullptr) {
    return Failed{runners_->unknown_kind(),
                  "no runner is registered for kind \"" + work_.kind + "\""};
  }
  std::string thrown;
  try {
    return (*runner)(*this);
  } catch (const std::exception& exception) {
    thrown = text_of(exception);
  } catch (...) {
    thrown = "the runner threw something that is no std::exception";
  }
  return Failed{unless_dispatched(FailKind::retryable), std::move(thrown)};
}

FailKind LeasedAttempt::unless_dispatched(FailKind kind) const {
  return dispatched_ ? FailKind::unknown : kind;
}

void LeasedAttempt::request_stop() {
  stopping_ = true;
  stop_.request_stop();
}

void LeasedAttempt::close() {
  standing_ = Standing::closed;
  // Whoever calls after this finds it closed.
  const std::lock_guard lock(calling_);
}

// The standing changes first, so that a call that a stop callback makes finds the lease gone.
void LeasedAttempt::lose() {
  Standing held = Standing::held;
  if (!standing_.compare_exchange_strong(held, Standing::lost)) return;
  stop_.request_stop();
  engine_->tell_lost(op_);
}

Beat LeasedAttempt::extend() {
  model::Heartbeat action;
  action.by = by();
  action.lease_us = terms_.lease_us;
  const Outcome outcome = engine_->heartbeat(token_, action);
  if (const auto* extended = std::get_if<model::Extended>(&outcome.detail)) {
    expires_us_ = extended->expires_us;
    return Beat::extended;
  }
  if (is_trouble(outcome.word)) return Beat::unheard;
  lose();
  return Beat::over;
}

template <class Ask>
Outcome LeasedAttempt::under_lease(Ask ask) {
  if (standing_ != Standing::held) return Word::lease_lost;
  const std::lock_guard lock(calling_);
  if (standing_ != Standing::held) return Word::lease_lost;
  supervisor_->pause();
  Outcome outcome = Word::lease_lost;
  if (standing_ == Standing::held) {
    outcome = ask();
    judge(outcome);
  }
  // A lease that is gone has no beat to make.
  if (standing_ == Standing::held) supervisor_->resume();
  return outcome;
}

void LeasedAttempt::judge(const Outcome& outcome) {
  if (outcome.word == Word::lease_lost || outcome.word == Word::not_found) return lose();
  if (!ends_the_op(outcome.word)) return;
  ended_by_ = outcome;
  standing_ = Standing::ended;
  stop_.request_stop();
}

Outcome LeasedAttempt::checkpoint(std::string_view step, std::string_view payload) {
  return under_lease([&] {
    model::Checkpoint action;
    action.by = by();
    action.step = step;
    action.payload = payload;
    return engine_->checkpoint(token_, std::move(action));
  });
}

Dispatched LeasedAttempt::dispatch(std::string_view payload) {
  Dispatched dispatched;
  dispatched.outcome = under_lease([&] {
    model::Dispatch action;
    action.by = by();
    action.payload = payload;
    Dispatched answered = engine_->dispatch(token_, std::move(action));
    // An unknown commit may have made the marker durable.
    dispatched_ = dispatched_ || answered.permit || answered.outcome.word == Word::commit_unknown;
    dispatched.permit = std::move(answered.permit);
    return std::move(answered.outcome);
  });
  return dispatched;
}

Outcome LeasedAttempt::request_approval(std::string_view payload, std::int64_t ttl_us) {
  return under_lease([&] {
    model::RequestApproval action;
    action.by = by();
    action.payload = payload;
    action.ttl_us = ttl_us;
    return engine_->request_approval(token_, std::move(action));
  });
}

Ended LeasedAttempt::finish() {
  if (standing_ == Standing::ended) {
    return {ended_by_.word == Word::waiting ? End::waiting_approval : end_in_database(), ended_by_};
  }
  if (standing_ != Standing::held) return {End::lost, Word::lease_lost};
  if (auto* completed = std::get_if<Completed>(&answer_)) return complete(std::move(*completed));
  if (const auto* failed = std::get_if<Failed>(&answer_)) return fail(failed->kind, failed->error);
  return fail(unless_dispatched(FailKind::permanent),
              "the runner waits for an approval that it did not get requested");
}

template <class Ask>
Outcome LeasedAttempt::ask_until_heard(Ask ask) {
  // Each asking has waited for the lock by the engine's own policy before it answers `busy`.
  constexpr int most_tries = 10;
  constexpr std::int64_t first_us = 50'000;
  std::int64_t pause_us = first_us;
  for (int tried = 1;; ++tried) {
    Outcome outcome = ask();
    const std::int64_t left_us = expires_us_ - clock_->now_us();
    if (!is_trouble(outcome.word) || tried == most_tries || left_us <= 0 || stopping_) {
      return outcome;
    }
    clock_->wait_us(std::min(pause_us, left_us));
    pause_us *= 2;
  }
}

Ended LeasedAttempt::complete(Completed answer) {
  model::Complete action;
  action.by = by();
  action.result = std::move(answer.result);
  action.artifacts = std::move(answer.artifacts);
  action.emit = std::move(answer.emit);
  Outcome outcome = ask_until_heard(
      [&] { return engine_->complete(token_, action, answer.also, answer.receipt); });
  if (outcome.word == Word::invalid) {
    return fail(unless_dispatched(FailKind::permanent), "the result is refused: " + outcome.why);
  }
  if (outcome.word == Word::receipt_required) {
    return fail(unless_dispatched(FailKind::permanent),
                "the runner completed an op with an effect without a receipt");
  }
  return end_of(std::move(outcome));
}

Ended LeasedAttempt::fail(FailKind kind, const std::string& error) {
  model::Fail action;
  action.by = by();
  action.kind = kind;
  action.error = storable(error);
  return end_of(ask_until_heard([&] { return engine_->fail(token_, action); }));
}

Ended LeasedAttempt::end_of(Outcome outcome) {
  switch (outcome.word) {
    case Word::ok:
    case Word::already_completed:
      return {End::succeeded, std::move(outcome)};
    case Word::retry_scheduled:
      return {End::retried, std::move(outcome)};
    case Word::failed:
      return {End::failed, std::move(outcome)};
    case Word::reconciling:
      return {End::reconciling, std::move(outcome)};
    case Word::lease_lost:
    case Word::not_found:
      lose();
      return {End::lost, Word::lease_lost};
    default:
      break;
  }
  if (ends_the_op(outcome.word)) return {end_in_database(), std::move(outcome)};
  return {End::lost, std::move(outcome)};
}

// A guard's word does not say whether the op failed or may have written.
End LeasedAttempt::end_in_database() {
  Work now;
  const bool read = engine_->work(op_, now).word == Word::ok;
  return read && now.status == model::OpStatus::reconciling ? End::reconciling : End::failed;
}

}  // namespace leaseproof::engine
