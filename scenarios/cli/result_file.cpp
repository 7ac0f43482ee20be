#include "scenarios/cli/result_file.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "faults/point.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/file.hpp"
#include "scenarios/interleaving.hpp"

namespace leaseproof::scenarios::cli {

namespace {

namespace fs = std::filesystem;

// "address,undefined" as a list.
Json words_of(std::string_view text) {
  Json words = Json::array();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    words.push_back(std::string(text.substr(0, comma)));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return words;
}

}  // namespace

Json build_json() {
#ifdef LEASEPROOF_FAULT_POINTS
  constexpr bool fault_points = true;
#else
  constexpr bool fault_points = false;
#endif
  return {{"leaseproof", LEASEPROOF_VERSION},
          {"compiler", LEASEPROOF_COMPILER},
          {"type", LEASEPROOF_BUILD_TYPE},
          {"sanitizers", words_of(LEASEPROOF_SANITIZERS)},
          {"fault_points", fault_points ? "in" : "out"}};
}

ResultFile::ResultFile(fs::path out) : out_(std::move(out)) {
  std::error_code problem;
  fs::remove(path(), problem);
  if (problem && problem != std::errc::no_such_file_or_directory &&
      problem != std::errc::not_a_directory) {
    throw EnvironmentFailed{
        fmt::format("{} of an earlier run cannot be removed: {}; name another folder by --out",
                    path().string(), problem.message())};
  }
}

Exit ResultFile::conclude(Json body, std::string_view command, Exit exit, Json timing,
                          bool json) const {
  body["format"] = result_format;
  body["command"] = command;
  body["exit"] = static_cast<int>(exit);
  body["verdict"] = word(exit);
  body["build"] = build_json();
  body["sqlite"] = sqlite_json();
  body["timing"] = std::move(timing);
  if (const auto written = write_file(path(), pretty(body)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
  if (json) print_document(body);
  return exit;
}

bool holds_no_more_than_a_result(const fs::path& folder) {
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().filename() != result_name) return false;
  }
  return !problem || problem == std::errc::no_such_file_or_directory;
}

Json kept_violation_json(const properties::Violation& violation, const std::string& file,
                         const std::string& engine, const std::optional<Replay>& replay) {
  Json json = violation_json(violation);
  json["file"] = fs::path(file).filename().string();
  json["replay_with"] = fmt::format("leaseproof replay{}", engine_option(engine));
  json["interleaving"] = nullptr;
  if (replay && !replay->course.frames.empty()) {
    const std::size_t broken =
        replay->violation ? replay->violation->step : replay->course.frames.size();
    json["interleaving"] = interleaving_json(replay->course, broken);
  }
  return json;
}

}  // namespace leaseproof::scenarios::cli
