#include "scenarios/cli/crashing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/runner.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios::cli {

using faults::Role;

namespace {

// Each fault of a case at another hit, so that the first few of an operation all have their turn.
// Every other one is at the first: a call does some operations only once.
std::int64_t hit_of(std::int64_t turn) {
  constexpr std::int64_t most_hits = 9;
  return turn % 2 == 0 ? 1 : 1 + (turn / 2) % most_hits;
}

void place_faults(std::vector<properties::Step>& steps, Role file, std::int64_t turn) {
  for (properties::Step& step : steps) {
    if (!step.fault) continue;
    step.fault->plan.file = file;
    step.fault->plan.hit = hit_of(turn++);
  }
}

properties::RunnerOptions judges() {
  properties::RunnerOptions options;
  options.decode = decode_journal;
  return options;
}

// Draws the case of a round: one of many in which the process of the simulated engine dies at the
// row's point at least once, since most cases never come by the rarer ones.
class CaseFinder {
 public:
  CaseFinder() : rig_(properties::engine_on_simulated_disk()()), runner_(*rig_.sut, *rig_.clock) {}

  properties::Case find(const CrashRow& row, std::uint64_t seed, std::int64_t turn) {
    properties::DrawOptions draw;
    draw.hunt = row.hunt;
    draw.others = false;
    draw.disk = true;
    constexpr std::int64_t tries = 64;
    properties::Case drawn;
    for (std::int64_t tried = 0; tried < tries; ++tried) {
      drawn = properties::draw_case(properties::seed_of(seed, tried), draw);
      if (row.file) place_faults(drawn.steps, *row.file, turn);
      const std::int64_t before = struck(*row.hunt);
      constexpr bool liveness = false;
      static_cast<void>(runner_.run(drawn.config, drawn.steps, liveness));
      if (struck(*row.hunt) > before) break;
    }
    // For what comes after the last kill stands the fair schedule at the end.
    while (!drawn.steps.empty() && !drawn.steps.back().fault) drawn.steps.pop_back();
    return drawn;
  }

 private:
  [[nodiscard]] std::int64_t struck(const properties::Hunt& hunt) const {
    return runner_.tally().fired[hunt.point][static_cast<std::size_t>(hunt.kind)];
  }

  properties::Rig rig_;
  properties::Runner runner_;
};

class Killing {
 public:
  Killing(const CrashPlan& plan, const Folder& folder) : plan_(plan), folder_(folder) {
    end_.rows = crash_rows(plan.points);
    const std::filesystem::path files = folder.path() / "killed";
    std::filesystem::create_directory(files);
    properties::KilledSutOptions options;
    options.folder = files.string();
    options.before_kill = [this] { since_.emplace(); };
    sut_ = std::make_unique<properties::KilledSut>(clock_, std::move(options));
    properties::RunnerOptions judging = judges();
    judging.on_step = [this](std::size_t, const properties::Step&, const model::Outcome&,
                             const model::Observation&) {
      if (since_) end_.cycles_ms.push_back(since_->seconds() * 1e3);
      since_.reset();
    };
    runner_ = std::make_unique<properties::Runner>(*sut_, clock_, std::move(judging));
  }

  CrashEnd run() {
    const Stopwatch watch;
    Progress progress("crash", plan_.rounds);
    while (end_.rounds < plan_.rounds && !interrupted() && !found()) {
      round(end_.rounds);
      progress.at(++end_.rounds);
    }
    progress.clear();
    if (end_.counterexample) keep();
    conclude();
    std::sort(end_.cycles_ms.begin(), end_.cycles_ms.end());
    end_.seconds = watch.seconds();
    return std::move(end_);
  }

 private:
  [[nodiscard]] bool found() const { return end_.counterexample || !end_.broken.empty(); }

  void round(std::int64_t number) {
    const auto rows = static_cast<std::int64_t>(end_.rows.size());
    CrashRow& row = end_.rows[static_cast<std::size_t>(number % rows)];
    const std::uint64_t seed = properties::seed_of(plan_.seed, number);
    const properties::Kills kills =
        row.round != nullptr ? round_of_its_own(row, seed, number) : drawn_round(row, seed, number);
    ++row.rounds;
    row.kills.add(kills);
    end_.kills.add(kills);
  }

