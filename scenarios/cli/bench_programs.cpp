#include "scenarios/cli/bench_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "scenarios/cli/bench_rows.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/started_program.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const fs::path& path) {
  auto text = read_file(path);
  if (!text) throw EnvironmentFailed{text.error().text};
  return std::move(*text);
}

// What the program printed; nothing when the user interrupted.
std::optional<std::string> answer_of(const BenchPlan& plan, const fs::path& program,
                                     std::vector<std::string> arguments) {
  std::error_code problem;
  if (!fs::exists(program, problem)) {
    throw EnvironmentFailed{
        fmt::format("{} is missing; build it with ./leaseproof bench", program.string())};
  }
  StartOrder order;
  order.arguments = {program.string()};
  if (plan.takes_long) order.arguments.emplace_back("--long");
  order.arguments.push_back("--folder=" + plan.work.string());
  order.arguments.insert(order.arguments.end(), arguments.begin(), arguments.end());
  order.output = plan.work / "out";
  order.errors = plan.work / "errors";
  const ProcessGuard guard(plan.work.string());
  const auto ended = run_program(order, guard);
  if (!ended) return std::nullopt;
  if (ended->signal != 0 || ended->code != 0) {
    throw EnvironmentFailed{fmt::format("{} ended with {}", program.string(), ended->text()),
                            lines_of(text_of(order.errors))};
  }
  return text_of(order.output);
}

}  // namespace

std::optional<std::vector<ListedRow>> list_rows(const BenchPlan& plan) {
  std::vector<ListedRow> rows;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const auto answer = answer_of(plan, plan.programs[i], {"--benchmark_list_tests=true"});
    if (!answer) return std::nullopt;
    for (std::string& line : lines_of(*answer)) {
      std::string name = row_name(line);
      rows.push_back({std::move(name), i, std::move(line)});
    }
  }
  return rows;
}

std::optional<std::vector<Json>> run_rows(const BenchPlan& plan,
                                          const std::vector<ListedRow>& rows) {
  std::vector<Json> documents;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    std::string filter;
    for (const ListedRow& row : rows) {
      if (row.program != i) continue;
      filter += (filter.empty() ? "^(" : "|") + row.google_name;
    }
    if (filter.empty()) continue;
    const fs::path file = plan.work / "benchmark.json";
    // Of the rows that do not say themselves how often they are run.
    constexpr std::string_view least_seconds = "0.1";
    const auto answer =
        answer_of(plan, plan.programs[i],
                  {"--benchmark_filter=" + filter + ")$",
                   fmt::format("--benchmark_repetitions={}", plan.repetitions),
                   "--benchmark_enable_random_interleaving=true",
                   fmt::format("--benchmark_min_time={}", least_seconds),
                   "--benchmark_out=" + file.string(), "--benchmark_out_format=json"});
    if (!answer) return std::nullopt;
    Json document = Json::parse(text_of(file), nullptr, false);
    if (document.is_discarded()) {
      throw EnvironmentFailed{plan.programs[i].string() + " answered what is no JSON"};
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace leaseproof::scenarios::cli
