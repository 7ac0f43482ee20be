// How a call becomes one transaction: tries for the lock, the fault points, the commit and what a
// failed commit means.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/engine.hpp"
#include "engine/store/action_text.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/write.hpp"

namespace leaseproof::engine {

using faults::Place;
using model::Outcome;
using model::Word;
using sqlite::Fault;
using store::Sql;

struct Engine::Attempt {
  Outcome outcome;
  bool again =
      false;  // the lock was taken: nothing has happened, the whole transaction may be tried
};

namespace {

// Outcomes that promise that nothing has changed, although the verb may have written by then.
bool refuses(const Outcome& outcome) {
  return outcome.word == Word::invalid || outcome.word == Word::storage_error;
}
}  // namespace

void Engine::roll_back() {
  db_->clear_fault();
  if (db_->in_transaction()) db_->execute(index(Sql::rollback));
  db_->clear_fault();
}

Outcome Engine::storage_error() const {
  Outcome outcome(Word::storage_error);
  outcome.why = sqlite::sentence(db_->fault(), options_.path);
  return outcome;
}

Engine::Attempt Engine::attempt(faults::Call call, const model::Action& action,
                                std::string_view token_hash, const Body& body,
                                const std::optional<std::string>& told) {
  const auto gave_up = [&] {
    Attempt failed{storage_error(), sqlite::is_contention(db_->fault())};
    roll_back();
    return failed;
  };
  db_->clear_fault();
  journal_.clear();
  db_->inject(store::fault_of(faults::hit(faults::point_of(call, Place::begin))));
  db_->execute(index(Sql::begin_write));
  if (db_->fault() != Fault::none) return gave_up();

  const std::int64_t now_us = clock_->now_us();
  store::Write write(*db_, journal_, *ids_, call, now_us, options_.clock_slack_us);
  Outcome outcome = body(write);
  if (db_->fault() != Fault::none) return gave_up();
  if (refuses(outcome) || !write.changed()) {
    roll_back();
    return {std::move(outcome), false};
  }

  std::int64_t number = 0;
  if (!journal_.empty()) {
    number =
        journal_.write(*db_, now_us, store::action_text(action, token_hash, now_us, outcome, told));
  }
  if (db_->fault() == Fault::none) {
    db_->inject(store::fault_of(faults::hit(faults::point_of(call, Place::commit))));
  }
  if (db_->fault() != Fault::none) return gave_up();
  db_->execute(index(Sql::commit));
  if (sqlite::is_contention(db_->fault())) return gave_up();
  if (db_->fault() != Fault::none) return {after_failed_commit(outcome, number, now_us), false};

  // The commit stands whatever happens from here on, so a fault at this point has nothing to undo.
  faults::hit(faults::point_of(call, Place::committed));
  if (notices_.wanted() && number > 0) {
    notices_.push({number, now_us, model::do_word(action), outcome, {}});
  }
  return {std::move(outcome), false};
}

// The frames of a failed COMMIT may be durable all the same. Only the database itself can tell, and
// only once another commit stands where they were: until then a loss of power may bring them back.
Outcome Engine::after_failed_commit(const Outcome& outcome, std::int64_t call,
                                    std::int64_t now_us) {
  Outcome failed = storage_error();
  // A disk that is full has refused the frames, of which the last makes it a commit.
  const bool cut_off = db_->fault() == Fault::full;
  db_.reset();
  auto reopened = store::open_database(database_options(), *options_.statements, *clock_);
  if (reopened) {
    db_ = std::move(*reopened);
    if (opened_) opened_(*db_);
    db_->execute(index(Sql::begin_write));
    bool stands = false;
    {
      auto rows = db_->query(index(Sql::event_at), call);
      stands = rows.next() && rows.text(0) == journal_.first_detail() && rows.integer(1) == now_us;
    }
    if (stands) {
      roll_back();
      return outcome;
    }
    if (cut_off && db_->fault() == Fault::none) {
      roll_back();
      return failed;
    }
    store::write_over(*db_);
    db_->execute(index(Sql::commit));
    if (db_->fault() == Fault::none) return failed;
    roll_back();
  }
  Outcome unknown(Word::commit_unknown);
  unknown.why =
      "the commit failed and " + options_.path + " cannot tell whether it stands; inspect it";
  return unknown;
}

Outcome Engine::run(faults::Call call, const model::Action& action, std::string_view token_hash,
                    const Body& body, const std::optional<std::string>& told) {
  Outcome outcome;
  {
    const std::lock_guard lock(mutex_);
    if (db_ == nullptr) {
      auto reopened = store::open_database(database_options(), *options_.statements, *clock_);
      if (!reopened) {
        outcome = Word::storage_error;
        outcome.why = reopened.error().sentence;
        return outcome;
      }
      db_ = std::move(*reopened);
      if (opened_) opened_(*db_);
    }
    for (std::int64_t tried = 1;; ++tried) {
      Attempt attempted = attempt(call, action, token_hash, body, told);
      if (!attempted.again) {
        outcome = std::move(attempted.outcome);
        break;
      }
      if (tried >= options_.busy.tries) {
        outcome = Word::busy;
        outcome.why = attempted.outcome.why;
        break;
      }
      clock_->wait_us(options_.busy.wait_us(tried));
    }
    if (db_ != nullptr && checkpoints_.due(*db_)) {
      checkpoints_.run(*db_, database_options(), *options_.statements, *clock_);
    }
  }
  notices_.deliver();
  return outcome;
}

}  // namespace leaseproof::engine
