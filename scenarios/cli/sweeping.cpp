#include "scenarios/cli/sweeping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct Task {
  const Scenario* scenario = nullptr;
  std::size_t step = 0;
};

std::vector<Task> tasks_of(const std::vector<Scenario>& scenarios, const SweepPlan& plan) {
  std::vector<Task> tasks;
  std::uint64_t number = plan.seed;
  for (const Scenario& scenario : scenarios) {
    for (std::size_t step = 0; step < scenario.steps.size(); ++step) {
      if (scenario.steps[step].fault) continue;
      if (number++ % static_cast<std::uint64_t>(plan.one_step_in) == 0) {
        tasks.push_back({&scenario, step});
      }
    }
  }
  return tasks;
}

class Crew {
 public:
  Crew(std::vector<Task> tasks, const SweepPlan& plan)
      : tasks_(std::move(tasks)), plan_(plan), swept_(tasks_.size()) {}

  const std::vector<std::optional<properties::StepSweep>>& run() {
    Progress progress("sweep", static_cast<std::int64_t>(tasks_.size()));
    progress_ = &progress;
    std::vector<std::thread> threads;
    for (int job = 1; job < plan_.jobs; ++job) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    progress.clear();
    return swept_;
  }
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }

 private:
  void work() {
    properties::SweepOptions options;
    options.runner.decode = decode_journal;
    options.states_a_moment = plan_.states_a_moment;
    options.seed = plan_.seed;
    options.stop = interrupted;
    properties::Sweep sweep(options);
    for (std::size_t i = next_++; i < tasks_.size() && !interrupted(); i = next_++) {
      if (i > failed_) continue;
      const Task& task = tasks_[i];
      properties::StepSweep swept =
          sweep.step({task.scenario->config, task.scenario->steps}, task.step);
      if (swept.counterexample) {
        std::size_t lowest = failed_;
        while (i < lowest && !failed_.compare_exchange_weak(lowest, i)) {
        }
      }
      swept_[i] = std::move(swept);
      progress_->at(++done_);
    }
  }

  const std::vector<Task> tasks_;
  const SweepPlan& plan_;
  Progress* progress_ = nullptr;
  std::vector<std::optional<properties::StepSweep>> swept_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> failed_{std::numeric_limits<std::size_t>::max()};
  std::atomic<std::int64_t> done_{0};
};

void keep(const Task& task, const properties::Counterexample& found, const SweepPlan& plan,
          SweepEnd& end) {
  const Folder folder;
  const auto rig = engine_named(on_simulated_disk, folder)();
  Scenario scenario = as_scenario(found, "sweep", rig.sut->name());
  scenario.about = fmt::format("found by a sweep of: {}", task.scenario->name);
  const std::filesystem::path path =
      plan.out / fmt::format("sweep-{}-step-{}.json", found.violation.invariant, task.step + 1);
  if (const auto written = write_file(path, write_scenario(scenario)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
  end.file = path.string();
  end.replay = replay(scenario, rig);
}

}  // namespace

SweepEnd sweep(const std::vector<Scenario>& scenarios, const SweepPlan& plan) {
  SweepEnd end;
  const Stopwatch watch;
  end.cases = static_cast<std::int64_t>(scenarios.size());
  Crew crew(tasks_of(scenarios, plan), plan);
  const auto& swept = crew.run();
  for (std::size_t i = 0; i < swept.size() && !end.sum.counterexample; ++i) {
    if (!swept[i]) break;
    ++end.steps;
    end.sum.add(*swept[i]);
    if (end.sum.counterexample) keep(crew.tasks()[i], *end.sum.counterexample, plan, end);
  }
  if (end.sum.counterexample) {
    end.exit = Exit::violation;
  } else if (interrupted()) {
    end.exit = Exit::interrupted;
  } else if (end.sum.runs == 0) {
    end.exit = Exit::inconclusive;
    end.why = "no fault could strike anywhere";
  }
  end.seconds = watch.seconds();
  return end;
}

namespace {
std::string_view outcome_word(const properties::SweepCell& cell) {
  return model::word(cell.outcome);
}
}  // namespace

Json sweep_json(const SweepEnd& end) {
  Json json{{"cases", end.cases},       {"steps", end.steps},
            {"runs", end.sum.runs},     {"crash_states", end.sum.crash_states},
            {"cells", Json::array()},   {"violation", nullptr},
            {"verdict", word(end.exit)}};
  for (const auto& [cell, runs] : end.sum.cells) {
    json["cells"].push_back({{"at", faults::point_names[cell.point]},
                             {"kind", faults::word(cell.kind)},
                             {"outcome", outcome_word(cell)},
                             {"stands", cell.stands},
                             {"runs", runs}});
  }
  if (!end.why.empty()) json["why"] = end.why;
  if (end.sum.counterexample) {
    json["violation"] = kept_violation_json(end.sum.counterexample->violation, end.file,
                                            std::string(on_simulated_disk), end.replay);
  }
  return json;
}

std::string told_sweep(const SweepEnd& end) {
  std::string out;
  out += fmt::format("{:<30} {:<12} {:<18} {:>9} {:>9}\n", "fault point", "kind", "outcome",
                     "unchanged", "changed");
  for (auto at = end.sum.cells.begin(); at != end.sum.cells.end(); ++at) {
    const auto& [cell, runs] = *at;
    std::int64_t changed = cell.stands ? runs : 0;
    const std::int64_t unchanged = cell.stands ? 0 : runs;
    const auto twin = std::next(at);
    if (!cell.stands && twin != end.sum.cells.end() && twin->first.point == cell.point &&
        twin->first.kind == cell.kind && twin->first.outcome == cell.outcome) {
      changed = twin->second;
      at = twin;
    }
    out += fmt::format("{:<30} {:<12} {:<18} {:>9} {:>9}\n", faults::point_names[cell.point],
                       faults::word(cell.kind), outcome_word(cell), unchanged, changed);
  }
  out +=
      fmt::format("{} cases, {} steps, {} runs with a fault, {} distinct crash states, {:.1f} s\n",
                  end.cases, end.steps, end.sum.runs, end.sum.crash_states, end.seconds);
  if (end.replay && end.replay->violation) {
    out += told_violation(*end.replay, end.file, std::string(on_simulated_disk));
  } else if (end.sum.counterexample) {
    out += fmt::format("VIOLATION {}\n  It did not occur again when {} was replayed\n",
                       headline(end.sum.counterexample->violation), end.file);
  }
  if (!end.why.empty()) out += fmt::format("inconclusive: {}\n", end.why);
  return out;
}

}  // namespace leaseproof::scenarios::cli
