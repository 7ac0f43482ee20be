#include "engine/store/reading.hpp"

#include <cstddef>

#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {

using model::Outcome;
using model::Word;

Outcome snapshot(sqlite::Connection& db, std::string_view workflow) {
  std::int64_t row = 0;
  {
    auto rows = db.query(index(Sql::workflow_by_id), workflow);
    if (!rows.next()) return Word::not_found;
    row = rows.integer(0);
  }
  model::StatusCounts counts;
  auto rows = db.query(index(Sql::count_by_status), row);
  while (rows.next()) {
    if (const auto status = model::from_word<model::OpStatus>(rows.text(0))) {
      counts.counts[static_cast<std::size_t>(*status)] = rows.integer(1);
    }
  }
  return {Word::ok, counts};
}

namespace {

std::int64_t newest(sqlite::Connection& db, Sql id) {
  auto rows = db.query(index(id));
  return rows.next() ? rows.integer(0) : 0;
}

}  // namespace

Outcome snapshots_since(sqlite::Connection& db, std::int64_t limit, std::int64_t& cursor) {
  model::Page page;
  std::int64_t reached = cursor;
  // One row more than the page tells whether there is more.
  const std::int64_t asked = limit < INT64_MAX ? limit + 1 : limit;
  const bool by_events = newest(db, Sql::last_event) - newest(db, Sql::newest_workflow) < cursor;
  auto rows =
      db.query(index(by_events ? Sql::changed_since : Sql::changed_workflows), cursor, asked);
  while (rows.next()) {
    if (static_cast<std::int64_t>(page.workflows.size()) == limit) {
      page.more = true;
      break;
    }
    page.workflows.push_back(rows.string(0));
    reached = rows.integer(1);
  }
  cursor = reached;
  return {Word::ok, page};
}

std::int64_t cursor_at(sqlite::Connection& db, std::int64_t since_us) {
  auto rows = db.query(index(Sql::first_seq_since), since_us);
  if (rows.next() && !rows.is_null(0)) return rows.integer(0) - 1;
  // Nothing has changed since then: the reader starts behind the last event.
  return newest(db, Sql::last_event);
}

ForAPerson count_for_a_person(sqlite::Connection& db) {
  ForAPerson counts;
  auto rows = db.query(index(Sql::count_for_a_person));
  while (rows.next()) {
    (rows.text(0) == "reconciling" ? counts.reconciling : counts.waiting_approval) =
        rows.integer(1);
  }
  return counts;
}

Outcome read_work(sqlite::Connection& db, std::string_view op, Work& work) {
  std::int64_t row = 0;
  {
    auto rows = db.query(index(Sql::work_of), op);
    if (!rows.next()) return Word::not_found;
    work = {rows.string(0),
            rows.string(1),
            rows.string(2),
            rows.integer(3),
            rows.maybe_integer(4),
            rows.maybe_string(5),
            rows.maybe_string(6),
            model::from_word<model::OpStatus>(rows.text(7)).value_or(model::OpStatus::pending),
            rows.integer(8),
            rows.integer(9),
            {}};
    row = rows.integer(10);
  }
  auto rows = db.query(index(Sql::checkpoints_of), row);
  while (rows.next()) work.checkpoints.emplace_back(rows.string(0), rows.string(1));
  return Word::ok;
}

}  // namespace leaseproof::engine::store
