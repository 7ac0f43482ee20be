#include "properties/engine_sut.hpp"

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "engine/store/catalog.hpp"
#include "engine/store/erase.hpp"
#include "engine/values/check.hpp"
#include "properties/engine_newcomer.hpp"
#include "properties/engine_seam.hpp"
#include "properties/journal_reading.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using engine::store::Sql;
using model::Outcome;
using model::Word;

namespace {

engine::Synchronous synchronous_of(Synchronous synchronous) {
  switch (synchronous) {
    case Synchronous::full:
      return engine::Synchronous::full;
    case Synchronous::normal:
      return engine::Synchronous::normal;
    case Synchronous::off:
      return engine::Synchronous::off;
  }
  return engine::Synchronous::full;
}

std::string memory_path() {
  static std::atomic<std::int64_t> opened{0};
  return "file:/leaseproof-" + std::to_string(++opened) + "?vfs=memdb";
}

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;

}  // namespace

EngineSut::EngineSut(SimClock& clock, EngineSutOptions options)
    : options_(std::move(options)),
      clock_(clock),
      seam_(std::make_unique<Seam>(clock, options_.vfs.get())),
      config_(options_.config) {
  if (options_.folder.empty()) {
    path_ = memory_path();
    keeper_texts_ = engine::store::catalog_texts();
    keeper_ = engine::store::open_eraser(path_, keeper_texts_);
    LP_CHECK(keeper_ != nullptr, "a database in memory can be opened");
  } else {
    path_ = options_.folder + "/engine.sqlite";
  }
  engine_at(depth_);
  if (options_.vfs != nullptr) keep_clean_disk();
}

EngineSut::~EngineSut() = default;

engine::Options EngineSut::engine_options(const std::string& vfs) const {
  engine::Options options;
  options.path = path_;
  options.vfs = vfs;
  options.synchronous = options_.bug == StorageBug::synchronous_off
                            ? engine::Synchronous::off
                            : synchronous_of(config_.synchronous);
  if (!options.vfs.empty()) options.checkpoint_pages = options_.checkpoint_pages;
  options.busy = {config_.busy_tries, 0, 0};
  options.clock = seam_.get();
  options.ids = seam_.get();
  options.statements = options_.statements;
  options.clock_slack_us = config_.clock_slack_us;
  return options;
}

EngineSut::Opened EngineSut::try_open() {
  auto opened = engine::Engine::open(
      engine_options(options_.vfs != nullptr ? options_.vfs->name() : options_.file_vfs));
  if (!opened) return opened;
  (*opened)->on_open([this](engine::sqlite::Connection& db) {
    changes_.watch(db);
    if (options_.bug == StorageBug::busy_retried_as_statement) sqlite3_busy_timeout(db.handle(), 1);
    if (options_.bug == StorageBug::unlocked_checkpoint) sqlite3_wal_autocheckpoint(db.handle(), 1);
  });
  // There is always somebody who listens, so that a listener that throws can be a fault.
  (*opened)->add_observer([](const engine::Notice&) {});
  return opened;
}

std::unique_ptr<engine::Engine> EngineSut::open() {
  auto opened = try_open();
  if (!opened && engine::sqlite::is_contention(opened.error().fault)) return nullptr;
  LP_CHECK(opened.has_value(), opened.has_value() ? "" : opened.error().sentence.c_str());
  return std::move(*opened);
}

engine::Engine* EngineSut::engine_at(std::size_t depth) {
  if (engines_.size() <= depth) engines_.resize(depth + 1);
  if (engines_[depth] == nullptr) engines_[depth] = open();
  return engines_[depth].get();
}

engine::Engine& EngineSut::engine() {
  engine::Engine* engine = engine_at(depth_);
  LP_CHECK(engine != nullptr, "between calls nobody holds the write lock");
  return *engine;
}

void EngineSut::reset(const Config& config) {
  const bool reopen = config.synchronous != config_.synchronous;
  config_ = config;
  seam_->draw_from(0);
  if (reopen) drop_engines();
  if (options_.vfs != nullptr) begin_on_clean_disk();
  for (auto& engine : engines_) {
    if (engine == nullptr) continue;
    engine->set_busy_policy({config.busy_tries, 0, 0});
    engine->set_clock_slack_us(config.clock_slack_us);
  }
  if (options_.vfs == nullptr) {
    // On disk a second connection would keep the engine's last close from a checkpoint.
    const auto fault =
        engine::store::erase_everything(keeper_ != nullptr ? *keeper_ : engine().connection());
    LP_CHECK(fault == engine::sqlite::Fault::none, "a database of ours can be emptied");
  }
  changes_.changes().clear();
  read_in_full_ = true;
}

// Calls that stand still at a fault point are on the stack: their engines stay.
void EngineSut::drop_engines() {
  for (std::size_t i = depth_; i < engines_.size(); ++i) engines_[i].reset();
}

