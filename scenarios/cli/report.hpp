// A run as JSON (for machines) and a violation as text (for people).
#pragma once

#include <string>

#include "properties/tally.hpp"
#include "properties/violation.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/json.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

// Goals, invariants and faults by name: all rows, also those at zero.
Json tally_json(const properties::Tally& tally);
// How many cells were reached, and of each how often and in which run first: by action, then by the
// status of its op, the word of the answer and the fault.
Json coverage_json(const properties::Coverage& coverage);
Json violation_json(const properties::Violation& violation);
// Version, source id, whether it lies in the range of the WAL-reset race, and a note that says so.
Json sqlite_json();

// Prints what a command that keeps no result found as its one document, with what each of them
// says: which command it was, how it ended, on which build and SQLite, and how long it took.
Exit print_result(Json document, std::string_view command, Exit exit, Json timing);

// "no_stale_commit at step 7: why".
std::string headline(const properties::Violation& violation);
// The explanation of the run, the file, and how to replay it.
std::string told_violation(const Replay& replay, const std::string& file,
                           const std::string& engine);
std::string replay_line(const std::string& file, const std::string& engine);

}  // namespace leaseproof::scenarios::cli
