#include "scenarios/cli/crashing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "properties/generators.hpp"
#include "properties/runner.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios::cli {

using faults::Operation;
using faults::Role;

namespace {

std::vector<CrashRow> all_rows() {
  std::vector<CrashRow> rows;
  for (std::size_t i = 0; i < faults::point_count; ++i) {
    const auto point = static_cast<faults::Point>(i);
    const properties::Hunt hunt{point, faults::Kind::crash};
    const auto operation = faults::operation_of(point);
    if (!operation) {
      if (!faults::is_at_service(point)) {
        rows.push_back({faults::point_names[i], hunt, std::nullopt, 0, {}});
      }
      continue;
    }
    for (std::size_t r = 0; r < faults::role_count; ++r) {
      const auto role = static_cast<Role>(r);
      if (!faults::allows(*operation, role, faults::IoKind::power_loss)) continue;
      rows.push_back(
          {fmt::format("{} {}", faults::point_names[i], faults::word(role)), hunt, role, 0, {}});
    }
  }
  return rows;
}

std::vector<CrashRow> chosen_rows(const std::vector<std::string>& beginnings) {
  std::vector<CrashRow> rows = all_rows();
  for (const std::string& beginning : beginnings) {
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const CrashRow& row) { return row.name.starts_with(beginning); })) {
      throw InputWrong{fmt::format(
          "--points: no point begins with '{}'; `leaseproof faults` lists them", beginning)};
    }
  }
  if (beginnings.empty()) return rows;
  std::erase_if(rows, [&](const CrashRow& row) {
    return std::none_of(beginnings.begin(), beginnings.end(), [&](const std::string& beginning) {
      return row.name.starts_with(beginning);
    });
  });
  return rows;
}

// Each fault of a case at another hit, so that the first few of an operation all have their turn.
void place_faults(std::vector<properties::Step>& steps, Role file, std::int64_t turn) {
  constexpr std::int64_t most_hits = 9;
  for (properties::Step& step : steps) {
    if (!step.fault) continue;
    step.fault->plan.file = file;
    step.fault->plan.hit = 1 + turn++ % most_hits;
  }
}

class Killing {
 public:
  Killing(const CrashPlan& plan, const Folder& folder) : plan_(plan), folder_(folder) {
    end_.rows = chosen_rows(plan.points);
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
    while (end_.rounds < plan_.rounds && !interrupted() && !end_.counterexample) {
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
  static properties::RunnerOptions judges() {
    properties::RunnerOptions options;
    options.decode = decode_journal;
    return options;
  }

  void round(std::int64_t number) {
    const auto rows = static_cast<std::int64_t>(end_.rows.size());
    CrashRow& row = end_.rows[static_cast<std::size_t>(number % rows)];
    properties::DrawOptions draw;
    draw.hunt = row.hunt;
    draw.others = false;
    draw.disk = true;
    properties::Case drawn = properties::draw_case(properties::seed_of(plan_.seed, number), draw);
    if (row.file) place_faults(drawn.steps, *row.file, number / rows);
    const properties::Kills before = sut_->kills();
    since_.reset();
    std::optional<properties::Violation> found = runner_->run(drawn.config, drawn.steps);
    ++row.rounds;
    const properties::Kills kills = sut_->kills().since(before);
    row.kills.add(kills);
    end_.kills.add(kills);
    if (!found) return;
    properties::Counterexample& counterexample = end_.counterexample.emplace();
    counterexample.seed = plan_.seed;
    counterexample.run = number;
    counterexample.config = std::move(drawn.config);
    counterexample.steps = std::move(drawn.steps);
    counterexample.steps_before_shrinking = counterexample.steps.size();
    counterexample.violation = std::move(*found);
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
    if (end_.counterexample) {
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
  std::optional<Stopwatch> since_;
  CrashEnd end_;
};

double cycle_ms(const CrashEnd& end, double share) {
  if (end.cycles_ms.empty()) return 0;
  const auto last = static_cast<double>(end.cycles_ms.size() - 1);
  return end.cycles_ms[static_cast<std::size_t>(share * last)];
}

Json kills_json(const properties::Kills& kills) {
  return {{"kills", kills.all()},
          {"by_signal", kills.by_signal},
          {"by_exit", kills.by_exit},
          {"after_answer", kills.after_answer},
          {"missed", kills.missed}};
}
}  // namespace

CrashEnd crash(const CrashPlan& plan, const Folder& folder) { return Killing(plan, folder).run(); }

Json crash_json(const CrashEnd& end) {
  Json json = kills_json(end.kills);
  json["rounds"] = end.rounds;
  json["points"] = Json::object();
  for (const CrashRow& row : end.rows) {
    json["points"][row.name] = kills_json(row.kills);
    json["points"][row.name]["rounds"] = row.rounds;
  }
  json["violation"] = nullptr;
  json["verdict"] = word(end.exit);
  if (!end.why.empty()) json["why"] = end.why;
  if (end.counterexample) {
    json["violation"] = violation_json(end.counterexample->violation);
    json["violation"]["file"] = end.file;
  }
  return json;
}

Json crash_timing_json(const CrashEnd& end) {
  return {{"seconds", end.seconds},
          {"kill_cycle_ms",
           {{"median", cycle_ms(end, 0.5)},
            {"p95", cycle_ms(end, 0.95)},
            {"largest", cycle_ms(end, 1.0)}}}};
}

std::string told_crash(const CrashEnd& end) {
  std::string out = fmt::format("{:<30} {:>7} {:>7} {:>8} {:>6} {:>8}\n", "killed at", "rounds",
                                "kills", "SIGKILL", "_exit", "answered");
  const auto line = [&](std::string_view name, std::int64_t rounds,
                        const properties::Kills& kills) {
    out += fmt::format("{:<30} {:>7} {:>7} {:>8} {:>6} {:>8}\n", name, rounds, kills.all(),
                       kills.by_signal, kills.by_exit, kills.after_answer);
  };
  for (const CrashRow& row : end.rows) line(row.name, row.rounds, row.kills);
  line("in all", end.rounds, end.kills);
  out += fmt::format(
      "\n{} kills in {:.1f} s, {:.0f} an hour; from a kill to its verdict {:.1f} ms (median), "
      "{:.1f} "
      "ms (95 of 100)\n",
      end.kills.all(), end.seconds,
      static_cast<double>(end.kills.all()) * 3600 / std::max(end.seconds, 1e-9), cycle_ms(end, 0.5),
      cycle_ms(end, 0.95));
  if (end.replay && end.replay->violation) {
    out += "\n" + told_violation(*end.replay, end.file, std::string(on_real_files));
  } else if (end.counterexample) {
    out += fmt::format(
        "\n  {}\n  It did not occur again when the file was replayed.\n  file      {}\n",
        headline(end.counterexample->violation), end.file);
  }
  if (!end.why.empty()) out += fmt::format("inconclusive: {}\n", end.why);
  return out;
}

}  // namespace leaseproof::scenarios::cli