Reply EngineSut::apply(const CallFrame& frame) {
  const bool believes = options_.bug == StorageBug::commit_error_ignored && depth_ == 0 &&
                        frame.fault != nullptr &&
                        (frame.fault->plan.point == faults::point_of(faults::Operation::sync) ||
                         faults::place_of(frame.fault->plan.point) == faults::Place::commit);
  const faults::Disk before = believes ? options_.vfs->snapshot() : faults::Disk();
  seam_->depth = depth_;
  seam_->start_call();
  bool waited = frame.lock_wait_us == 0;
  const auto wait_for_lock = [&] {
    if (std::exchange(waited, true)) return;
    clock_.time_us = saturating_add(clock_.time_us, frame.lock_wait_us);
  };
  std::optional<faults::Armed> armed;
  // The disk is one for all calls, also for those that stand still.
  const bool at_disk = frame.fault != nullptr && faults::is_at_disk(frame.fault->plan.point);
  const auto plan =
      at_disk && options_.vfs != nullptr ? faults::io_plan_of(frame.fault->plan) : std::nullopt;
  const bool cannot_lose = frame.fault != nullptr && (options_.vfs == nullptr || depth_ > 0) &&
                           faults::needs_disk(frame.fault->plan.point, frame.fault->plan.kind);
  if (frame.fault != nullptr && !at_disk && !cannot_lose) {
    // Opening needs the lock that this call may hold by then.
    if (frame.fault->plan.kind == faults::Kind::interleave) engine_at(depth_ + 1);
    armed.emplace(frame.fault->plan, [&] {
      ++depth_;
      seam_->depth = depth_;
      frame.interleave();
      --depth_;
      seam_->depth = depth_;
    });
  } else if (!waited) {
    armed.emplace();
  }
  const auto call_word = fault_call(*frame.action);
  if (!waited && call_word) {
    armed->watch(faults::point_of(*call_word, faults::Place::begin), wait_for_lock);
  }
  Reply reply;
  try {
    engine::Engine* engine = engine_at(depth_);
    if (plan && !cannot_lose) options_.vfs->arm(*plan);
    if (engine == nullptr) {
      reply.outcome = Word::busy;
    } else {
      reply = call(*engine, frame);
    }
  } catch (const faults::Crash&) {
    reply.outcome = Word::crashed;
    const bool goes_on = newcomer_ != nullptr && frame.fault->plan.kind == faults::Kind::crash;
    if (options_.vfs != nullptr && depth_ == 0) {
      goes_on ? go_on() : die(*frame.fault);
    } else {
      engines_[depth_].reset();
    }
  }
  if (plan && !cannot_lose) {
    reply.fired = options_.vfs->fired();
    options_.vfs->disarm();
    if (reply.fired > 0 && faults::is_end(frame.fault->plan.kind)) {
      reply = Reply{Word::crashed, {}, 0, 0, false, reply.fired};
      die(*frame.fault);
    } else if (reply.fired > 0 && !engines_[depth_]->is_open()) {
      engines_[depth_].reset();
    }
  }
  wait_for_lock();
  if (const auto read = seam_->read()) {
    reply.read_clock = true;
    reply.now_us = *read;
  }
  if (!at_disk && armed && frame.fault != nullptr) reply.fired = armed->fired();
  if (options_.vfs != nullptr) reply.breach = breach();
  if (believes && reply.fired > 0) believe(frame, before, reply);
  return reply;
}

Reply EngineSut::call(engine::Engine& engine, const CallFrame& frame) {
  Reply reply;
  const auto unspoken = [&](const auto&) {
    reply.outcome = Outcome::invalid("this engine takes no part in such a call");
  };
  std::visit(
      Overload{
          [&](const model::Start& a) { reply.outcome = engine.start(a); },
          [&](const model::Ensure& a) { reply.outcome = engine.ensure(a); },
          [&](const model::Queue& a) { reply.outcome = engine.set_queue(a); },
          [&](const model::Refresh&) { reply.outcome = engine.refresh(); },
          [&](const model::Lease& a) {
            auto granted = engine.lease(a);
            reply.outcome = std::move(granted.outcome);
            reply.handle = std::move(granted.token);
          },
          [&](const model::Heartbeat& a) { reply.outcome = engine.heartbeat(frame.handle, a); },
          [&](const model::Checkpoint& a) { reply.outcome = engine.checkpoint(frame.handle, a); },
          [&](const model::Complete& a) {
            reply.outcome = engine.complete(frame.handle, a, {}, frame.given->receipt);
          },
          [&](const model::Fail& a) { reply.outcome = engine.fail(frame.handle, a); },
          [&](const model::Retry& a) { reply.outcome = engine.retry(a); },
          [&](const model::Cancel& a) { reply.outcome = engine.cancel(a); },
          [&](const model::Observe&) { reply.outcome = engine.observe(); },
          [&](const model::Snapshot& a) { reply.outcome = engine.snapshot(a); },
          [&](const model::SnapshotsSince& a) {
            auto page = engine.snapshots_since(frame.given->cursor, a.limit);
            reply.outcome = std::move(page.outcome);
            reply.cursor = page.cursor;
          },
          [&](const model::ContextPut& a) { reply.outcome = engine.put_context(a); },
          [&](const model::ContextRevoke& a) { reply.outcome = engine.revoke_context(a); },
          [&](const model::RequestApproval& a) {
            reply.outcome = engine.request_approval(frame.handle, a);
          },
          [&](const model::Decide& a) { reply.outcome = engine.decide(a); },
          [&](const model::Dispatch& a) {
            reply.outcome = engine.dispatch(frame.handle, a).outcome;
          },
          [&](const model::Reconcile& a) {
            reply.outcome = engine.reconcile(a, frame.given->found);
          },
          [&](const model::Close& a) { reply.outcome = engine.close(a); },
          [&](const model::Call& a) { unspoken(a); },
          [&](const model::Deliver& a) { unspoken(a); },
          [&](const model::Advance& a) { unspoken(a); },
          [&](const model::Restart& a) { unspoken(a); },
          [&](const model::Forget& a) { unspoken(a); },
      },
      *frame.action);
  return reply;
}

