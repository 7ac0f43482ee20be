#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "properties/tidy/rules.hpp"
#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

using Patterns = std::vector<std::string_view>;

struct Row {
  std::string_view prefix;
  Patterns may;
  Patterns tests_also;
};

Patterns operator+(Patterns left, const Patterns& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const Patterns& posix() {
  static const Patterns headers{"fcntl.h",  "poll.h", "signal.h", "spawn.h", "sys/*.h",
                                "malloc.h", "pty.h",  "unistd.h", "stdlib.h"};
  return headers;
}

// The include table of ARCHITECTURE; the longest matching prefix decides. Headers of the standard
// library are allowed everywhere.
const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    const Patterns engine{"model/vocabulary.hpp", "faults/point.hpp", "sqlite3.h", "openssl/*",
                          "tl/expected.hpp"};
    const Patterns engine_tests = Patterns{"gtest/*", "faults/*", "engine/*_test.hpp"} + posix();
    const Patterns values{"engine/values/*"};
    const Patterns sqlite = values + Patterns{"engine/sqlite/*"};
    const Patterns store = sqlite + Patterns{"engine/store/*"};
    const Patterns under_test{"model/*", "faults/*", "engine/*"};
    const Patterns words{"tl/expected.hpp", "fmt/*", "sqlite3.h"};
    const Patterns properties = under_test + Patterns{"properties/*", "rapidcheck*"} + words;
    return std::vector<Row>{
        {"model/", {"model/*"}, {"gtest/*", "rapidcheck*"}},
        {"faults/", Patterns{"faults/*", "sqlite3.h", "fiu*.h"} + posix(), {"gtest/*"}},
        {"engine/values/", engine + values, engine_tests},
        {"engine/values/id_source", engine + values + Patterns{"sys/random.h"}, engine_tests},
        {"engine/sqlite/", engine + sqlite, engine_tests},
        {"engine/store/", engine + store, engine_tests},
        {"engine/scheduler/", engine + store + Patterns{"engine/scheduler/*"}, engine_tests},
        {"engine/effects/", engine + store + Patterns{"engine/effects/*"}, engine_tests},
        {"engine/", engine + Patterns{"engine/*"}, engine_tests},
        {"engine/examples/", engine + Patterns{"engine/*"} + posix(), {}},
        {"properties/", properties + posix(), {"gtest/*"}},
        {"scenarios/",
         properties + Patterns{"scenarios/*", "reports/*", "nlohmann/*", "CLI/*", "mimalloc*"} +
             posix(),
         {"gtest/*"}},
        {"scenarios/lab/",
         under_test + words + posix() +
             Patterns{"scenarios/*.hpp", "nlohmann/*", "curl/curl.h", "dlfcn.h"},
         {"gtest/*", "httplib.h", "openssl/*"}},
        {"bench/",
         Patterns{"bench/*", "engine/*", "model/*", "properties/*", "benchmark/*", "mimalloc*"} +
             words + posix(),
         {"gtest/*", "rapidcheck*"}},
        {"reports/",
         {"reports/*", "nlohmann/*"},
         {"gtest/*", "valijson/*", "sys/wait.h", "stdlib.h"}},
    };
  }();
  return rows;
}

const Row* row_of(std::string_view path) {
  const Row* best = nullptr;
  for (const Row& row : table()) {
    const bool here = path.substr(0, row.prefix.size()) == row.prefix;
    if (here && (best == nullptr || row.prefix.size() > best->prefix.size())) best = &row;
  }
  return best;
}

struct Include {
  std::size_t line;
  bool quoted;
  std::string name;
};

std::optional<Include> include_on(std::string_view line, std::size_t number) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return std::nullopt;
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos || line.substr(at, 7) != "include") return std::nullopt;
  at = line.find_first_of("\"<", at);
  if (at == std::string_view::npos) return std::nullopt;
  const bool quoted = line[at] == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', at + 1);
  return Include{number, quoted, std::string(line.substr(at + 1, end - at - 1))};
}

