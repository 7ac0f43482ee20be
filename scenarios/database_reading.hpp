// Reads of a database for people and scripts; each belongs to a read transaction of the caller's,
// so that what is listed tells of one moment.
#pragma once

#include <cstdint>
#include <string>

#include "engine/sqlite/connection.hpp"
#include "model/vocabulary.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

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

// One line for people.
std::string event_text(const Json& event);
std::string workflow_text(const std::string& id, const model::WorkflowView& workflow);

// What reviewers decide on, oldest first: the whole payload beside the hash that binds the
// decision to it.
Json read_approvals(engine::sqlite::Connection& db);
// How many ops wait for a person in the whole database, by status.
Json read_for_a_person(engine::sqlite::Connection& db);

}  // namespace leaseproof::scenarios
