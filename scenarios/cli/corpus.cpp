#include "scenarios/cli/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

namespace fs = std::filesystem;

std::vector<fs::path> corpus_folders() { return {LEASEPROOF_CORPUS, LEASEPROOF_REGRESSIONS}; }

std::vector<fs::path> trace_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code problem;
    if (!fs::exists(path, problem)) {
      throw InputWrong{
          fmt::format("{}: is no file and no folder; name trace files or folders of "
                      "them",
                      path.string())};
    }
    if (!fs::is_directory(path, problem)) {
      files.push_back(path);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : fs::directory_iterator(path, problem)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".json" && file.filename() != result_name) files.push_back(file);
    }
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

Scenario scenario_in(const fs::path& file) {
  const auto text = read_file(file);
  if (!text && text.error().environment) throw EnvironmentFailed{text.error().text};
  if (!text) throw InputWrong{text.error().text};
  auto scenario = read_scenario(*text, file.string());
  if (!scenario) throw InputWrong{scenario.error()};
  return std::move(*scenario);
}

std::vector<Scenario> scenarios_in(const std::vector<fs::path>& paths) {
  std::vector<Scenario> scenarios;
  for (const fs::path& file : trace_files(paths)) scenarios.push_back(scenario_in(file));
  return scenarios;
}

}  // namespace leaseproof::scenarios::cli
