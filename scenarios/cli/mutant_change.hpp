// What a mutant changes, for who shows it beside the text that it was made of.
//
// Promise: a statement is told by its name, once, and a mutant by what stands there instead.
#pragma once

#include <vector>

#include "scenarios/cli/mutant_hunting.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

// {"kind": automatic, statement, storage or code; "statement": its name, or null; "mutated": the
// text in its place, or null}. Of a planted bug that changes several statements, the first.
Json change_json(const HuntedMutant& mutant);

// The texts, by name, of all statements that these mutants change.
Json statements_json(const std::vector<HuntedMutant>& mutants);

}  // namespace leaseproof::scenarios::cli
