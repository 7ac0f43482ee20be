// The journal of an engine beside what it lets observe, both ways.
//
// Promise: what was written reads back equal. The events of an answer are those that were asked
// for, in their order, up to the last one; an answer that goes back or ends too early is refused.
// Whether the journal itself has a gap is for its invariant to judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/sut.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

// A JSON list.
void write_events(std::string& out, const std::vector<properties::JournalEvent>& events);

struct SeenJournal {
  std::int64_t count = 0;     // of all events that there are
  std::int64_t last_seq = 0;  // 0: there are none
  std::vector<properties::JournalEvent> events;
};
// `events` and `journal` of an answer to an observation that asked for all events after `after`.
SeenJournal read_journal(Reader& reader, std::int64_t after);

}  // namespace leaseproof::scenarios
