#include "scenarios/cli/patch_hunting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

namespace {

namespace fs = std::filesystem;

// One search of a built program, as far as the kill table goes.
struct SearchEnd {
  Catch end = Catch::survived;
  std::string by;
  std::int64_t run = 0;
  std::int64_t runs_done = 0;
  std::int64_t steps = 0;
  std::int64_t shrunk = 0;
};

// What the answer of `check --json` or `explore --json` says; nothing where it is none.
std::optional<SearchEnd> read_answer(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  const Json answer = Json::parse(*text, nullptr, false);
  if (!answer.is_object() || !answer.contains("violation")) return std::nullopt;
  SearchEnd found;
  found.runs_done = answer.value("runs_done", std::int64_t{0});
  const Json& violation = answer["violation"];
  if (violation.is_null()) return found;
  found.end = Catch::violation;
  found.by = violation.value("invariant", std::string());
  found.run = violation.value("run", std::int64_t{0});
  found.steps = violation.value("steps_before_shrinking", std::int64_t{0});
  found.shrunk = violation.value("steps", std::int64_t{0});
  // `explore` finds what is shortest at once.
  if (found.steps == 0) found.steps = found.shrunk;
  return found;
}

// All searches of the program that the copy holds, until one finds something.
class PatchHunt {
 public:
  PatchHunt(const PatchedCopy& copy, const PatchPlan& plan, std::uint64_t seed)
      : copy_(copy), plan_(plan), seed_(seed) {}

  // Nothing when the user interrupted.
  std::optional<SearchEnd> run() {
    std::int64_t runs = 0;
    for (const std::vector<std::string>& search : searches()) {
      auto end = one(search);
      if (!end) return std::nullopt;
      end->run += runs;
      if (end->end != Catch::survived) return end;
      runs += end->runs_done;
    }
    return SearchEnd{};
  }

 private:
  [[nodiscard]] std::vector<std::vector<std::string>> searches() const {
    std::vector<std::vector<std::string>> all;
    for (const std::string_view engine : {in_memory, on_simulated_disk}) {
      all.push_back({"check", "--seed", std::to_string(seed_), "--runs",
                     std::to_string(plan_.hunt.runs), "--engine", std::string(engine)});
    }
    for (const std::size_t states : {plan_.hunt.states_at_first, plan_.hunt.states_at_last}) {
      all.push_back({"explore", "--states", std::to_string(states)});
    }
    for (std::vector<std::string>& search : all) {
      const std::string out = (copy_.folder() / "found").string();
      const std::string jobs = std::to_string(plan_.hunt.jobs);
      for (const std::string& word :
           {std::string("--jobs"), jobs, std::string("--out"), out, std::string("--json")}) {
        search.push_back(word);
      }
    }
    return all;
  }

  [[nodiscard]] std::optional<SearchEnd> one(const std::vector<std::string>& search) const {
    constexpr const char* answer = "answer.json";
    const auto end = copy_.run(search, answer);
    if (!end || (end->signal == 0 && end->code == static_cast<int>(Exit::interrupted))) {
      return std::nullopt;
    }
    if (auto read = read_answer(copy_.folder() / answer)) return read;
    SearchEnd found;
    const bool endless = end->signal == SIGXCPU || end->signal == SIGKILL;
    found.end = endless ? Catch::endless : Catch::aborted;
    const std::vector<std::string> last = copy_.tail("errors.log");
    say(fmt::format("{} ended with {}: {}", search.front(), end->text(),
                    last.empty() ? std::string("it said nothing") : last.back()));
    return found;
  }

  const PatchedCopy& copy_;
  const PatchPlan& plan_;
  const std::uint64_t seed_;
};

// What was found is a catch only if the file of the bug says that it is one.
HuntedMutant judged(const properties::PatchedBug& bug, const SearchEnd& end, double ms) {
  HuntedMutant hunted;
  hunted.name = bug.name;
  hunted.change = bug.suffering;
  hunted.source = bug.source;
  hunted.end = end.end;
  hunted.by = end.by;
  hunted.run = end.run;
  hunted.steps = end.steps;
  hunted.shrunk = end.shrunk;
  hunted.final = end.shrunk;
  hunted.ms = ms;
  if (end.end == Catch::survived) return hunted;
  const auto& names = bug.caught_by;
  if (std::find(names.begin(), names.end(), end.by) != names.end()) return hunted;
  hunted.end = Catch::otherwise;
  if (end.end != Catch::violation) hunted.by = word(end.end);
  return hunted;
}

}  // namespace

std::vector<properties::PatchedBug> patches_in(const fs::path& source, const std::string& only) {
  const fs::path folder = source / "properties" / "mutants";
  std::error_code problem;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().extension() == ".patch") files.push_back(at->path());
  }
  if (problem || files.empty()) {
    throw InputWrong{fmt::format("--source: {} holds no patch; name the root of a source tree",
                                 folder.string())};
  }
  std::sort(files.begin(), files.end());
  std::vector<properties::PatchedBug> bugs;
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    if (!text) throw InputWrong{text.error().text};
    auto bug = properties::read_patched_bug(file.string(), *text);
    if (!bug) throw InputWrong{bug.error()};
    if (bug->name.find(only) != std::string::npos) bugs.push_back(std::move(*bug));
  }
  return bugs;
}

std::unique_ptr<PatchedCopy> copy_for(const std::vector<properties::PatchedBug>& bugs,
                                      const CopyOrder& order) {
  auto copy = std::make_unique<PatchedCopy>(order);
  for (const properties::PatchedBug& bug : bugs) {
    copy->apply(bug);
    copy->revert();
  }
  return copy;
}

PatchesHunted hunt_patches(const std::vector<properties::PatchedBug>& bugs, PatchedCopy& copy,
                           const PatchPlan& plan) {
  PatchesHunted all;
  const auto built = [&](const std::string& name) {
    const Stopwatch watch;
    const bool done = copy.build(name, plan.hunt.jobs);
    all.build_seconds += watch.seconds();
    return done;
  };
  const auto search = [&](std::int64_t at) {
    return PatchHunt(copy, plan, plan.seed + static_cast<std::uint64_t>(at)).run();
  };
  if (!copy.configure() || !built("the copy without a patch")) return all;
  for (std::int64_t at = 0; at < plan.seeds; ++at) {
    const auto clean = search(at);
    if (!clean) return all;
    if (clean->end == Catch::survived) continue;
    throw InputWrong{fmt::format(
        "--source: {} without a patch ends with {} {} under seed {}; a catch would say nothing",
        copy.source().string(), word(clean->end), clean->by,
        plan.seed + static_cast<std::uint64_t>(at))};
  }
  std::size_t done = 0;
  for (const properties::PatchedBug& bug : bugs) {
    copy.apply(bug);
    if (!built(bug.name + ".patch")) return all;
    for (std::int64_t at = 0; at < plan.seeds; ++at) {
      const Stopwatch watch;
      const auto end = search(at);
      if (!end) return all;
      all.hunted.push_back(judged(bug, *end, watch.seconds() * 1e3));
      if (plan.hunt.told) plan.hunt.told(all.hunted.back());
    }
    copy.revert();
    if (plan.hunt.progress) plan.hunt.progress(++done);
  }
  return all;
}

}  // namespace leaseproof::scenarios::cli