const model::Observation& EngineSut::observe() {
  auto& db = engine().connection();
  db.clear_fault();
  if (std::exchange(read_in_full_, false)) {
    changes_.changes().clear();
    return reader_.read_in_full(db);
  }
  return reader_.read_changes(db, changes_);
}

const model::Observation& EngineSut::observe_in_full() {
  read_in_full_ = true;
  return observe();
}

void EngineSut::journal(std::int64_t after, std::vector<JournalEvent>& out) {
  auto& db = engine().connection();
  db.clear_fault();
  each_event(db, after, [&](const JournalEvent& event) {
    out.push_back(event);
    return true;
  });
}

std::uint64_t EngineSut::unobserved_difference(const model::State& expected) {
  auto& db = engine().connection();
  db.clear_fault();
  std::uint64_t difference = 0;
  auto rows = db.query(static_cast<std::size_t>(Sql::unobserved_of_ops));
  while (rows.next()) {
    const model::Op* op = model::find_op(expected, rows.text(0));
    if (op == nullptr) continue;
    std::uint64_t columns = rows.maybe_integer(1) == op->deadline_us ? 0 : 1;
    if (rows.integer(2) != 0) {
      if ((rows.integer(3) != 0) != op->unsure) columns |= 2U;
      if (rows.integer(4) != op->dispatched_at_us) columns |= 4U;
      if (rows.integer(5) != op->call_before_us) columns |= 8U;
    }
    constexpr std::uint64_t column_count = 16;
    difference = difference * column_count + columns;
  }
  return difference;
}

std::optional<Readings> EngineSut::readings(const Readings& asked) {
  engine::Engine& engine = this->engine();
  Readings seen;
  engine::ForAPerson counts;
  engine.count_for_a_person(counts);
  seen.waiting_approval = counts.waiting_approval;
  seen.reconciling = counts.reconciling;
  std::vector<engine::UnknownEffect> unknown;
  engine.unknown_effects(unknown);
  for (auto& one : unknown) seen.unknown.push_back({one.op, one.key, one.contract});
  for (const auto& [op, work] : asked.work) {
    engine::Work told;
    if (engine.work(op, told).word != Word::ok) continue;
    seen.work[op] = {told.workflow,
                     told.kind,
                     told.input,
                     told.max_attempts,
                     told.deadline_us,
                     told.context,
                     told.dispatched_hash,
                     told.status,
                     told.generation,
                     told.attempts,
                     {told.checkpoints.begin(), told.checkpoints.end()}};
  }
  engine::Due due;
  engine.next_due(due);
  seen.expiry_us = due.expiry_us;
  for (const auto& queue : due.queues) seen.due_queues[{queue.site, queue.queue}] = queue.due_us;
  for (const auto& [since_us, cursor] : asked.cursors) {
    seen.cursors[since_us] = engine.cursor_at(since_us);
  }
  auto rows = engine.connection().query(static_cast<std::size_t>(Sql::approvals_to_review));
  while (rows.next()) {
    seen.requests.push_back({rows.string(0), rows.integer(1),
                             model::from_word<model::ApprovalStatus>(rows.text(2))
                                 .value_or(model::ApprovalStatus::pending),
                             rows.string(3), rows.string(5), rows.string(6), rows.integer(7),
                             rows.maybe_string(8), rows.maybe_integer(9)});
  }
  return seen;
}

bool EngineSut::speaks(const model::Action& /*action*/) const { return true; }

}  // namespace leaseproof::properties
