// The document in which a command leaves what it found: `result.json` in its --out folder, and the
// same on standard output with --json.
//
// Promise: one format (reports/result.schema.json) for all commands; it names no host and no path
// but those of files beside it, and but for `timing` and what the machine decides it is a function
// of the command line. What stands in the folder after a run is of this run, or nothing is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "properties/violation.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/json.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

inline constexpr std::string_view result_format = "leaseproof-result/1";
inline constexpr std::string_view result_name = "result.json";

// Version, compiler, build type, sanitizers, and whether fault points are compiled in.
Json build_json();

// The one place of the result of a run. Made before the run, it takes away what an earlier one left
// there, so that a run that is killed leaves no result of another.
class ResultFile {
 public:
  explicit ResultFile(std::filesystem::path out);

  // Writes `body` with what every document says: format, command, verdict, build, SQLite, timing.
  // Prints it where `json` is set. Answers `exit`. Throws EnvironmentFailed where it cannot write.
  Exit conclude(Json body, std::string_view command, Exit exit, Json timing, bool json) const;
  [[nodiscard]] std::filesystem::path path() const { return out_ / result_name; }

 private:
  std::filesystem::path out_;
};

// Whether a folder is missing, empty, or holds a result and nothing else.
bool holds_no_more_than_a_result(const std::filesystem::path& folder);

// A violation of a run whose file stands beside the result: with the name of that file, how to
// replay it, and the interleaving as it came again in `replay`, where it did.
Json kept_violation_json(const properties::Violation& violation, const std::string& file,
                         const std::string& engine, const std::optional<Replay>& replay);

}  // namespace leaseproof::scenarios::cli
