// How calls become transactions: tries for the lock, the fault points, which calls share a commit,
// and what a failed commit means. A commit is shared by calls of several threads that wait for each
// other anyway; where anything goes wrong with it, it is undone and each call is made by itself, so
// that nobody answers for another.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

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

// A call under way: what it was asked and what it will answer.
struct Engine::Request : CallQueue::Call {
  explicit Request(const Asked& asked_of_us)
      : CallQueue::Call(asked_of_us.alone), asked(&asked_of_us) {}

  const Asked* asked;
  Outcome outcome;
  bool changes = false;
  std::int64_t number = 0;  // in the journal; 0 when nothing stands there
  std::int64_t now_us = 0;
  std::string detail;  // of its first event
};

namespace {

// Outcomes that promise that nothing has changed, although the verb may have written by then.
bool refuses(const Outcome& outcome) {
  return outcome.word == Word::invalid || outcome.word == Word::storage_error;
}
}  // namespace

void Engine::roll_back() {
  known_version_.reset();
  db_->clear_fault();
  if (db_->in_transaction()) db_->execute(index(Sql::rollback));
  db_->clear_fault();
}

// Within a transaction, whose database nobody else changes.
void Engine::remember() {
  const auto version = db_->data_version();
  if (known_version_ == version) return;
  known_version_ = version;
  known_queues_.forget();
  journal_.forget();
}

Outcome Engine::storage_error() const {
  Outcome outcome(Word::storage_error);
  outcome.why = sqlite::sentence(db_->fault(), options_.path);
  return outcome;
}

// Within the transaction. False when a fault stuck or when what the verb wrote has to go.
bool Engine::perform(Request& request) {
  journal_.clear();
  request.number = 0;
  request.now_us = clock_->now_us();
  store::Write write(*db_, journal_, known_queues_, *ids_, request.asked->call, request.now_us,
                     options_.clock_slack_us);
  request.outcome = (*request.asked->body)(write);
  request.changes = write.changed();
  if (journal_.makes_ready()) known_queues_.forget();
  if (db_->fault() != Fault::none) return false;
  if (!request.changes) return true;
  if (refuses(request.outcome)) return false;
  if (!journal_.empty()) {
    request.number =
        journal_.write(*db_, request.now_us,
                       store::action_text(*request.asked->action, request.asked->token_hash,
                                          request.now_us, request.outcome, request.asked->told));
  }
  request.detail = journal_.first_detail();
  return db_->fault() == Fault::none;
}

// The transaction of `group`, which is one call, and of those that come along, which join it.
Engine::Attempted Engine::attempt(std::vector<Request*>& group, bool joinable) {
  Request& first = *group.front();
  const auto gave_up = [&] {
    if (group.size() > 1) {
      roll_back();
      return Attempted::apart;
    }
    first.outcome = storage_error();
    const bool again = sqlite::is_contention(db_->fault());
    roll_back();
    return again ? Attempted::again : Attempted::made;
  };
  const auto hit = [&](const Request& request, Place place) {
    db_->inject(store::fault_of(faults::hit(faults::point_of(request.asked->call, place))));
    return db_->fault() == Fault::none;
  };
  const auto begins = [&](const Request& request) { return hit(request, Place::begin); };
  db_->clear_fault();
  begins(first);
  db_->execute(index(Sql::begin_write));
  if (db_->fault() != Fault::none) return gave_up();
  remember();
  journal_.begin();
  const bool stands = perform(first);
  if (db_->fault() != Fault::none) return gave_up();
  if (!stands || !first.changes) {
    // What was read stays true where nothing was written.
    const auto known_version = first.changes ? std::nullopt : known_version_;
    roll_back();
    known_version_ = known_version;
    return Attempted::made;
  }
  while (joinable) {
    auto* next = static_cast<Request*>(calls_.take_along());
    if (next == nullptr) break;
    group.push_back(next);
    if (!begins(*next) || !perform(*next)) return gave_up();
  }
  journal_.stamp(*db_);
  if (db_->fault() != Fault::none) return gave_up();
  for (const Request* request : group) {
    if (request->changes && !hit(*request, Place::commit)) return gave_up();
  }
  db_->commit(index(Sql::commit));
  if (sqlite::is_contention(db_->fault())) return gave_up();
  if (db_->fault() != Fault::none) {
    after_failed_commit(group);
    return Attempted::made;
  }
  known_version_ = db_->data_version();
  // The commit stands whatever happens from here on, so a fault at this point has nothing to undo.
  for (const Request* request : group) {
    if (!request->changes) continue;
    faults::hit(faults::point_of(request->asked->call, Place::committed));
    if (notices_.wanted() && request->number > 0) {
      notices_.push({request->number,
                     request->now_us,
                     model::do_word(*request->asked->action),
                     request->outcome,
                     {}});
    }
  }
  return Attempted::made;
}

