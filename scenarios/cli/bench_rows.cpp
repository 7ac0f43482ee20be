#include "scenarios/cli/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace leaseproof::scenarios::cli {

namespace {

// The first of these that a row has is its figure.
struct Figure {
  std::string_view key;
  std::string_view unit;
  bool more_is_better;
};
constexpr std::array<Figure, 4> figures{{{"ratio", "ratio", true},
                                         {"bytes_each", "bytes", false},
                                         {"us_each", "us", false},
                                         {"items_per_second", "ops/s", true}}};

std::optional<double> number_in(const Json& row, std::string_view key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string text_in(const Json& row, std::string_view key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double us_in(std::string_view unit) {
  if (unit == "ns") return 1e-3;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  return 1;
}

std::optional<LatencyPercentiles> percentiles_in(const Json& row) {
  const auto p50 = number_in(row, "p50_us");
  const auto p95 = number_in(row, "p95_us");
  const auto p99 = number_in(row, "p99_us");
  const auto p99_9 = number_in(row, "p99_9_us");
  if (!p50 || !p95 || !p99 || !p99_9) return std::nullopt;
  return LatencyPercentiles{*p50, *p95, *p99, *p99_9};
}

LatencyPercentiles medians_of(const std::vector<LatencyPercentiles>& all) {
  const auto median = [&](double LatencyPercentiles::*field) {
    std::vector<double> values;
    for (const LatencyPercentiles& one : all) values.push_back(one.*field);
    return median_of(std::move(values));
  };
  return {median(&LatencyPercentiles::p50_us), median(&LatencyPercentiles::p95_us),
          median(&LatencyPercentiles::p99_us), median(&LatencyPercentiles::p99_9_us)};
}

// A row without repetitions yet, and its figure in this one; nothing where there is none.
std::optional<std::pair<BenchRow, double>> measured_in(const Json& repetition) {
  BenchRow row;
  row.name = row_name(text_in(repetition, "run_name"));
  for (const Figure& figure : figures) {
    const auto value = number_in(repetition, figure.key);
    if (!value) continue;
    row.unit = figure.unit;
    row.more_is_better = figure.more_is_better;
    return std::pair{std::move(row), *value};
  }
  const auto time = number_in(repetition, "real_time");
  if (!time) return std::nullopt;
  row.unit = "us";
  row.more_is_better = false;
  return std::pair{std::move(row), *time * us_in(text_in(repetition, "time_unit"))};
}

}  // namespace

double median_of(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double BenchRow::median() const { return median_of(repetitions); }

std::string row_name(std::string_view google_name) {
  constexpr std::array<std::string_view, 7> appended{"iterations:",      "repeats:",    "min_time:",
                                                     "min_warmup_time:", "manual_time", "real_time",
                                                     "process_time"};
  std::string name;
  while (!google_name.empty()) {
    const std::size_t end = std::min(google_name.find('/'), google_name.size());
    const std::string_view part = google_name.substr(0, end);
    google_name.remove_prefix(std::min(end + 1, google_name.size()));
    const bool is_appended =
        std::any_of(appended.begin(), appended.end(), [&](std::string_view word) {
          return word.back() == ':' ? part.substr(0, word.size()) == word : part == word;
        });
    if (is_appended) continue;
    if (!name.empty()) name += '/';
    name += part;
  }
  return name;
}

tl::expected<std::vector<BenchRow>, std::string> rows_of_google(const Json& document) {
  if (!document.is_object() || !document.contains("benchmarks") ||
      !document["benchmarks"].is_array()) {
    return tl::unexpected(std::string("it holds no list of benchmarks"));
  }
  std::vector<BenchRow> rows;
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<LatencyPercentiles>> percentiles;
  for (const Json& repetition : document["benchmarks"]) {
    if (!repetition.is_object() || text_in(repetition, "run_type") == "aggregate") continue;
    if (repetition.value("error_occurred", false)) {
      return tl::unexpected(fmt::format("{}: {}", row_name(text_in(repetition, "run_name")),
                                        text_in(repetition, "error_message")));
    }
    auto measured = measured_in(repetition);
    if (!measured) return tl::unexpected(text_in(repetition, "run_name") + " has no figure");
    const auto [place, fresh] = places.try_emplace(measured->first.name, rows.size());
    if (fresh) {
      rows.push_back(std::move(measured->first));
      percentiles.emplace_back();
    }
    rows[place->second].repetitions.push_back(measured->second);
    if (const auto told = percentiles_in(repetition)) percentiles[place->second].push_back(*told);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!percentiles[i].empty()) rows[i].percentiles = medians_of(percentiles[i]);
  }
  return rows;
}

Json row_json(const BenchRow& row) {
  Json json{{"name", row.name},
            {"unit", row.unit},
            {"better", row.more_is_better ? "more" : "less"},
            {"median", row.median()},
            {"repetitions", row.repetitions}};
  if (row.percentiles) {
    json["percentiles"] = {{"p50_us", row.percentiles->p50_us},
                           {"p95_us", row.percentiles->p95_us},
                           {"p99_us", row.percentiles->p99_us},
                           {"p99_9_us", row.percentiles->p99_9_us}};
  }
  if (row.comparison) {
    json["baseline"] = row.comparison->baseline;
    json["change"] = row.comparison->change;
    json["regressed"] = row.comparison->regressed;
  }
  return json;
}

tl::expected<std::vector<BenchRow>, std::string> rows_of_result(const Json& document) {
  if (!document.is_object() || text_in(document, "format") != "leaseproof-result/1" ||
      text_in(document, "command") != "bench") {
    return tl::unexpected(std::string("it is no result of leaseproof bench"));
  }
  if (!document.contains("benchmarks") || !document["benchmarks"].is_array()) {
    return tl::unexpected(std::string("it holds no list of benchmarks"));
  }
  std::vector<BenchRow> rows;
  for (const Json& json : document["benchmarks"]) {
    BenchRow row;
    if (json.is_object()) {
      row.name = text_in(json, "name");
      row.unit = text_in(json, "unit");
      row.more_is_better = text_in(json, "better") == "more";
    }
    const auto place = fmt::format("benchmark {}", rows.size() + 1);
    if (row.name.empty() || row.unit.empty() ||
        (!row.more_is_better && text_in(json, "better") != "less")) {
      return tl::unexpected(place + " has no name, no unit or no direction");
    }
    const auto found = json.find("repetitions");
    if (found == json.end() || !found->is_array() || found->empty()) {
      return tl::unexpected(place + " has no repetitions");
    }
    for (const Json& value : *found) {
      if (!value.is_number()) return tl::unexpected(place + " has a repetition that is no number");
      row.repetitions.push_back(value.get<double>());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace leaseproof::scenarios::cli
