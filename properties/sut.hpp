// A system under test: anything that answers actions (ARCHITECTURE, idea 2).
//
// Promise: random search, replay, minimizing and mutants are written once, over `Sut`. The harness
// (`Runner`) owns the clock, the workers' handles, the readers' cursors and the outside service; a
// `Sut` only ever sees one call at a time, and at a fault point of kind `interleave` further calls
// from inside that call.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/plan.hpp"
#include "model/vocabulary.hpp"
#include "properties/readings.hpp"
#include "properties/step.hpp"
#include "properties/unseen.hpp"

namespace leaseproof::properties {

// The harness's clock. Each call sees `now_us()`: the common time plus that caller's skew. An
// engine in this process reads it through its own clock interface, after it holds the write lock.
class SimClock {
 public:
  [[nodiscard]] std::int64_t now_us() const { return time_us + skew_us; }
  std::int64_t time_us = 0;
  std::int64_t skew_us = 0;
  // What the last reader was told, so that the harness judges by the same moment.
  mutable std::int64_t last_read_us = 0;
};

// `now` + `duration`, or the largest or least time where that leaves 64 bits.
inline std::int64_t saturating_add(std::int64_t now_us, std::int64_t duration_us) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(now_us, duration_us, &sum)) return sum;
  return duration_us > 0 ? std::numeric_limits<std::int64_t>::max()
                         : std::numeric_limits<std::int64_t>::min();
}

// What the harness knows at the moment of a call and the engine has to be told.
struct CallFrame {
  const model::Action* action = nullptr;
  // Worker calls: what `Reply::handle` said when this lease was granted.
  std::string_view handle;
  std::int64_t lock_wait_us = 0;
  const model::Given* given =
      nullptr;  // receipt, found, cursor; `now_us` for engines behind a pipe
  const StepFault* fault = nullptr;
  // Called at a fault of kind interleave, once, while this call stands still. May call `apply`
  // again.
  std::function<void()> interleave;
};

struct Reply {
  model::Outcome outcome;
  std::string handle;       // `leased`: proof of this lease, opaque to the harness
  std::int64_t cursor = 0;  // `snapshots_since`: where the reader stands now
  std::int64_t now_us = 0;  // the moment that the engine judged by, if it read the clock
  bool read_clock = false;
  std::int64_t fired = 0;  // how often the fault of this call fired
  // Not empty: what its storage saw the engine do against the rules, though no answer shows it.
  std::string breach = {};
};

// What came of opening the engine again.
struct Reopened {
  model::Outcome outcome = model::Word::ok;  // of the opening that the fault hit
  std::int64_t fired = 0;                    // how often the fault fired
  std::string lost;  // not empty: it cannot be opened at all, and why; then only `reset` mends it
};

// One row of the journal, as far as an invariant may look at it. `detail` is the engine's JSON
// text.
struct JournalEvent {
  std::int64_t seq = 0;
  std::int64_t call = 0;
  std::int64_t at_us = 0;
  std::int64_t generation = 0;
  std::string workflow;  // empty where the event belongs to none
  std::string op;        // empty where the event belongs to none
  std::string kind;
  std::string detail;
};

// What an engine has durably at a moment between two calls, for a search to come back to.
class Snapshot {
 public:
  Snapshot() = default;
  virtual ~Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
};

// The system under test does not take part any more: it answers nothing, or nothing that can be
// read. Neither a pass nor a violation; thrown through the runner, after which only `reset` may
// follow.
struct SutFailed {
  std::string why;               // one sentence
  std::string doing;             // the word of what it was asked for
  std::vector<std::string> log;  // the last lines that it wrote beside its answers
  // Filled in on the way up: which step from 1 (0: before the first), and of which run.
  std::optional<std::size_t> step = std::nullopt;
  std::optional<std::int64_t> run = std::nullopt;
};

class Sut {
 public:
  Sut() = default;
  virtual ~Sut() = default;
  Sut(const Sut&) = delete;
  Sut& operator=(const Sut&) = delete;

  // Empties everything durable and forgets everything in memory. Queues are sent by the harness.
  virtual void reset(const Config& config) = 0;
  // One engine call. Answers `crashed` after a fault that ends the process; the harness then calls
  // `restart`.
  virtual Reply apply(const CallFrame& frame) = 0;
  // Every handle to the engine is closed, and it is opened again from what is durable. A fault (may
  // be null) hits this closing and opening; where it makes that fail, it is opened once more
  // without.
  virtual Reopened restart(const StepFault* fault) = 0;
  // The same after a crash, of the engine's process or of a worker's.
  virtual Reopened reopen() { return restart(nullptr); }
  // The observable state, read from the engine's own durable storage; valid until the next call.
  virtual const model::Observation& observe() = 0;
  // As `observe`, but trusting nothing remembered from earlier reads.
  virtual const model::Observation& observe_in_full() = 0;
  // What the last observation does not show, or null where it shows all. The harness takes it to be
  // what the model says: neither comparison nor invariants can then find anything there.
  [[nodiscard]] virtual const Unseen* unseen() const { return nullptr; }
  // Whether there is a journal to look at. Without, the rows about it are silent.
  [[nodiscard]] virtual bool has_journal() const { return true; }
  // The events with seq > `after`, in order, appended to `out`.
  virtual void journal(std::int64_t after, std::vector<JournalEvent>& out) = 0;
  // What can be read of the engine by those who ask what `asked` was asked: its ops, its moments.
  // Nothing where there are no such calls.
  virtual std::optional<Readings> readings(const Readings& /*asked*/) { return std::nullopt; }
  // Whether the engine takes part in this kind of action at all (TRACE 5, `speaks`).
  [[nodiscard]] virtual bool speaks(const model::Action& action) const = 0;
  // Whether a reader sees the state before a write that is under way, as WAL gives it, or has to
  // wait and answers `busy`.
  [[nodiscard]] virtual bool reads_under_write_lock() const { return true; }
  // Whether faults at the disk and losses of power can hit it. Elsewhere they never fire.
  [[nodiscard]] virtual bool has_disk() const { return false; }
  // Whether a fault of this kind at this point can hit it.
  [[nodiscard]] virtual bool can_be_hit(faults::Point point, faults::Kind kind) const {
    return faults::allows(point, kind) && (has_disk() || !faults::needs_disk(point, kind));
  }
  // Null where the engine cannot come back to a moment.
  virtual std::shared_ptr<const Snapshot> snapshot() { return nullptr; }
  // As if nothing had happened since the snapshot, which is one of this engine's. Engines that were
  // opened since stay open; what workers hold is theirs.
  virtual void restore(const Snapshot& /*snapshot*/) {}
  // From now on a call that crashes is that of another process: the engine goes on beside it, on
  // what is left, and `restart` shows what an engine finds there that starts then. Of use to a
  // search that comes back to the moment before: it is spared all that is made once an opening.
  virtual void outlive_crashes() {}
  // Which durable values that no observation shows are not those of the model: 0 where there are
  // none, else the same number for the same values.
  virtual std::uint64_t unobserved_difference(const model::State& /*expected*/) { return 0; }
  // Empty, or what is damaged in what is durable.
  virtual std::string damage() { return {}; }
  [[nodiscard]] virtual std::string_view name() const = 0;
};

}  // namespace leaseproof::properties
