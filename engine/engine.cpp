#include "engine/engine.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "engine/refusals.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/creation.hpp"
#include "engine/store/leasing.hpp"
#include "engine/store/operators.hpp"
#include "engine/store/queues.hpp"
#include "engine/store/reading.hpp"
#include "engine/store/refresh.hpp"
#include "engine/store/state_reader.hpp"
#include "engine/store/work.hpp"
#include "engine/store/write.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {

using model::Outcome;
using model::Word;
using sqlite::Fault;
using store::Sql;
using store::Write;

Engine::Engine(Options options)
    : options_(std::move(options)),
      calls_(options_.calls_per_commit),
      checkpoints_(options_.checkpoint_pages) {
  if (options_.clock == nullptr) own_clock_ = std::make_unique<SystemClock>();
  if (options_.ids == nullptr) own_ids_ = std::make_unique<SystemIdSource>();
  clock_ = options_.clock != nullptr ? options_.clock : own_clock_.get();
  ids_ = options_.ids != nullptr ? options_.ids : own_ids_.get();
  if (options_.statements == nullptr) {
    options_.statements = std::make_shared<const sqlite::StatementTexts>(store::catalog_texts());
  }
}

Engine::~Engine() = default;

store::DatabaseOptions Engine::database_options() const {
  return {options_.path, options_.vfs, options_.synchronous, false, options_.create, options_.busy};
}

tl::expected<std::unique_ptr<Engine>, OpenError> Engine::open(Options options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  auto db = store::open_database(engine->database_options(), *engine->options_.statements,
                                 *engine->clock_);
  if (!db) return tl::unexpected(db.error());
  engine->db_ = std::move(*db);
  return engine;
}

void Engine::on_open(std::function<void(sqlite::Connection&)> opened) {
  opened_ = std::move(opened);
  if (db_ != nullptr) opened_(*db_);
}

Outcome Engine::start(model::Start action) {
  const auto why = first_complaint(
      [&] { return action.workflow ? check_name("workflow", *action.workflow) : std::nullopt; },
      [&] { return check_name("package", action.package); },
      [&] { return make_canonical("input", action.input); }, [&] { return check_ops(action.ops); },
      [&] { return check_graph(action.ops, [](const std::string&) { return false; }); });
  if (why) return Outcome::invalid(*why);
  const model::Action call = std::move(action);
  return run(faults::Call::start, call, {},
             [&](Write& write) { return store::start(write, std::get<model::Start>(call)); });
}

Outcome Engine::ensure(model::Ensure action) {
  const auto why = first_complaint(
      [&] { return action.workflow ? check_name("workflow", *action.workflow) : std::nullopt; },
      [&] { return check_name("package", action.package); },
      [&] { return make_canonical("identity", action.identity); },
      [&] { return make_canonical("input", action.input); }, [&] { return check_ops(action.ops); },
      [&] { return check_graph(action.ops, [](const std::string&) { return false; }); });
  if (why) return Outcome::invalid(*why);
  const model::Action call = std::move(action);
  return run(faults::Call::ensure, call, {},
             [&](Write& write) { return store::ensure(write, std::get<model::Ensure>(call)); });
}

Outcome Engine::set_queue(const model::Queue& action) {
  if (const auto why = check_queue(action)) return Outcome::invalid(*why);
  return run(faults::Call::queue, action, {},
             [&](Write& write) { return store::set_queue(write, action); });
}

Outcome Engine::refresh() {
  return run(faults::Call::refresh, model::Refresh{}, {},
             [](Write& write) { return store::refresh(write); });
}

Granted Engine::lease(const model::Lease& action) {
  return std::move(lease(std::vector<model::Lease>{action}).front());
}

