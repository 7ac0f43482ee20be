// A database that is looked at and never changed: one read transaction, so that everything that is
// read tells of the same moment.
//
// Promise: opens without creating, migrating or locking; what cannot be opened or read is one line,
// as in database_file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/scheduler/system_clock.hpp"
#include "engine/sqlite/connection.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

class DatabaseReading {
 public:
  // Throws InputWrong or EnvironmentFailed, also from `end`.
  explicit DatabaseReading(const std::string& path);
  engine::sqlite::Connection& db() { return *db_; }
  // After the last row: whatever could not be read is told now.
  void end();

 private:
  std::string path_;
  engine::SystemClock clock_;
  std::vector<std::string> texts_;
  std::unique_ptr<engine::sqlite::Connection> db_;
};

// Which events are listed; an empty text takes all.
struct EventFilter {
  std::int64_t after = 0;
  std::int64_t limit = INT64_MAX;
  std::string workflow;
  std::string op;
  std::string kind;
};

struct EventList {
  Json events = Json::array();
  std::int64_t cursor = 0;  // `after` of the next page
  bool more = false;
};

EventList read_events(engine::sqlite::Connection& db, const EventFilter& filter);
std::string event_text(const Json& event);
// What reviewers decide on: the whole payload beside the hash that binds the decision to it.
Json read_approvals(engine::sqlite::Connection& db);
// How many ops wait for a person in the whole database, by status.
Json read_for_a_person(engine::sqlite::Connection& db);

}  // namespace leaseproof::scenarios::cli