std::vector<Include> includes_of(const SourceFile& file) {
  // Blanked comments keep a commented-out include from counting.
  const std::string code = take_apart(file.text).code;
  const auto raw = lines_of(file.text);
  const auto lines = lines_of(code);
  std::vector<Include> includes;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (lines[i].find('#') == std::string_view::npos) continue;
    if (auto include = include_on(raw[i], i + 1)) includes.push_back(std::move(*include));
  }
  return includes;
}

bool is_test(std::string_view path) {
  return matches("*_test.cpp", path) || matches("*_test.hpp", path);
}

bool is_standard(const Include& include) {
  return !include.quoted && include.name.find_first_of("./") == std::string::npos;
}

bool is_from_the_root(std::string_view name) { return row_of(name) != nullptr; }

std::string why_forbidden(const SourceFile& file, const Row& row, const Include& include) {
  if (is_standard(include)) return "";
  if (include.quoted && !is_from_the_root(include.name)) {
    return include.name + " is either ours, then spell it from the root, or in angle brackets";
  }
  if (!include.quoted && is_from_the_root(include.name)) {
    return "write our own header " + include.name + " in quotes";
  }
  if (matches_any(row.may, include.name)) return "";
  if (is_test(file.path) && matches_any(row.tests_also, include.name)) return "";
  return std::string(row.prefix) + " must not include " + include.name;
}

using Edges = std::map<std::string, std::vector<Include>>;

Edges edges_of(const Files& files) {
  Edges edges;
  for (const SourceFile& file : files) edges[file.path] = includes_of(file);
  return edges;
}

// The headers that bring RapidCheck to whoever includes them.
std::set<std::string> headers_with_rapidcheck(const Edges& edges) {
  std::set<std::string> heavy;
  const auto brings = [&](const Include& include) {
    return matches("rapidcheck*", include.name) || heavy.contains(include.name);
  };
  // A header found late makes its includers heavy too, so look again until none is added.
  for (std::size_t before = heavy.size() + 1; before != heavy.size();) {
    before = heavy.size();
    for (const auto& [path, includes] : edges) {
      if (std::any_of(includes.begin(), includes.end(), brings)) heavy.insert(path);
    }
  }
  return heavy;
}

// Depth first; `chain_` is the includes that led here.
class CycleSearch {
 public:
  explicit CycleSearch(const Files& files) : edges_(edges_of(files)) {}

  Findings run() {
    for (const auto& [path, includes] : edges_) visit(path);
    return std::move(findings_);
  }

 private:
  void visit(const std::string& path) {
    if (done_.contains(path)) return;
    chain_.push_back(path);
    const auto includes = edges_.find(path);
    if (includes != edges_.end()) {
      for (const Include& include : includes->second) follow(path, include);
    }
    chain_.pop_back();
    done_.insert(path);
  }

  void follow(const std::string& from, const Include& include) {
    if (!include.quoted) return;
    const auto seen = std::find(chain_.begin(), chain_.end(), include.name);
    if (seen == chain_.end()) return visit(include.name);
    std::string why = "include cycle:";
    for (auto at = seen; at != chain_.end(); ++at) why += " " + *at + " >";
    findings_.push_back({from, include.line, why + " " + include.name});
  }

  Edges edges_;
  std::vector<std::string> chain_;
  std::set<std::string> done_;
  Findings findings_;
};

}  // namespace

Findings forbidden_includes(const SourceFile& file) {
  const Row* row = row_of(file.path);
  if (row == nullptr) return {{file.path, 1, "stands in no folder of the include table"}};
  Findings findings;
  for (const Include& include : includes_of(file)) {
    const std::string why = why_forbidden(file, *row, include);
    if (!why.empty()) findings.push_back({file.path, include.line, why});
  }
  return findings;
}

Findings rapidcheck_leaking_out(const Files& files) {
  const Edges edges = edges_of(files);
  const std::set<std::string> heavy = headers_with_rapidcheck(edges);
  Findings findings;
  for (const auto& [path, includes] : edges) {
    if (matches("properties/*", path)) continue;
    for (const Include& include : includes) {
      if (include.quoted && heavy.contains(include.name)) {
        findings.push_back({path, include.line, include.name + " brings RapidCheck with it"});
      }
    }
  }
  return findings;
}

Findings include_cycles(const Files& files) { return CycleSearch(files).run(); }

}  // namespace leaseproof::properties::tidy