std::vector<Granted> Engine::lease(const std::vector<model::Lease>& actions) {
  // What is asked of one call, where it stays until all are made.
  struct Grant {
    model::Action action;
    std::string token_hash;
    Body body;
  };
  std::vector<Granted> granted(actions.size());
  std::deque<Grant> grants;
  std::vector<Asked> asked;
  std::vector<std::size_t> answers;  // the place in `granted` of each that is asked
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const model::Lease& lease = actions[i];
    const auto why = first_complaint(
        [&] { return check_name("worker", lease.owner ? *lease.owner : lease.worker); },
        [&] { return lease.queue ? check_name("queue", *lease.queue) : std::nullopt; },
        [&] { return lease.site ? check_name("site", *lease.site) : std::nullopt; },
        [&] { return check_least("lease_us", lease.lease_us, 1); });
    if (why) {
      granted[i].outcome = Outcome::invalid(*why);
      continue;
    }
    Grant& grant = grants.emplace_back();
    grant.action = lease;
    granted[i].token = new_token(*ids_);
    grant.token_hash = sha256_hex(granted[i].token);
    grant.body = [&lease, &grant](Write& write) -> Outcome {
      if (auto end = check_end(write, "the lease", lease.lease_us)) return Outcome::invalid(*end);
      return store::lease(write, lease, grant.token_hash);
    };
    asked.push_back({faults::Call::lease, &grant.action, grant.token_hash, &grant.body});
    answers.push_back(i);
  }
  std::vector<Outcome> outcomes = run(asked);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Granted& answer = granted[answers[i]];
    answer.outcome = std::move(outcomes[i]);
    if (answer.outcome.word != Word::leased) answer.token.clear();
  }
  return granted;
}

Outcome Engine::heartbeat(std::string_view token, const model::Heartbeat& action) {
  const auto why = first_complaint([&] { return check_name("op", action.by.op); },
                                   [&] { return check_least("lease_us", action.lease_us, 1); });
  if (why) return Outcome::invalid(*why);
  const std::string token_hash = sha256_hex(token);
  return run(faults::Call::heartbeat, action, token_hash, [&](Write& write) -> Outcome {
    if (auto end = check_end(write, "the lease", action.lease_us)) return Outcome::invalid(*end);
    return store::heartbeat(write, action.by.op, token_hash, action.lease_us);
  });
}

Outcome Engine::checkpoint(std::string_view token, model::Checkpoint action) {
  const auto why = first_complaint([&] { return check_name("op", action.by.op); },
                                   [&] { return check_name("step", action.step); },
                                   [&] { return make_canonical("payload", action.payload); });
  if (why) return Outcome::invalid(*why);
  const std::string token_hash = sha256_hex(token);
  const model::Action call = std::move(action);
  return run(faults::Call::checkpoint, call, token_hash, [&](Write& write) {
    const auto& a = std::get<model::Checkpoint>(call);
    return store::checkpoint(write, a.by.op, token_hash, a.step, a.payload);
  });
}

namespace {
// Of a fail or a complete: the lease is gone, or may be. To send nothing is safe in either case.
bool ends_lease(Word word) {
  return word == Word::ok || word == Word::already_completed || word == Word::retry_scheduled ||
         word == Word::failed || word == Word::reconciling || word == Word::commit_unknown;
}
}  // namespace

Outcome Engine::complete(std::string_view token, model::Complete action, const UserRows& also,
                         const std::optional<std::string>& receipt) {
  const auto why = first_complaint(
      [&] { return check_name("op", action.by.op); },
      [&] { return make_canonical("result", action.result); },
      [&] {
        return action.completed_at_us ? check_least("completed_at_us", *action.completed_at_us, 0)
                                      : std::nullopt;
      },
      [&] { return check_artifacts(action.artifacts); }, [&] { return check_ops(action.emit); });
  if (why) return Outcome::invalid(*why);
  const std::string token_hash = sha256_hex(token);
  const model::Action call = std::move(action);
  Outcome outcome = run(
      faults::Call::complete, call, token_hash,
      [&](Write& write) {
        const auto& a = std::get<model::Complete>(call);
        return store::complete(write, a.by.op, token_hash,
                               {a.result, a.completed_at_us.value_or(write.now_us()), a.artifacts,
                                a.emit, receipt, also});
      },
      receipt, static_cast<bool>(also));
  if (ends_lease(outcome.word)) permits_.end(token_hash);
  return outcome;
}

Outcome Engine::fail(std::string_view token, const model::Fail& action) {
  const auto why = first_complaint(
      [&] { return check_name("op", action.by.op); },
      [&] { return action.error ? check_utf8("error", *action.error) : std::nullopt; });
  if (why) return Outcome::invalid(*why);
  const std::string token_hash = sha256_hex(token);
  Outcome outcome = run(faults::Call::fail, action, token_hash, [&](Write& write) {
    return store::fail(write, action.by.op, token_hash, action.kind,
                       action.error ? *action.error : model::word(action.kind));
  });
  if (ends_lease(outcome.word)) permits_.end(token_hash);
  return outcome;
}

