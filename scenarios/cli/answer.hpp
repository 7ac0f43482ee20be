// What an answer of the engine is worth to whoever gave a command: the same in every command.
#pragma once

#include "model/outcome.hpp"
#include "scenarios/cli/command.hpp"

namespace leaseproof::scenarios::cli {

// EnvironmentFailed for `busy`, `storage_error` and `commit_unknown`; InputWrong for `invalid`.
void check_answer(const model::Outcome& outcome);

// What was asked for is done.
bool is_done(const model::Outcome& outcome);

// Of a checked answer. `unknown` is no mistake of the caller's, and nothing is done either.
Exit exit_of(const model::Outcome& outcome);

}  // namespace leaseproof::scenarios::cli
