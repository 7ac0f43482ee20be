#include "reports/mutation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace leaseproof::reports {

namespace {

// From 1, as the schema counts; a column is a byte.
Json point_in(const std::string& text, std::size_t at) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  const auto line = std::count(text.begin(), end, '\n') + 1;
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return {{"line", line}, {"column", before == std::string::npos ? at + 1 : at - before}};
}

struct Change {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;
};

// What differs between the two, without what they begin and end alike.
Change change_between(const std::string& before, const std::string& after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < shorter && before[begin] == after[begin]) ++begin;
  std::size_t tail = 0;
  while (tail < shorter - begin &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  return {begin, before.size() - tail, after.substr(begin, after.size() - tail - begin)};
}

std::string_view status_of(const Mutant& mutant) {
  if (mutant.survived()) return "Survived";
  if (mutant.is_equivalent()) return "Ignored";
  if (mutant.end.value() == "endless") return "Timeout";
  return mutant.end.value() == "aborted" ? "RuntimeError" : "Killed";
}

// "own_to_complete/drop/10": what was done to the statement.
std::string mutator_of(const Mutant& mutant) {
  const std::string& name = mutant.name.shown;
  const std::size_t first = name.find('/');
  const std::size_t last = name.rfind('/');
  if (mutant.kind != "automatic" || first == last) return mutant.kind;
  return name.substr(first + 1, last - first - 1);
}

class Files {
 public:
  void add(const Hunt& hunt, const Mutant& mutant) {
    // The same mutant in two results is told once, and what survived anywhere survived.
    const std::string id = mutant.name.shown;
    const auto [at, added] = seen_.emplace(id, std::pair<std::string, std::size_t>{});
    if (!added) {
      Json& before = files_[at->second.first]["mutants"][at->second.second];
      if (mutant.survived()) before["status"] = status_of(mutant);
      return;
    }
    Json one{{"id", id},
             {"mutatorName", mutator_of(mutant)},
             {"description", mutant.change.text()},
             {"status", status_of(mutant)}};
    if (const Json* by = mutant.caught_by()) {
      one["statusReason"] = by->is_string() ? *by : Json("caught");
    }
    const std::string name = place(hunt, mutant, one);
    Json& mutants = files_[name]["mutants"];
    at->second = {name, mutants.size()};
    mutants.push_back(std::move(one));
  }

  Json take() { return std::move(files_); }

 private:
  // The file in which it stands; its location is set.
  std::string place(const Hunt& hunt, const Mutant& mutant, Json& one) {
    const Place statement = mutant.place / "statement";
    if (!statement.is_null() && (hunt.place / "statements").has(statement.text())) {
      const std::string source = (hunt.place / "statements" / statement.text()).text();
      const Change change = change_between(source, (mutant.place / "mutated").text());
      one["location"] = {{"start", point_in(source, change.begin)},
                         {"end", point_in(source, change.end)}};
      one["replacement"] = change.replacement;
      const std::string name = "statements/" + statement.text() + ".sql";
      files_[name]["language"] = "sql";
      files_[name]["source"] = source;
      return name;
    }
    // A line of its own.
    const std::string name = mutant.kind + ".txt";
    Json& file = files_[name];
    std::string text = file.is_null() ? std::string() : file["source"].get<std::string>();
    const std::size_t begin = text.size();
    std::string line = mutant.change.text();
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line;
    one["location"] = {{"start", point_in(text, begin)}, {"end", point_in(text, text.size())}};
    file["language"] = "text";
    file["source"] = text + "\n";
    return name;
  }

  Json files_ = Json::object();
  std::map<std::string, std::pair<std::string, std::size_t>> seen_;
};

}  // namespace

std::string mutation_report(const Report& report) {
  Files files;
  for (const Hunt& hunt : report.evidence.hunts) {
    for (const Mutant& mutant : hunt.mutants) files.add(hunt, mutant);
  }
  // One that survives is a hole: there is no share of them that would do.
  const Json document{{"$schema", "https://git.io/mutation-testing-schema"},
                      {"schemaVersion", "1.0"},
                      {"thresholds", {{"high", 100}, {"low", 100}}},
                      {"framework", {{"name", "leaseproof"}}},
                      {"files", files.take()}};
  return document.dump(1) + "\n";
}

}  // namespace leaseproof::reports
