// Reads what an event says: the call that the first event of each call carries, and how an op
// changed (SEMANTICS 1, event).
#pragma once

#include <optional>

#include "properties/journal_replay.hpp"
#include "properties/sut.hpp"

namespace leaseproof::scenarios {

// The event's `detail`: in `action` the words of TRACE 2 with now_us, outcome and the token's
// SHA-256, in `from` and `to` the op's status. Nothing where it cannot be read so.
std::optional<properties::DecodedEvent> decode_journal(const properties::JournalEvent& event);

// The two ways in which it is read. The first is quick, and knows only what this engine writes as a
// rule: nothing means that it does not know. Where it answers, the second answers the same.
std::optional<properties::DecodedEvent> decode_plain_journal(const properties::JournalEvent& event);
std::optional<properties::DecodedEvent> decode_any_journal(const properties::JournalEvent& event);

// The decoder for the journal of this engine.
properties::JournalDecoder decoder_for(properties::Sut& sut);

}  // namespace leaseproof::scenarios
