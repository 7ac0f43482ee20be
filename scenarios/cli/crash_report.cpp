#include <fmt/format.h>

#include <algorithm>

#include "scenarios/cli/crashing.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"

namespace leaseproof::scenarios::cli {

namespace {
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
    json["violation"] = kept_violation_json(end.counterexample->violation, end.file,
                                            std::string(on_real_files), end.replay);
  } else if (!end.broken.empty()) {
    json["violation"] = {{"why", end.broken},
                         {"files", std::filesystem::path(end.file).filename().string()}};
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
  if (!end.broken.empty()) {
    out += fmt::format("\nVIOLATION {}\n  its files  {}\n", end.broken, end.file);
  }
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