Outcome Engine::retry(const model::Retry& action) {
  const auto why = first_complaint([&] { return check_name("op", action.op); },
                                   [&] {
                                     return action.deadline_us
                                                ? check_least("deadline_us", *action.deadline_us, 0)
                                                : std::nullopt;
                                   });
  if (why) return Outcome::invalid(*why);
  return run(faults::Call::retry, action, {},
             [&](Write& write) { return store::retry(write, action.op, action.deadline_us); });
}

Outcome Engine::cancel(const model::Cancel& action) {
  if (const auto why = check_name("workflow", action.workflow)) return Outcome::invalid(*why);
  return run(faults::Call::cancel, action, {},
             [&](Write& write) { return store::cancel(write, action.workflow); });
}

template <class Read>
Outcome Engine::read(Read body) {
  const std::lock_guard lock(mutex_);
  if (db_ == nullptr) return Word::storage_error;
  for (std::int64_t tried = 1;; ++tried) {
    db_->clear_fault();
    db_->execute(index(Sql::begin_read));
    Outcome outcome = body();
    if (db_->fault() == Fault::none) db_->execute(index(Sql::commit));
    const Fault fault = db_->fault();
    if (fault == Fault::none) return outcome;
    outcome = storage_error();
    roll_back();
    if (!sqlite::is_contention(fault)) return outcome;
    if (tried >= options_.busy.tries) {
      outcome.word = Word::busy;
      return outcome;
    }
    clock_->wait_us(options_.busy.wait_us(tried));
  }
}

Outcome Engine::snapshot(const model::Snapshot& action) {
  if (const auto why = check_name("workflow", action.workflow)) return Outcome::invalid(*why);
  return read([&] { return store::snapshot(*db_, action.workflow); });
}

PageRead Engine::snapshots_since(std::int64_t cursor, std::int64_t limit) {
  const auto why = first_complaint([&] { return check_least("limit", limit, 1); },
                                   [&] { return check_least("cursor", cursor, 0); });
  if (why) return {Outcome::invalid(*why), cursor};
  std::int64_t reached = cursor;
  Outcome outcome = read([&] {
    reached = cursor;
    return store::snapshots_since(*db_, limit, reached);
  });
  return {std::move(outcome), reached};
}

std::int64_t Engine::cursor_at(std::int64_t since_us) {
  std::int64_t cursor = -1;
  const Outcome outcome = read([&] {
    cursor = store::cursor_at(*db_, since_us);
    return Outcome(Word::ok);
  });
  return outcome.word == Word::ok ? cursor : -1;
}

Outcome Engine::count_for_a_person(ForAPerson& counts) {
  return read([&] {
    counts = store::count_for_a_person(*db_);
    return Outcome(Word::ok);
  });
}

Outcome Engine::unknown_effects(std::vector<UnknownEffect>& found) {
  return read([&] {
    found.clear();
    auto rows = db_->query(index(Sql::unknown_effects));
    while (rows.next()) {
      found.push_back(
          {rows.string(0), rows.string(1),
           model::from_word<model::Contract>(rows.text(2)).value_or(model::Contract::opaque)});
    }
    return Outcome(Word::ok);
  });
}

Outcome Engine::next_due(Due& due) {
  return read([&] {
    due = store::read_due(*db_);
    return Outcome(Word::ok);
  });
}

void Engine::tell_lost(std::string_view op) {
  if (!notices_.wanted()) return;
  notices_.push({0, clock_->now_us(), op_lease_lost, Word::lease_lost, std::string(op)});
  notices_.deliver();
}

Outcome Engine::work(std::string_view op, Work& work) {
  if (const auto why = check_name("op", op)) return Outcome::invalid(*why);
  return read([&] { return store::read_work(*db_, op, work); });
}

Outcome Engine::observe() {
  return read([&] {
    store::StateReader reader;
    return Outcome(Word::ok, reader.read_in_full(*db_));
  });
}

}  // namespace leaseproof::engine