  properties::Kills round_of_its_own(const CrashRow& row, std::uint64_t seed, std::int64_t number) {
    const std::filesystem::path files = folder_.path() / "round";
    std::filesystem::remove_all(files);
    std::filesystem::create_directory(files);
    properties::KillRoundEnd end = row.round({files, seed, row.rounds, decode_journal});
    if (!end.why.empty() && !interrupted()) {
      end_.broken = fmt::format("{}: {}", row.name, end.why);
      const std::filesystem::path kept =
          plan_.out / fmt::format("crash-round-{}-{}", plan_.seed, number);
      std::filesystem::create_directories(kept);
      std::filesystem::copy(files, kept, std::filesystem::copy_options::overwrite_existing);
      end_.file = kept.string();
    }
    return end.kills;
  }

  properties::Kills drawn_round(const CrashRow& row, std::uint64_t seed, std::int64_t number) {
    properties::Case drawn;
    if (row.file == Role::journal) {
      // Only what makes a database has one.
      sut_->kill_at_creation(
          {row.hunt->point, faults::Kind::crash, 1 + row.rounds % 6, 1, row.file, false});
      properties::DrawOptions draw;
      draw.faults = false;
      drawn = properties::draw_case(seed, draw);
    } else {
      drawn = finder_.find(row, seed, row.rounds);
    }
    const properties::Kills before = sut_->kills();
    since_.reset();
    std::optional<properties::Violation> violation = runner_->run(drawn.config, drawn.steps);
    if (violation) {
      properties::Counterexample& counterexample = end_.counterexample.emplace();
      counterexample.seed = plan_.seed;
      counterexample.run = number;
      counterexample.config = std::move(drawn.config);
      counterexample.steps = std::move(drawn.steps);
      counterexample.steps_before_shrinking = counterexample.steps.size();
      counterexample.violation = std::move(*violation);
    }
    return sut_->kills().since(before);
  }

  void keep() {
    properties::Counterexample& found = *end_.counterexample;
    say(fmt::format("found a violation of {}; shrinking it", found.violation.invariant));
    // Each execution kills processes; the smallest case is not worth thousands of them.
    constexpr std::int64_t executions = 400;
    const auto make = engine_named(on_real_files, folder_);
    properties::minimize(make, judges(), executions, found);
    const properties::Rig rig = make();
    const Scenario scenario = as_scenario(found, "crash", rig.sut->name());
    const std::filesystem::path path =
        plan_.out /
        fmt::format("crash-{}-{}-{}.json", found.violation.invariant, found.seed, found.run);
    if (const auto written = write_file(path, write_scenario(scenario)); !written) {
      throw EnvironmentFailed{written.error().text};
    }
    end_.file = path.string();
    end_.replay = replay(scenario, rig);
  }

  void conclude() {
    std::vector<std::string> unkilled;
    for (const CrashRow& row : end_.rows) {
      if (row.kills.all() == 0) unkilled.push_back(row.name);
    }
    if (found()) {
      end_.exit = Exit::violation;
    } else if (interrupted()) {
      end_.exit = Exit::interrupted;
    } else if (!unkilled.empty()) {
      end_.exit = Exit::inconclusive;
      end_.why =
          fmt::format("no process was killed at {}; give more --rounds", fmt::join(unkilled, ", "));
    }
  }

  const CrashPlan& plan_;
  const Folder& folder_;
  properties::SimClock clock_;
  std::unique_ptr<properties::KilledSut> sut_;
  std::unique_ptr<properties::Runner> runner_;
  CaseFinder finder_;
  std::optional<Stopwatch> since_;
  CrashEnd end_;
};

}  // namespace

CrashEnd crash(const CrashPlan& plan, const Folder& folder) { return Killing(plan, folder).run(); }

}  // namespace leaseproof::scenarios::cli