// The frames of a failed COMMIT may be durable all the same. Only the database itself can tell, and
// only once another commit stands where they were: until then a loss of power may bring them back.
void Engine::after_failed_commit(const std::vector<Request*>& group) {
  const Request& first = *group.front();
  const auto answer_all = [&](const Outcome& outcome) {
    for (Request* request : group) request->outcome = outcome;
  };
  Outcome failed = storage_error();
  // A disk that is full has refused the frames, of which the last makes it a commit.
  const bool cut_off = db_->fault() == Fault::full;
  db_.reset();
  if (open_again()) {
    db_->execute(index(Sql::begin_write));
    bool stands = false;
    {
      auto rows = db_->query(index(Sql::event_at), first.number);
      stands = rows.next() && rows.text(0) == first.detail && rows.integer(1) == first.now_us;
    }
    if (stands) return roll_back();
    if (cut_off && db_->fault() == Fault::none) {
      roll_back();
      return answer_all(failed);
    }
    store::write_over(*db_);
    db_->commit(index(Sql::commit));
    if (db_->fault() == Fault::none) return answer_all(failed);
    roll_back();
  }
  Outcome unknown(Word::commit_unknown);
  unknown.why =
      "the commit failed and " + options_.path + " cannot tell whether it stands; inspect it";
  answer_all(unknown);
}

tl::expected<void, OpenError> Engine::open_again() {
  auto opened = store::open_database(database_options(), *options_.statements, *clock_);
  if (!opened) return tl::unexpected(opened.error());
  db_ = std::move(*opened);
  known_version_.reset();
  if (opened_) opened_(*db_);
  return {};
}

// False when `group` cannot be kept together.
bool Engine::make(std::vector<Request*>& group, bool joinable) {
  Request& first = *group.front();
  if (db_ == nullptr) {
    if (const auto opened = open_again(); !opened) {
      first.outcome = Word::storage_error;
      first.outcome.why = opened.error().sentence;
      return true;
    }
  }
  for (std::int64_t tried = 1;; ++tried) {
    const Attempted attempted = attempt(group, joinable);
    if (attempted != Attempted::again) return attempted == Attempted::made;
    if (tried >= options_.busy.tries) {
      first.outcome.word = Word::busy;
      return true;
    }
    clock_->wait_us(options_.busy.wait_us(tried));
  }
}

void Engine::lead(Request& first) {
  const std::lock_guard lock(mutex_);
  std::vector<Request*> group{&first};
  if (!make(group, true)) {
    for (Request* request : group) {
      std::vector<Request*> alone{request};
      make(alone, false);
    }
  }
  if (db_ != nullptr && checkpoints_.due(*db_)) {
    checkpoints_.run(*db_, database_options(), *options_.statements, *clock_);
  }
}

Outcome Engine::run(faults::Call call, const model::Action& action, std::string_view token_hash,
                    const Body& body, const std::optional<std::string>& told, bool alone) {
  return std::move(run({{call, &action, token_hash, &body, told, alone}}).front());
}

std::vector<Outcome> Engine::run(const std::vector<Asked>& calls) {
  std::deque<Request> requests;
  std::vector<CallQueue::Call*> waiting;
  for (const Asked& asked : calls) waiting.push_back(&requests.emplace_back(asked));
  calls_.pass(waiting, [this](CallQueue::Call& first) { lead(static_cast<Request&>(first)); });
  notices_.deliver();
  std::vector<Outcome> outcomes;
  for (Request& request : requests) outcomes.push_back(std::move(request.outcome));
  return outcomes;
}

}  // namespace leaseproof::engine
