#include "properties/stress_plant.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "engine/scheduler/supervisor.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::properties {

using engine::Notice;
using engine::store::Sql;

namespace {

// Of each thread, since each waits for the lock by itself.
std::optional<std::int64_t>& stands_at() {
  thread_local std::optional<std::int64_t> stands_at_us;
  return stands_at_us;
}

class LeavingSupervisor final : public engine::Supervisor {
 public:
  using Supervisor::Supervisor;

 protected:
  void join_beat() override {}
};

std::string text_of(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

std::int64_t StandingClock::now_us() {
  const std::optional<std::int64_t> stood_us = std::exchange(stands_at(), std::nullopt);
  return stood_us ? *stood_us : clock_->now_us();
}

void StandingClock::stand_still() {
  if (!stands_at()) stands_at() = clock_->now_us();
}

StressPlant::StressPlant(ConcurrencyBug bug, engine::Clock& clock, std::string path)
    : bug_(bug), clock_(clock), path_(std::move(path)), texts_(engine::store::catalog_texts()) {}

StressPlant::~StressPlant() = default;

void StressPlant::bend(engine::Options& options) {
  if (bug_ == ConcurrencyBug::moment_before_the_lock) options.clock = &clock_;
  if (auto texts = texts_of_concurrency_bug(bug_)) options.statements = std::move(texts);
}

engine::SchedulerSeam StressPlant::seam() const {
  engine::SchedulerSeam seam;
  if (bug_ == ConcurrencyBug::heartbeat_not_joined) {
    seam.supervisor = [](engine::Alarms& alarms, engine::Clock& clock) {
      return std::make_unique<LeavingSupervisor>(alarms, clock);
    };
  }
  return seam;
}

engine::Runner StressPlant::around(engine::Runner runner) const {
  if (bug_ != ConcurrencyBug::one_at_a_time) return runner;
  return [turn = turn_, runner = std::move(runner)](engine::Attempt& attempt) {
    const std::lock_guard lock(*turn);
    return runner(attempt);
  };
}

void StressPlant::observe(engine::Engine& engine, engine::Observer observer) {
  observer_ = std::move(observer);
  engine.add_observer([this](const Notice& notice) {
    const bool was_announced = bug_ == ConcurrencyBug::observer_in_the_transaction;
    if (notice.call == 0 || !was_announced) observer_(notice);
  });
  engine.on_open([this](engine::sqlite::Connection& db) { bend(db); });
}

void StressPlant::bend(engine::sqlite::Connection& db) {
  const auto add = [&](const char* name, int arguments,
                       void (*call)(sqlite3_context*, int, sqlite3_value**)) {
    sqlite3_create_function(db.handle(), name, arguments, SQLITE_UTF8, this, call, nullptr,
                            nullptr);
  };
  add(announced, 4, [](sqlite3_context* context, int, sqlite3_value** given) {
    auto* const plant = static_cast<StressPlant*>(sqlite3_user_data(context));
    if (sqlite3_value_type(given[2]) != SQLITE_NULL) {
      const std::string verb = text_of(given[2]);
      plant->observer_(
          {sqlite3_value_int64(given[1]), sqlite3_value_int64(given[3]), verb, {}, {}});
    }
    sqlite3_result_int64(context, sqlite3_value_int64(given[0]));
  });
  add(running_before, 2, [](sqlite3_context* context, int, sqlite3_value** given) {
    auto* const plant = static_cast<StressPlant*>(sqlite3_user_data(context));
    sqlite3_result_int64(context, plant->running_before_it(text_of(given[0]), text_of(given[1])));
  });
  if (bug_ == ConcurrencyBug::moment_before_the_lock ||
      bug_ == ConcurrencyBug::cap_before_the_transaction) {
    sqlite3_trace_v2(db.handle(), SQLITE_TRACE_STMT, statement_begins, this);
  }
}

int StressPlant::statement_begins(unsigned, void* plant, void*, void* text) {
  static_cast<StressPlant*>(plant)->begins(static_cast<const char*>(text));
  return 0;
}

void StressPlant::begins(const char* text) {
  const auto is = [&](Sql id) { return texts_[index(id)] == text; };
  if (is(Sql::begin_write)) {
    if (bug_ == ConcurrencyBug::moment_before_the_lock) clock_.stand_still();
    if (bug_ == ConcurrencyBug::cap_before_the_transaction) look_before_the_lock();
  }
  if (looks_ && (is(Sql::commit) || is(Sql::rollback))) {
    other_->execute(index(Sql::commit));
    looks_ = false;
  }
}

void StressPlant::look_before_the_lock() {
  if (looks_) return;
  engine::sqlite::Fault fault{};
  if (other_ == nullptr) {
    other_ = engine::sqlite::Connection::open({path_, {}, true, false}, texts_, fault);
    if (other_ == nullptr) return;
  }
  other_->clear_fault();
  other_->execute(index(Sql::begin_read));
  // A snapshot is taken at the first read.
  other_->execute(index(Sql::last_event));
  looks_ = true;
  // Long enough for another process to do the same.
  constexpr std::int64_t head_start_us = 2'000;
  clock_.wait_us(head_start_us);
}

std::int64_t StressPlant::running_before_it(const std::string& site, const std::string& queue) {
  if (!looks_) return 0;
  auto rows = other_->query(index(Sql::queue_running), site, queue);
  return rows.next() ? rows.integer(0) : 0;
}

}  // namespace leaseproof::properties
