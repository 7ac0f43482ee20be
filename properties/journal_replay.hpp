// The journal replayed: the calls that it records, in order, through a fresh model (I11).
//
// Promise: knows no JSON and no SQL; the caller brings a decoder. Two engines whose journals decode
// to the same calls get the same verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/state.hpp"
#include "model/vocabulary.hpp"
#include "properties/readings.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

// What the first event of a call says about it (SEMANTICS 1, event): the call in the words of TRACE
// 2. The replay works out `given.lease_generation` and `given.cursor` itself.
struct DecodedCall {
  model::Action action;
  model::Given given;
  model::Outcome outcome;
  // SHA-256 of the token: of a worker call the one it was made under, of a `leased` outcome the one
  // that it gave. Empty elsewhere.
  std::string token;
};
// Nothing where the detail cannot be read; the replay then says so.
using JournalDecoder = std::function<std::optional<DecodedCall>(const JournalEvent&)>;

// One sentence that names the event and what is wrong, or empty: replaying is legal at each step,
// answers what was recorded, writes as many events, and gives exactly `seen`. `expected`, where
// somebody asks for it, is what else must be read of such an engine.
std::string replay_journal(const std::vector<JournalEvent>& events, const JournalDecoder& decode,
                           const model::Settings& settings, const model::Observation& seen,
                           Readings* expected = nullptr);

}  // namespace leaseproof::properties
