// The durable workflow engine: embeddable, on one SQLite file.
//
// Promise: each call is one atomic and bounded step; it reads the clock once, after it holds the
// write lock; it answers a word of TRACE 2 and changes either everything that the word says or
// nothing; it answers only what is durable. Calls may come from any thread, one runs at a time, and
// those that come while another commits share the next commit. No exception leaves a call.
//
// Every call may also answer `invalid` (a bad value, named in `why`), `busy` (all tries for the
// lock used up, nothing changed), `storage_error` (nothing changed, `why` has the mend) and
// `commit_unknown` (the commit failed and the database cannot be asked whether it stands).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "engine/effects/permit.hpp"
#include "engine/scheduler/call_queue.hpp"
#include "engine/scheduler/notices.hpp"
#include "engine/sqlite/connection.hpp"
#include "engine/store/checkpoint.hpp"
#include "engine/store/database.hpp"
#include "engine/store/due.hpp"
#include "engine/store/journal.hpp"
#include "engine/store/known_queues.hpp"
#include "engine/store/reading.hpp"
#include "engine/values/busy_policy.hpp"
#include "engine/values/clock.hpp"
#include "engine/values/id_source.hpp"
#include "faults/point.hpp"
#include "model/vocabulary.hpp"

struct sqlite3;

