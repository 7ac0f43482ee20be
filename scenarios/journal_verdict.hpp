// A database's whole journal played through the model, and the first event that is wrong explained.
//
// Promise: reads only, in the transaction of the caller's connection, so that engines may go on
// meanwhile. What was done by how many threads and processes, and how many of them were killed,
// makes no difference: every change wrote its event in its own transaction, so that the journal is
// their true order.
#pragma once

#include <cstdint>
#include <string>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::scenarios {

struct JournalVerdict {
  enum class End : std::uint8_t {
    sound,
    wrong,    // an event, or the tables
    midway,   // the journal begins with the migration of an older database
    damaged,  // the file itself
  };
  End end = End::sound;
  std::int64_t events = 0;
  std::int64_t calls = 0;
  std::int64_t seq = 0;  // of the wrong event; 0: no event is wrong, the tables are
  std::string why;       // one sentence; empty where it is sound
  // Where an answer is wrong: the call, what the model answers, which guard decides, and the op
  // before it. Lines.
  std::string explanation;
};

// `clock_slack_us` as the engines were given it. Faults of reading stay with the connection.
JournalVerdict verify_journal(engine::sqlite::Connection& db, std::int64_t clock_slack_us);

}  // namespace leaseproof::scenarios
