// The words of TRACE 2: one step's action, as JSON and back.
//
// Promise: reading what was written gives an equal action; defaults come from the config of the
// file, as TRACE 1 says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary.hpp"
#include "scenarios/plain_reader.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/writer.hpp"

namespace leaseproof::scenarios {

// Reads `do` and the keys of that action; the caller reads the other keys and calls `end`.
model::Action read_action(Reader& reader);
model::Action read_action(PlainReader& reader);
void write_action(Writer& writer, const model::Action& action);

// The words that `do` can be.
std::vector<std::string_view> do_words();

// A `queue` of the config has the same keys as the action.
void fields(Reader& io, model::Queue& queue);
void fields(Writer& io, model::Queue& queue);

}  // namespace leaseproof::scenarios
