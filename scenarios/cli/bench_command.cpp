// bench: what the engine costs, and whether that is more than it was.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "scenarios/cli/bench_gate.hpp"
#include "scenarios/cli/bench_programs.hpp"
#include "scenarios/cli/bench_rows.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

namespace fs = std::filesystem;

struct BenchOptions {
  std::string filter;
  std::string baseline;
  std::string max_regress = "10%";
  std::string program;
  std::string folder;
  std::string out = "leaseproof-bench";
  int repetitions = 5;
  bool takes_long = false;
  bool json = false;
};

using Rows = std::vector<BenchRow>;
using Listing = std::vector<ListedRow>;

double share_of(const std::string& text) {
  double percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, percent);
  if (problem != std::errc{} || end + 1 != last || *end != '%' || percent < 0 || percent > 1'000) {
    throw InputWrong{"--max-regress: '" + text + "' is no percentage from 0% to 1000%; write 10%"};
  }
  return percent / 100;
}

Rows read_baseline(const std::string& path) {
  const auto text = read_file(path);
  if (!text) throw InputWrong{"--baseline: " + text.error().text};
  const Json document = Json::parse(*text, nullptr, false);
  auto rows = rows_of_result(document);
  if (!rows) {
    throw InputWrong{
        fmt::format("--baseline: {}: {}; name a result.json that leaseproof bench "
                    "has written",
                    path, rows.error())};
  }
  return std::move(*rows);
}

// `rows` still has to hold what the user asked for; what the rows are excused by is measured with
// them.
Listing chosen_rows(const Listing& all, const std::string& filter) {
  std::regex wanted;
  try {
    wanted.assign(filter, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    throw InputWrong{"--filter: '" + filter + "' is no regular expression"};
  }
  std::set<std::string> names;
  for (const ListedRow& row : all) {
    if (!std::regex_search(row.name, wanted)) continue;
    names.insert(row.name);
    names.insert(floor_of(row.name));
  }
  if (names.empty()) throw InputWrong{"--filter: no row has '" + filter + "' in its name"};
  Listing chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const ListedRow& row) { return names.count(row.name) > 0; });
  return chosen;
}

void check_names(const Listing& chosen, const Rows& baseline, const std::string& path) {
  for (const ListedRow& row : chosen) {
    if (std::any_of(baseline.begin(), baseline.end(),
                    [&](const BenchRow& then) { return then.name == row.name; })) {
      continue;
    }
    throw InputWrong{
        fmt::format("--baseline: {}: it has no row {}; measure a new baseline with the same rows",
                    path, row.name)};
  }
}

// In the order of the list, not in that in which they happened to be run.
Rows read_rows(const Json& google, const Listing& listed) {
  auto rows = rows_of_google(google);
  if (!rows) throw EnvironmentFailed{rows.error()};
  const auto place = [&](const BenchRow& row) {
    return std::find_if(listed.begin(), listed.end(),
                        [&](const ListedRow& one) { return one.name == row.name; });
  };
  std::sort(rows->begin(), rows->end(),
            [&](const BenchRow& a, const BenchRow& b) { return place(a) < place(b); });
  return std::move(*rows);
}

// All that was measured, as one document of Google Benchmark's.
void append(Json& all, std::vector<Json> documents) {
  for (Json& document : documents) {
    if (!document.contains("benchmarks")) continue;
    if (all.is_null()) {
      all = std::move(document);
      continue;
    }
    for (Json& row : document["benchmarks"]) all["benchmarks"].push_back(std::move(row));
  }
}

struct Bench {
  std::optional<ResultFile> result;  // once the baseline is read, which may be what stands there
  Json google;
  Rows rows;
  bool interrupted = false;
  double max_regress = 0;
};

void compare_or_refuse(Bench& bench, const Rows& baseline, const std::string& path) {
  if (const auto compared = compare(bench.rows, baseline, bench.max_regress); !compared) {
    throw InputWrong{fmt::format("--baseline: {}: {}", path, compared.error())};
  }
}

// A row that looks worse is measured as often again, with its floor, and judged by all of it.
bool measure_again(const BenchPlan& plan, const Listing& chosen, Bench& bench) {
  std::set<std::string> suspects;
  for (const BenchRow& row : bench.rows) {
    if (!row.comparison || !row.comparison->regressed) continue;
    suspects.insert(row.name);
    suspects.insert(floor_of(row.name));
  }
  if (suspects.empty()) return true;
  say(fmt::format("{} rows look slower, and are measured again", suspects.size()));
  Listing again;
  std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(again),
               [&](const ListedRow& row) { return suspects.count(row.name) > 0; });
  auto documents = run_rows(plan, again);
  if (!documents) return false;
  append(bench.google, std::move(*documents));
  bench.rows = read_rows(bench.google, chosen);
  return true;
}

