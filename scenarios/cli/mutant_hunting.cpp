#include "scenarios/cli/mutant_hunting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "faults/process.hpp"
#include "properties/engine_sut.hpp"
#include "properties/exhaustive.hpp"
#include "properties/mutants.hpp"
#include "properties/mutants_automatic.hpp"
#include "properties/mutants_excused.hpp"
#include "properties/shortest.hpp"
#include "properties/worlds.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

namespace {

// Processor seconds of one run, one state or one probe after which a call counts as one that does
// not end; each takes a small part of one.
constexpr time_t most_seconds = 6;
// Of what has no such steps to look between.
constexpr time_t most_seconds_to_shrink = 60;

// The process ends by SIGPROF unless this is called again in time; 0: it has as long as it takes.
void take_breath(time_t seconds) {
  itimerval left{};
  left.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &left, nullptr);
}

// For what is asked between its steps whether it shall stop.
bool go_on() {
  take_breath(most_seconds);
  return false;
}

constexpr rlim_t most_bytes = rlim_t{4} << 30U;
// A sanitizer's own tables take more room than that.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

std::int64_t count(const std::vector<properties::Step>& steps) {
  std::int64_t all = 0;
  for (const properties::Step& step : steps) {
    all += 1 + (step.fault ? count(step.fault->steps) : 0);
  }
  return all;
}

// What the child tells: the end of a random search, or of the worlds, or that nothing was found.
Json told(const properties::Counterexample& found, std::int64_t shrunk, double ms) {
  return {{"by", found.violation.invariant},
          {"run", found.run},
          {"steps", found.steps_before_shrinking},
          {"shrunk", shrunk},
          {"final", count(found.steps)},
          {"is_shortest", found.certificate == properties::Certificate::shortest},
          {"uncertain", found.uncertain},
          {"executions", found.executions},
          {"ms", ms}};
}

// One hunt: what was found by whom, and after how much.
class Hunt {
 public:
  Hunt(const Quarry& quarry, const HuntPlan& plan) : quarry_(quarry), plan_(plan) {}

  Json run() {
    if (quarry_.is_excused) return first_of({[&] { return random(quarry_.random.front(), few); }});
    std::vector<Stage> stages;
    for (const properties::MakeRig& make : quarry_.random) {
      stages.push_back([&] { return random(make, plan_.runs); });
      if (stages.size() > 1) continue;
      stages.push_back([&] { return explore_hinted(); });
      // What runs elsewhere than in cases is not found by the second search either.
      stages.push_back([&] { return probe(); });
    }
    stages.push_back([&] { return explore(plan_.states_at_first); });
    stages.push_back([&] { return explore(plan_.states_at_last); });
    return first_of(stages);
  }

 private:
  using Stage = std::function<Json()>;
  // Runs after which a mutant that cannot be caught is let go.
  static constexpr std::int64_t few = 60;

  static Json first_of(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) {
      Json found = stage();
      if (!found.is_null()) return found;
    }
    return nullptr;
  }

  Json random(const properties::MakeRig& make, std::int64_t runs) {
    properties::SearchOptions options;
    options.seed = quarry_.seed;
    options.runs = runs;
    options.shrink = false;
    options.runner.decode = decode_journal;
    options.stop = go_on;
    auto result = properties::search(make, options);
    const std::int64_t before = std::exchange(runs_, runs_ + result.runs_done);
    auto& found = result.counterexample;
    if (!found) return nullptr;
    const double ms = watch_.seconds() * 1e3;
    found->run += before;
    take_breath(most_seconds_to_shrink);
    if (plan_.shrink_budget > 0) {
      properties::minimize(make, options.runner, plan_.shrink_budget, *found);
    }
    const std::int64_t shrunk = count(found->steps);
    if (plan_.seeks_shortest && quarry_.exhaustive) {
      // It was caught already, and the search is bounded by its states.
      take_breath(0);
      properties::find_shortest(quarry_.exhaustive, options.runner, plan_.most_states, *found);
    }
    return told(*found, shrunk, ms);
  }

  Json probe() {
    if (quarry_.statements == nullptr) return nullptr;
    for (const properties::Probe& one : properties::probes()) {
      take_breath(most_seconds_to_shrink);
      if (one.complaint(quarry_.statements).empty()) continue;
      properties::Counterexample found;
      found.violation.invariant = fmt::format("probe {}", one.name);
      found.run = runs_;
      return told(found, 0, watch_.seconds() * 1e3);
    }
    return nullptr;
  }

  Json explore(const properties::NamedWorld& world, std::size_t most_states) {
    properties::ExhaustiveOptions options;
    options.world = world.world;
    options.faults.losses = world.faults.losses;
    options.faults.refusals = world.faults.refusals;
    options.most_states = most_states;
    options.stop = go_on;
    auto result = properties::search_exhaustively(quarry_.exhaustive, options);
    auto& found = result.counterexample;
    if (!found) return nullptr;
    found->run = runs_;
    return told(*found, count(found->steps), watch_.seconds() * 1e3);
  }

  Json explore(std::size_t most_states) {
    if (!quarry_.exhaustive) return nullptr;
    for (const properties::NamedWorld& world : properties::worlds()) {
      Json found = explore(world, most_states);
      if (!found.is_null()) return found;
    }
    return nullptr;
  }

  // The worlds that say so of the changed statement, whole.
  Json explore_hinted() {
    if (!quarry_.exhaustive || quarry_.statements == nullptr) return nullptr;
    const std::string_view statement(quarry_.name.data(), quarry_.name.find('/'));
    for (const properties::NamedWorld& world : properties::worlds()) {
      if (std::ranges::find(world.statements, statement) == world.statements.end()) continue;
      Json found = explore(world, properties::ExhaustiveOptions().most_states);
      if (!found.is_null()) return found;
    }
    return nullptr;
  }

  const Quarry& quarry_;
  const HuntPlan& plan_;
  const Stopwatch watch_;
  std::int64_t runs_ = 0;
};

