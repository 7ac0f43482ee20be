// The engine under test and its simulated disk: how it dies, opens again, and what the disk saw.
#include <sqlite3.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/store/catalog.hpp"
#include "engine/values/check.hpp"
#include "properties/engine_newcomer.hpp"
#include "properties/engine_seam.hpp"
#include "properties/engine_sut.hpp"
#include "properties/journal_reading.hpp"

namespace leaseproof::properties {

using engine::store::Sql;
using model::Word;

std::string EngineSut::fresh_disk_name() {
  static std::atomic<std::int64_t> made{0};
  return "leaseproof-disk-" + std::to_string(++made);
}

void EngineSut::keep_clean_disk() {
  drop_engines();
  clean_ = options_.vfs->snapshot();
  faults::PowerLoss nothing_lost;
  nothing_lost.stays.resize(clean_.units().size(), true);
  clean_.lose_power(nothing_lost);
}

// Emptying a database would leave its WAL and what was not synced to the next case, in which faults
// then strike elsewhere.
void EngineSut::begin_on_clean_disk() {
  if (!rewind()) {
    drop_engines();
    options_.vfs->start_over(clean_);
    LP_CHECK(wake_up(), "an empty database of ours can be opened");
    opened_ = options_.vfs->mark();
  }
  // Whether its pages were read before must not tell one case from another either.
  sqlite3_file_control(engine().connection().handle(), nullptr, SQLITE_FCNTL_RESET_CACHE, nullptr);
  unlocked_checkpoints_ = options_.vfs->unlocked_checkpoints();
}

// To open an engine takes longer than most cases.
bool EngineSut::rewind() {
  if (opened_ == nullptr || engines_.empty() || engines_.front() == nullptr) {
    return false;
  }
  for (std::size_t depth = 1; depth < engines_.size(); ++depth) engines_[depth].reset();
  return options_.vfs->rewind(*opened_);
}

class EngineSut::Kept final : public Snapshot {
 public:
  std::shared_ptr<const faults::Mark> mark;
  faults::Disk disk;  // for an engine that has lost its files since
  engine::store::StateReader reader;
};

std::shared_ptr<const Snapshot> EngineSut::snapshot() {
  if (options_.vfs == nullptr || read_in_full_) return nullptr;
  auto kept = std::make_shared<Kept>();
  kept->mark = options_.vfs->mark();
  kept->disk = options_.vfs->snapshot();
  kept->reader = reader_;
  return kept;
}

void EngineSut::restore(const Snapshot& snapshot) {
  const auto& kept = dynamic_cast<const Kept&>(snapshot);
  if (!options_.vfs->rewind(*kept.mark)) {
    drop_engines();
    options_.vfs->restore(kept.disk);
    LP_CHECK(wake_up(), "an engine can be opened where one stood");
  }
  reader_ = kept.reader;
  read_in_full_ = false;
  changes_.changes().clear();
}

void EngineSut::let_go() {
  for (const auto& engine : engines_) {
    if (engine == nullptr || !engine->is_open()) continue;
    sqlite3_db_config(engine->connection().handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  drop_engines();
}

void EngineSut::draw_ids_as(std::uint64_t process) { seam_->draw_from(process << 32U); }

void EngineSut::die(const StepFault& fault) {
  const faults::Disk disk = options_.vfs->snapshot();
  // So that closing what was open no longer reaches the disk.
  options_.vfs->cut_power();
  drop_engines();
  if (fault.plan.kind == faults::Kind::crash) {
    options_.vfs->restore(disk);
    return;
  }
  faults::PowerLoss loss;
  loss.stays.resize(disk.units().size());
  for (const std::int64_t sector : fault.torn_sectors) {
    if (sector >= 0 && static_cast<std::size_t>(sector) < loss.stays.size()) {
      loss.stays[static_cast<std::size_t>(sector)] = true;
    }
  }
  options_.vfs->lose_power(loss);
}

void EngineSut::outlive_crashes() {
  if (options_.vfs != nullptr) newcomer_ = std::make_unique<Newcomer>();
}

// What a process had begun ends with it, and its locks are free.
void EngineSut::go_on() {
  newcomer_->crashed(options_.vfs->snapshot());
  auto& db = engine().connection();
  db.clear_fault();
  if (db.in_transaction()) db.execute(static_cast<std::size_t>(Sql::rollback));
  db.clear_fault();
}

Reopened EngineSut::start_beside() {
  Reopened reopened;
  const model::Observation* found = newcomer_->find(engine_options({}), reopened.lost);
  if (found != nullptr && !(*found == observe())) {
    reopened.lost =
        "an engine that starts after the crash finds something else than one that goes on";
  }
  return reopened;
}

Reopened EngineSut::restart(const StepFault* fault) {
  if (newcomer_ != nullptr && newcomer_->is_wanted()) return start_beside();
  Reopened reopened;
  const auto plan =
      fault == nullptr || options_.vfs == nullptr ? std::nullopt : faults::io_plan_of(fault->plan);
  read_in_full_ = true;
  if (plan) options_.vfs->arm(*plan);
  drop_engines();
  auto opened = try_open();
  if (plan) {
    reopened.fired = options_.vfs->fired();
    options_.vfs->disarm();
  }
  if (reopened.fired > 0 && faults::is_end(fault->plan.kind)) {
    die(*fault);
    opened = try_open();
    reopened.outcome = Word::crashed;
  } else if (reopened.fired > 0 && !opened) {
    reopened.outcome =
        engine::sqlite::is_contention(opened.error().fault) ? Word::busy : Word::storage_error;
    opened = try_open();
  }
  if (opened) {
    engines_[depth_] = std::move(*opened);
  } else {
    reopened.lost = opened.error().sentence;
  }
  return reopened;
}

std::string EngineSut::damage() {
  auto& db = engine().connection();
  db.clear_fault();
  return damage_in(db);
}

bool EngineSut::wake_up() { return restart(nullptr).lost.empty(); }

void EngineSut::believe(const CallFrame& frame, const faults::Disk& before, Reply& reply) {
  const Word word = reply.outcome.word;
  if (word != Word::storage_error && word != Word::commit_unknown) return;
  const faults::Disk after = options_.vfs->snapshot();
  options_.vfs->restore(before);
  if (wake_up()) {
    const std::int64_t fired = reply.fired;
    reply = call(*engines_[depth_], frame);
    reply.fired = fired;
  }
  options_.vfs->restore(after);
  static_cast<void>(wake_up());
}

std::string EngineSut::breach() {
  if (seam_->was_read_unlocked()) return "the clock was read before the write lock was held";
  const std::int64_t checkpoints = options_.vfs->unlocked_checkpoints();
  if (checkpoints == std::exchange(unlocked_checkpoints_, checkpoints)) return {};
  return "a checkpoint ran while nothing kept other connections from writing";
}

}  // namespace leaseproof::properties
