#include "reports/intake.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "reports/schema.hpp"

namespace leaseproof::reports {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputRefused{file + ": " + what};
}

// "line 3, column 7" of a byte, counted from 1.
std::string position(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto begin = text.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(end);
  const auto line = std::count(begin, at, '\n') + 1;
  const std::size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = before == std::string::npos ? end + 1 : end - before;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) refuse(path.string(), "cannot be read; look at its permissions");
  return text.str();
}

// Letters, since each digit on a page is a figure that comes from a file.
std::string letters(std::size_t number) {
  constexpr std::size_t alphabet = 26;
  std::string text(1, static_cast<char>('A' + number % alphabet));
  return number < alphabet ? text : letters(number / alphabet - 1) + text;
}

// By its true path, so that a file is read once; it is named by the first of its names.
using Found = std::map<std::string, std::string>;

void add(const fs::path& path, Found& found) {
  const fs::path named = path.lexically_normal();
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  const std::string key = problem ? named.string() : real.string();
  const auto [at, added] = found.emplace(key, named.string());
  if (!added) at->second = std::min(at->second, named.string());
}

void look_into(const fs::path& folder, Found& found) {
  std::error_code problem;
  const fs::file_status status = fs::status(folder, problem);
  if (!fs::exists(status)) refuse(folder.string(), "there is no such folder; name one by --from");
  const std::size_t before = found.size();
  bool any = false;
  if (!fs::is_directory(status)) {
    add(folder, found);
    return;
  }
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().filename() != "result.json") continue;
    add(at->path(), found);
    any = true;
  }
  if (problem) refuse(folder.string(), "cannot be read: " + problem.message());
  if (!any && found.size() == before) {
    refuse(folder.string(),
           "holds no result.json; name the --out folder of a gate, check, explore, sweep, crash, "
           "stress, mutants or bench");
  }
}

}  // namespace

Json read_result(const std::string& text, const std::string& file) {
  constexpr const char* mend = "; let the command write it again";
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse(file, position(text, error.byte) + ": is no JSON" + mend);
  }
  const Json format = document.is_object() ? document.value("format", Json()) : Json();
  if (format != result_format) {
    refuse(file, "/format: is " + format.dump(-1, ' ', true) + ", and this program reads \"" +
                     result_format + "\"" + mend + " with this leaseproof");
  }
  if (const std::string problem = schema_problem(document); !problem.empty()) {
    refuse(file, problem + mend + " with this leaseproof");
  }
  return document;
}

std::vector<Source> read_results(const std::vector<fs::path>& folders) {
  Found found;
  for (const fs::path& folder : folders) look_into(folder, found);
  std::vector<std::string> names;
  for (const auto& [real, name] : found) names.push_back(name);
  std::sort(names.begin(), names.end());
  std::vector<Source> sources;
  for (const std::string& name : names) {
    Source& source = sources.emplace_back();
    source.id = letters(sources.size() - 1);
    source.file = name;
    source.folder = fs::path(name).parent_path().string();
    source.document = read_result(contents(name), name);
  }
  return sources;
}

}  // namespace leaseproof::reports
