// Where trace files are, and reading many of them.
//
// Promise: files stand in the order in which they were named, those of a folder in that of their
// names.
#pragma once

#include <filesystem>
#include <vector>

#include "scenarios/codec.hpp"

namespace leaseproof::scenarios::cli {

// This program's own: the stories, and what searches have found.
std::vector<std::filesystem::path> corpus_folders();

// The files, and the trace files in the folders, where a result may lie beside them. Throws
// InputWrong where a path names neither.
std::vector<std::filesystem::path> trace_files(const std::vector<std::filesystem::path>& paths);

// Throws EnvironmentFailed or InputWrong with the one line that says what is wrong with it.
Scenario scenario_in(const std::filesystem::path& file);
std::vector<Scenario> scenarios_in(const std::vector<std::filesystem::path>& paths);

}  // namespace leaseproof::scenarios::cli
