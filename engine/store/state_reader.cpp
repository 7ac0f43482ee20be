#include "engine/store/state_reader.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "engine/store/catalog.hpp"
#include "engine/values/check.hpp"

namespace leaseproof::engine::store {
namespace {

template <class... Args>
sqlite::Rows read_rows(sqlite::Connection& db, Sql id, const Args&... args) {
  return db.query(static_cast<std::size_t>(id), args...);
}

model::WorkflowStatus status_of(sqlite::Connection& db, std::int64_t row,
                                const model::WorkflowView& view) {
  const auto count = [&](model::OpStatus status) {
    return view.counts[static_cast<std::size_t>(status)];
  };
  const std::int64_t active = count(model::OpStatus::pending) + count(model::OpStatus::ready) +
                              count(model::OpStatus::running) +
                              count(model::OpStatus::waiting_approval) +
                              count(model::OpStatus::reconciling);
  if (active > 0) return model::WorkflowStatus::running;
  if (view.cancel_requested) return model::WorkflowStatus::canceled;
  auto rows = read_rows(db, Sql::undone_is_excused, row);
  return rows.next() && rows.integer(0) == 1 ? model::WorkflowStatus::succeeded
                                             : model::WorkflowStatus::failed;
}

}  // namespace

void ChangeList::watch(sqlite::Connection& db) {
  sqlite3_update_hook(
      db.handle(),
      [](void* list, int, const char*, const char* table, sqlite3_int64 row) {
        // Approvals and effects share their first letter with artifacts and events.
        const std::string_view name(table);
        const char letter = name == "approval" ? 'A' : name == "effect" ? 'E' : name[0];
        static_cast<ChangeList*>(list)->changes_.push_back({letter, row});
      },
      this);
}

// Columns of observe_ops. A fresh row replaces what was known of the op; its artifacts and
// checkpoints stay, since they live in tables of their own.
void StateReader::take_op(const sqlite::Rows& rows, bool fresh) {
  const std::int64_t row = rows.integer(0);
  OpRow& known = ops_[row];
  if (known.id.empty()) known = {rows.string(1), rows.integer(2)};
  const auto [place, inserted] = state_.ops.try_emplace(known.id);
  model::OpView& view = place->second;
  const auto status = model::from_word<model::OpStatus>(rows.text(3));
  LP_CHECK(status.has_value(), "the schema knows each op status");
  if (inserted) view.workflow = workflows_[known.workflow];
  auto& counts = state_.workflows[view.workflow].counts;
  if (!inserted && !fresh) --counts[static_cast<std::size_t>(view.status)];
  ++counts[static_cast<std::size_t>(*status)];
  view.status = *status;
  view.generation = rows.integer(4);
  view.attempts = rows.integer(5);
  view.next_attempt_us = rows.maybe_integer(6);
  view.error = rows.maybe_string(7);
  view.lease.reset();
  if (!rows.is_null(9)) view.lease = {rows.string(8), rows.integer(9), rows.integer(10)};
  view.result = rows.maybe_string(11);
  if (rows.is_null(12)) return;
  const auto effect = model::from_word<model::EffectStatus>(rows.text(12));
  LP_CHECK(effect.has_value(), "the schema knows each effect status");
  view.effect = {*effect, rows.maybe_string(13), rows.maybe_string(14)};
}

void StateReader::read_approvals(sqlite::Connection& db) {
  auto rows = read_rows(db, Sql::observe_approvals);
  while (rows.next()) {
    const auto status = model::from_word<model::ApprovalStatus>(rows.text(2));
    LP_CHECK(status.has_value(), "the schema knows each approval status");
    state_.ops[ops_[rows.integer(0)].id].approval = {rows.integer(1), *status, rows.string(3)};
  }
}

void StateReader::read_op(sqlite::Connection& db, std::int64_t row) {
  auto rows = read_rows(db, Sql::observe_op, row);
  if (rows.next()) take_op(rows, false);
}

void StateReader::read_owned_rows(sqlite::Connection& db) {
  for (auto& [id, view] : state_.ops) {
    view.artifacts.clear();
    view.checkpoints.clear();
  }
  {
    auto rows = read_rows(db, Sql::observe_artifacts);
    while (rows.next()) {
      state_.ops[ops_[rows.integer(0)].id].artifacts.emplace(rows.string(1), rows.string(2));
    }
  }
  auto rows = read_rows(db, Sql::observe_checkpoints);
  while (rows.next()) {
    state_.ops[ops_[rows.integer(0)].id].checkpoints.emplace(rows.string(1), rows.string(2));
  }
}

void StateReader::read_workflows(sqlite::Connection& db) {
  auto rows = read_rows(db, Sql::observe_workflows);
  while (rows.next()) {
    std::string& id = workflows_[rows.integer(0)];
    if (id.empty()) id = rows.string(1);
    state_.workflows[id].cancel_requested = rows.integer(2) == 1;
  }
}

void StateReader::read_queues(sqlite::Connection& db) {
  auto rows = read_rows(db, Sql::observe_queues);
  while (rows.next()) {
    state_.queues[{rows.string(0), rows.string(1)}].tokens = rows.integer(2);
  }
}

// Counts that follow from the ops as they now stand.
void StateReader::count_again(sqlite::Connection& db) {
  for (const auto& [row, id] : workflows_) {
    auto& view = state_.workflows[id];
    view.status = status_of(db, row, view);
  }
  for (auto& [queue, view] : state_.queues) {
    auto rows = read_rows(db, Sql::queue_running, queue.first, queue.second);
    view.running = rows.next() ? rows.integer(0) : 0;
  }
}

const model::Observation& StateReader::read_in_full(sqlite::Connection& db) {
  state_ = {};
  ops_.clear();
  workflows_.clear();
  read_workflows(db);
  {
    auto rows = read_rows(db, Sql::observe_ops);
    while (rows.next()) take_op(rows, true);
  }
  read_owned_rows(db);
  read_approvals(db);
  read_queues(db);
  count_again(db);
  auto rows = read_rows(db, Sql::count_events);
  if (rows.next()) {
    state_.events = rows.integer(0);
    state_.last_seq = rows.integer(1);
  }
  return state_;
}

const model::Observation& StateReader::read_changes(sqlite::Connection& db, ChangeList& list) {
  auto& changes = list.changes();
  if (changes.empty()) return state_;
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.row, a.table) < std::tie(b.row, b.table);
  });
  bool owned_rows = false;
  bool approvals = false;
  bool workflows = false;
  bool queues = false;
  bool events = false;
  for (const auto& change : changes) {
    workflows = workflows || change.table == 'w';
    queues = queues || change.table == 'q';
    approvals = approvals || change.table == 'A';
    owned_rows = owned_rows || change.table == 'a' || change.table == 'c';
    events = events || change.table == 'e';
  }
  if (workflows) read_workflows(db);
  std::int64_t done = 0;
  for (const auto& change : changes) {
    const bool of_op =
        change.table == 'o' || change.table == 'l' || change.table == 'r' || change.table == 'E';
    if (!of_op || change.row == done) continue;
    done = change.row;
    read_op(db, change.row);
  }
  changes.clear();
  if (owned_rows) read_owned_rows(db);
  if (approvals) read_approvals(db);
  if (queues) read_queues(db);
  count_again(db);
  if (events) {
    // Counting every event on each step would cost more than the step; the full read does it.
    auto rows = read_rows(db, Sql::last_event);
    if (rows.next()) state_.events = state_.last_seq = rows.integer(0);
  }
  return state_;
}

}  // namespace leaseproof::engine::store