Bench measured(const BenchOptions& options, BenchPlan plan) {
  Bench bench;
  bench.max_regress = share_of(options.max_regress);
  const Rows baseline = options.baseline.empty() ? Rows() : read_baseline(options.baseline);
  bench.result.emplace(options.out);
  // The databases are in it as well, so that none is left where this process is killed.
  const Folder work(options.folder);
  plan.work = work.path();
  const auto all = list_rows(plan);
  bench.interrupted = !all;
  if (bench.interrupted) return bench;
  const Listing chosen = chosen_rows(*all, options.filter);
  if (!options.baseline.empty()) check_names(chosen, baseline, options.baseline);
  auto documents = run_rows(plan, chosen);
  bench.interrupted = !documents;
  if (bench.interrupted) return bench;
  append(bench.google, std::move(*documents));
  bench.rows = read_rows(bench.google, chosen);
  if (options.baseline.empty()) return bench;
  compare_or_refuse(bench, baseline, options.baseline);
  bench.interrupted = !measure_again(plan, chosen, bench);
  compare_or_refuse(bench, baseline, options.baseline);
  return bench;
}

std::string told(const BenchRow& row) {
  const auto [least, most] = std::minmax_element(row.repetitions.begin(), row.repetitions.end());
  const int digits = row.unit == "ratio" ? 3 : 1;
  std::string line = fmt::format("{:<44} {:>12.{}f} {:<6} {:>12.{}f} … {:<12.{}f}", row.name,
                                 row.median(), digits, row.unit, *least, digits, *most, digits);
  if (row.percentiles) {
    line += fmt::format(" p50 {:>8.1f}  p99 {:>8.1f} us", row.percentiles->p50_us,
                        row.percentiles->p99_us);
  }
  if (row.comparison) {
    line += fmt::format("  {:+.1f} %{}", 100 * row.comparison->change,
                        row.comparison->regressed ? "  REGRESSED" : "");
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

Json document_of(const BenchOptions& options, const Bench& bench) {
  Json document{{"benchmarks", Json::array()}};
  for (const BenchRow& row : bench.rows) document["benchmarks"].push_back(row_json(row));
  if (!options.baseline.empty()) {
    document["baseline"] = {{"file", options.baseline}, {"max_regress", bench.max_regress}};
  }
  return document;
}

void write(const fs::path& path, const Json& document) {
  if (const auto written = write_file(path, pretty(document)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
}

BenchPlan plan_of(const BenchOptions& options) {
  BenchPlan plan;
  plan.repetitions = options.repetitions;
  plan.takes_long = options.takes_long || !options.filter.empty();
  if (!options.program.empty()) {
    plan.programs.emplace_back(options.program);
    return plan;
  }
  std::error_code problem;
  const fs::path beside = fs::canonical("/proc/self/exe", problem).parent_path();
  for (const char* name : {"leaseproof_bench", "leaseproof_checked_bench"}) {
    plan.programs.push_back(beside / name);
  }
  return plan;
}

Exit run(const BenchOptions& options) {
  const Stopwatch watch;
  const Bench bench = measured(options, plan_of(options));
  if (bench.interrupted) return Exit::interrupted;
  const bool regressed = std::any_of(bench.rows.begin(), bench.rows.end(), [](const BenchRow& row) {
    return row.comparison && row.comparison->regressed;
  });
  const Exit exit = regressed ? Exit::violation : Exit::held;
  const fs::path out = options.out;
  write(out / "benchmark.json", bench.google);
  bench.result->conclude(document_of(options, bench), "bench", exit, {{"seconds", watch.seconds()}},
                         options.json);
  if (options.json) return exit;
  std::string text;
  for (const BenchRow& row : bench.rows) text += told(row);
  for (const BenchRow& row : bench.rows) {
    if (!row.comparison || !row.comparison->regressed) continue;
    text += fmt::format("regressed: {} is {:.1f} {}, the baseline {:.1f}\n", row.name, row.median(),
                        row.unit, row.comparison->baseline);
  }
  print(text + fmt::format("{} rows in {:.1f} s; {}\n", bench.rows.size(), watch.seconds(),
                           bench.result->path().string()));
  return exit;
}

}  // namespace

void add_bench(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measures what the engine costs");
  command->add_option("--filter", options->filter,
                      "Only rows in whose name this regular expression is found; also those that "
                      "take long");
  command->add_option("--repetitions", options->repetitions, "Of each row, in random order")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command->add_option("--baseline", options->baseline,
                      "A result.json of an earlier bench that must not have been faster");
  command
      ->add_option("--max-regress", options->max_regress,
                   "By how much a median may be worse than the baseline's")
      ->capture_default_str();
  command->add_option("--folder", options->folder,
                      "Where the databases lie; default: where temporary files belong");
  command->add_option("--program", options->program,
                      "Another build's bench program, instead of those beside this program");
  command->add_option("--out", options->out, "Folder for result.json and benchmark.json")
      ->capture_default_str();
  command->add_flag("--long", options->takes_long, "Also the rows that need minutes or gigabytes");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
