// Where an exhaustive search was ended, as a file that another run of the program goes on from.
//
// Promise: what is read is what was written, by the same search, whole and unchanged; anything else
// is refused by a sentence and nothing is begun.
#pragma once

#include <filesystem>
#include <string>

#include "properties/exhaustive.hpp"

namespace leaseproof::scenarios::cli {

// Which search it is: one that differs in any of this cannot go on from the file.
struct SearchedWorld {
  std::string world;
  std::string engine;
  properties::FaultBudget faults;
};

// Throws InputWrong with the file, what is wrong and what to do about it.
properties::ExhaustiveProgress read_progress(const std::filesystem::path& file,
                                             const SearchedWorld& searched);
// Throws EnvironmentFailed where the file cannot be written; it is never left half-written.
void write_progress(const std::filesystem::path& file, const SearchedWorld& searched,
                    const properties::ExhaustiveProgress& progress);

}  // namespace leaseproof::scenarios::cli