// A hunt in a child, from its start until what it told is read.
class Hunter {
 public:
  Hunter(const Quarry& quarry, const HuntPlan& plan)
      : quarry_(quarry), child_([&](const faults::Child::Line& line) { live(line, plan); }) {}

  // Whether there is something to conclude within the time.
  bool is_over(int within_ms) { return child_.has_word(within_ms); }

  HuntedMutant conclude() {
    HuntedMutant hunted;
    hunted.name = quarry_.name;
    hunted.change = quarry_.change;
    hunted.source = quarry_.source;
    std::string text;
    while (const auto word = child_.hear()) {
      if (*word == '\n') break;
      text += *word;
    }
    const faults::End end = child_.wait();
    const Json found = Json::parse(text, nullptr, false);
    if (found.is_object()) {
      hunted.end = Catch::violation;
      hunted.by = found["by"];
      hunted.run = found["run"];
      hunted.steps = found["steps"];
      hunted.shrunk = found["shrunk"];
      hunted.final = found["final"];
      hunted.is_shortest = found["is_shortest"];
      hunted.uncertain = found["uncertain"];
      hunted.executions = found["executions"];
      hunted.ms = found["ms"];
    } else if (!found.is_null()) {
      const bool endless = end.signal == SIGPROF || end.late || end.signal == SIGKILL;
      hunted.end = endless ? Catch::endless : Catch::aborted;
    }
    return hunted;
  }

 private:
  void live(const faults::Child::Line& line, const HuntPlan& plan) const {
    take_breath(most_seconds);
    if (!is_sanitized) limit(RLIMIT_AS, most_bytes);
    limit(RLIMIT_CORE, 0);
    // What an engine's own check says before it aborts is expected here.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    std::string text = Hunt(quarry_, plan).run().dump();
    text += '\n';
    for (const char c : text) line.tell(c);
  }
  static void limit(decltype(RLIMIT_AS) what, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(what, &both);
  }

  const Quarry& quarry_;
  faults::Child child_;
};

}  // namespace

std::string_view word(Catch end) {
  switch (end) {
    case Catch::survived:
      return "survived";
    case Catch::violation:
      return "violation";
    case Catch::aborted:
      return "aborted";
    case Catch::endless:
      return "endless";
    case Catch::otherwise:
      return "otherwise";
  }
  return "";
}

std::vector<Quarry> planted_bugs(std::uint64_t seed) {
  std::vector<Quarry> all;
  for (const properties::Mutant& mutant : properties::mutants()) {
    const auto texts = properties::mutated(mutant);
    all.push_back({std::string(mutant.name),
                   std::string(mutant.suffering),
                   std::string(mutant.source),
                   seed,
                   {properties::engine_in_memory(texts)},
                   properties::engine_for_branching(texts),
                   {},
                   false});
  }
  for (const properties::StorageBugRow& bug : properties::storage_bugs()) {
    all.push_back({std::string(bug.name),
                   std::string(bug.suffering),
                   std::string(bug.source),
                   seed,
                   {properties::engine_on_simulated_disk(bug.bug)},
                   properties::engine_for_branching(bug.bug),
                   {},
                   false});
  }
  return all;
}

std::vector<Quarry> automatic_mutants(std::uint64_t seed, std::vector<std::string>& stillborn) {
  const properties::Rig rig = properties::engine_for_branching()();
  rig.sut->reset({});
  sqlite3* database = dynamic_cast<properties::EngineSut&>(*rig.sut).engine().connection().handle();
  std::vector<Quarry> all;
  for (const properties::CatalogueMutant& mutant : properties::catalogue_mutants()) {
    if (!properties::compiles(mutant, database)) {
      stillborn.push_back(mutant.name);
      continue;
    }
    const auto texts = properties::mutated(mutant);
    all.push_back(
        {mutant.name,
         mutant.change,
         {},
         seed,
         {properties::engine_in_memory(texts), properties::engine_on_simulated_disk(texts)},
         properties::engine_for_branching(texts),
         texts,
         properties::find_excuse(mutant.name) != nullptr});
  }
  return all;
}

std::vector<HuntedMutant> hunt(const std::vector<Quarry>& all, const HuntPlan& plan) {
  std::vector<std::optional<HuntedMutant>> hunted(all.size());
  std::vector<std::pair<std::size_t, std::unique_ptr<Hunter>>> out;
  std::size_t next = 0;
  std::size_t done = 0;
  std::size_t told = 0;
  while (done < all.size() && !interrupted()) {
    while (next < all.size() && out.size() < static_cast<std::size_t>(plan.jobs)) {
      out.emplace_back(next, std::make_unique<Hunter>(all[next], plan));
      ++next;
    }
    constexpr int look_ms = 5;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!out[i].second->is_over(look_ms)) continue;
      hunted[out[i].first] = out[i].second->conclude();
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
      if (plan.progress) plan.progress(done);
      for (; told < hunted.size() && hunted[told]; ++told) {
        if (plan.told) plan.told(*hunted[told]);
      }
      break;
    }
  }
  std::vector<HuntedMutant> ended;
  for (auto& one : hunted) {
    if (one) ended.push_back(std::move(*one));
  }
  return ended;
}

}  // namespace leaseproof::scenarios::cli
