// An engine's database as its judges read it: whether the file is sound, and its journal.
//
// Promise: reads through the caller's connection, in the caller's transaction if there is one. A
// fault stays with the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

// Empty, or what SQLite finds damaged.
inline std::string damage_in(engine::sqlite::Connection& db) {
  auto rows = db.query(static_cast<std::size_t>(engine::store::Sql::check_integrity));
  if (!rows.next()) return "the database cannot be checked: " + db.message();
  return rows.text(0) == "ok" ? std::string() : rows.string(0);
}

// The events with seq > `after`, in order, until `take` answers false.
template <class Take>
void each_event(engine::sqlite::Connection& db, std::int64_t after, Take take) {
  auto rows =
      db.query(static_cast<std::size_t>(engine::store::Sql::events_after), after, INT64_MAX);
  JournalEvent event;
  while (rows.next()) {
    event.seq = rows.integer(0);
    event.call = rows.integer(1);
    event.at_us = rows.integer(2);
    event.generation = rows.integer(3);
    event.workflow = rows.text(4);
    event.op = rows.text(5);
    event.kind = rows.text(6);
    event.detail = rows.text(7);
    if (!take(event)) return;
  }
}

}  // namespace leaseproof::properties