namespace leaseproof::engine {

namespace store {
class Write;
}

using store::Due;
using store::ForAPerson;
using store::OpenError;
using store::Synchronous;
using store::Work;

struct Options {
  std::string path;
  std::string vfs;  // empty: SQLite's default
  Synchronous synchronous = Synchronous::full;
  BusyPolicy busy;
  bool create = true;
  // At most so many calls of several threads share one commit, each answered once it is durable; 1:
  // none do. At least 1.
  std::int64_t calls_per_commit = 32;
  // From how many pages in its WAL on a call checkpoints after its commit, which can change nothing
  // of its answer. 0: never; the WAL then grows until the database's last connection is closed.
  std::int64_t checkpoint_pages = store::Checkpoints::default_pages;
  // Must outlive the engine; none means the system's own.
  Clock* clock = nullptr;
  IdSource* ids = nullptr;
  // The statements to run; empty means the catalogue. Test beds pass mutants of it.
  std::shared_ptr<const sqlite::StatementTexts> statements;
  // By how much the clocks of all callers and of the outside service may disagree (SEMANTICS 6).
  std::int64_t clock_slack_us = 0;
};

// What `lease` answers: the outcome, and on `leased` the token that proves ownership. The engine
// keeps only its SHA-256.
struct Granted {
  model::Outcome outcome;
  std::string token;
};

// What `dispatch` answers: the outcome, and on `dispatching` the right to call the outside service.
struct Dispatched {
  model::Outcome outcome;
  std::optional<effects::Permit> permit;
};

// A write that may exist: what the outside service can be asked about.
struct UnknownEffect {
  std::string op;
  std::string key;
  model::Contract contract = model::Contract::idempotent;
};

// One page of `snapshots_since`, and where the reader stands after it.
struct PageRead {
  model::Outcome outcome;
  std::int64_t cursor = 0;
};

// Rows of the caller's own, written inside the completing transaction through SQLite's handle. An
// empty text means written; a sentence refuses the completion as `invalid`, and nothing is kept. It
// must not begin or end a transaction.
using UserRows = std::function<std::string(sqlite3*)>;

class Engine {
 public:
  // Creates or migrates the database (SEMANTICS 8). The error names the file and the mend.
  static tl::expected<std::unique_ptr<Engine>, OpenError> open(Options options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // SEMANTICS 2. `created` and `attached` carry the workflow's id.
  model::Outcome start(model::Start action);
  model::Outcome ensure(model::Ensure action);
  // SEMANTICS 3, queue room. `ok`.
  model::Outcome set_queue(const model::Queue& action);
  // SEMANTICS 2, contexts. `ok`; a revocation of a scope that was never put is `not_found`.
  model::Outcome put_context(model::ContextPut action);
  model::Outcome revoke_context(const model::ContextRevoke& action);
  // SEMANTICS 3, refresh. `ok` with counts.
  model::Outcome refresh();
  // SEMANTICS 3, lease: `leased` or `none`. Owner is `action.owner`, or else `action.worker`.
  Granted lease(const model::Lease& action);
  // As many calls, in their order; they share commits with each other too.
  std::vector<Granted> lease(const std::vector<model::Lease>& actions);

  // Worker calls: `action.by.op` names the op, `token` proves the lease; `by.worker` is not looked
  // at.
  model::Outcome heartbeat(std::string_view token, const model::Heartbeat& action);
  model::Outcome checkpoint(std::string_view token, model::Checkpoint action);
  // `receipt` is what the worker's call to the outside service brought: an op with an effect is
  // completed by nothing else (SEMANTICS 3, complete).
  model::Outcome complete(std::string_view token, model::Complete action, const UserRows& also = {},
                          const std::optional<std::string>& receipt = std::nullopt);
  model::Outcome fail(std::string_view token, const model::Fail& action);

  // SEMANTICS 3 and 5: `waiting` with the binding hash that a reviewer decides on.
  model::Outcome request_approval(std::string_view token, model::RequestApproval action);
  // SEMANTICS 6: `dispatching` with the operation key and the time from which on nothing may be
  // sent. It is durable before the caller hears of it.
  Dispatched dispatch(std::string_view token, model::Dispatch action);

  // SEMANTICS 5. Roles and scopes of the actor come from the caller's authenticated session.
  model::Outcome decide(const model::Decide& action);
  // Operator calls, SEMANTICS 3. `found` is the receipt that the service answered, before this
  // call, to a query for the op's key.
  model::Outcome reconcile(const model::Reconcile& action, const std::optional<std::string>& found);
  model::Outcome close(const model::Close& action);
  model::Outcome retry(const model::Retry& action);
  model::Outcome cancel(const model::Cancel& action);

  // Readers: one read transaction each.
  model::Outcome snapshot(const model::Snapshot& action);
  // `cursor` 0 is the beginning; `limit` ≥ 1.
  PageRead snapshots_since(std::int64_t cursor, std::int64_t limit);
  // The cursor of a reader that wants every workflow changed at or after `since_us`; it then
  // follows event seqs. Negative when the database cannot be read.
  std::int64_t cursor_at(std::int64_t since_us);
  // `ok` with the state of TRACE 4.
  model::Outcome observe();
  // `ok`, and what a worker needs to do the op; or `not_found`.
  model::Outcome work(std::string_view op, Work& work);
  // `ok`, and from when on `refresh` or `lease` could do something that they could not do before.
  model::Outcome next_due(Due& due);
  // `ok`, and how many ops wait for a person in the whole database.
  model::Outcome count_for_a_person(ForAPerson& counts);
  // `ok`, and each op that is `reconciling`, in (created, id) order.
  model::Outcome unknown_effects(std::vector<UnknownEffect>& found);

  // Called after the commit, in commit order, one at a time.
  void add_observer(Observer observer) { notices_.add(std::move(observer)); }
  // Tells the observers what no commit says: that the lease of `op` is lost. In turn with all else.
  void tell_lost(std::string_view op);
  [[nodiscard]] std::int64_t observer_failures() const { return notices_.failures(); }

  // Between calls only: from the next call on.
  void set_busy_policy(const BusyPolicy& policy) { options_.busy = policy; }
  void set_clock_slack_us(std::int64_t slack_us) { options_.clock_slack_us = slack_us; }
  // Those that others' threads have not begun; for test beds.
  [[nodiscard]] std::int64_t waiting_calls() const { return calls_.waiting(); }
  // False after a failed COMMIT whose database could not be opened again: the next call tries.
  [[nodiscard]] bool is_open() const { return db_ != nullptr; }
  // The connection, for inspection and test beds; between calls only, while it is open.
  sqlite::Connection& connection() { return *db_; }
  // Called with each connection that runs calls, also with that after a failed COMMIT made the
  // engine reopen.
  void on_open(std::function<void(sqlite::Connection&)> opened);

 private:
  explicit Engine(Options options);
  store::DatabaseOptions database_options() const;

  using Body = std::function<model::Outcome(store::Write&)>;
  struct Asked {
    faults::Call call;
    const model::Action* action;
    std::string_view token_hash;
    const Body* body;
    std::optional<std::string> told = std::nullopt;  // what the outside service had said
    bool alone = false;                              // with a commit of its own
  };
  struct Request;
  enum class Attempted : std::uint8_t {
    made,
    again,  // the lock was taken: nothing has happened, the whole transaction may be tried
    apart   // undone: what was together has to be made one by one
  };
  model::Outcome run(faults::Call call, const model::Action& action, std::string_view token_hash,
                     const Body& body, const std::optional<std::string>& told = std::nullopt,
                     bool alone = false);
  std::vector<model::Outcome> run(const std::vector<Asked>& calls);
  void lead(Request& first);
  bool make(std::vector<Request*>& group, bool joinable);
  Attempted attempt(std::vector<Request*>& group, bool joinable);
  bool perform(Request& request);
  void after_failed_commit(const std::vector<Request*>& group);
  tl::expected<void, OpenError> open_again();
  template <class Read>
  model::Outcome read(Read body);
  model::Outcome storage_error() const;
  void roll_back();
  void remember();

  Options options_;
  std::unique_ptr<Clock> own_clock_;
  std::unique_ptr<IdSource> own_ids_;
  Clock* clock_ = nullptr;
  IdSource* ids_ = nullptr;
  std::unique_ptr<sqlite::Connection> db_;
  std::function<void(sqlite::Connection&)> opened_;
  CallQueue calls_;
  std::mutex mutex_;  // of the connection
  effects::OpenPermits permits_;
  store::Journal journal_;
  store::KnownQueues known_queues_;
  // The version of the database of which something is known.
  std::optional<std::uint32_t> known_version_;
  store::Checkpoints checkpoints_;
  Notices notices_;
};

}  // namespace leaseproof::engine
