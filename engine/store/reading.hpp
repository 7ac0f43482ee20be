// Snapshots, the pages of changed workflows (SEMANTICS 7, I14), and what one op carries. Each is
// one read transaction of the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// What a worker needs to do an op. JSON values are canonical text.
struct Work {
  std::string workflow;
  std::string kind;
  std::string input;
  std::int64_t max_attempts = 0;
  std::optional<std::int64_t> deadline_us;
  // The payload of the context revision that the op pinned, also when it is over; absent without a
  // context. Whether it still holds is judged by the calls (SEMANTICS 3, `context_invalid`).
  std::optional<std::string> context;
  // SHA-256 of the payload of the newest dispatch; absent before one.
  std::optional<std::string> dispatched_hash;
  // As they stand now: the newest lease's, if there is one.
  model::OpStatus status = model::OpStatus::pending;
  std::int64_t generation = 0;
  std::int64_t attempts = 0;
  // (step, payload) of every attempt so far, by step.
  std::vector<std::pair<std::string, std::string>> checkpoints;
};

// Ops that go on only when a person says something.
struct ForAPerson {
  std::int64_t waiting_approval = 0;
  std::int64_t reconciling = 0;
};

// Of the whole database.
ForAPerson count_for_a_person(sqlite::Connection& db);

// `ok` and what the op carries, or `not_found`.
model::Outcome read_work(sqlite::Connection& db, std::string_view op, Work& work);

// `ok` with the counts per status, or `not_found`.
model::Outcome snapshot(sqlite::Connection& db, std::string_view workflow);

// `ok` with up to `limit` workflows whose last event is past `cursor`, oldest first. `cursor` moves
// to the last event of the page's last workflow.
model::Outcome snapshots_since(sqlite::Connection& db, std::int64_t limit, std::int64_t& cursor);

// Where a reader stands that wants every workflow whose last change was at or after `since_us`.
std::int64_t cursor_at(sqlite::Connection& db, std::int64_t since_us);

}  // namespace leaseproof::engine::store
