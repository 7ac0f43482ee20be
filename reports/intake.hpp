// Finds the result.json files of earlier runs and reads them.
//
// Promise: what is read fits the schema, or one line names file, place and mend. The same files are
// the same sources in the same order, in whatever order their folders are named, and a file that
// two folders lead to is one.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/place.hpp"

namespace leaseproof::reports {

inline constexpr const char* result_format = "leaseproof-result/1";

// One line: an input is wrong.
struct InputRefused {
  std::string text;
};

// All below the folders; a file may be named as well. Throws InputRefused, also where there is
// none.
std::vector<Source> read_results(const std::vector<std::filesystem::path>& folders);

// One document, as from `file`. Throws InputRefused.
Json read_result(const std::string& text, const std::string& file);

}  // namespace leaseproof::reports
