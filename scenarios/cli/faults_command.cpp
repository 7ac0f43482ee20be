#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "scenarios/cli/command.hpp"
#include "scenarios/points.hpp"

namespace leaseproof::scenarios::cli {

namespace {

Exit print_faults(bool json) {
  Json points = Json::object();
  std::string text;
  for (std::size_t i = 0; i < faults::point_count; ++i) {
    const auto point = static_cast<faults::Point>(i);
    std::vector<std::string_view> kinds;
    for (std::size_t k = 0; k < faults::kind_words.size(); ++k) {
      if (faults::allows(point, static_cast<faults::Kind>(k)))
        kinds.push_back(faults::kind_words[k]);
    }
    points[faults::point_names[i]] = kinds;
    text += fmt::format("{:<28} {}\n", faults::point_names[i], fmt::join(kinds, " "));
  }
  if (json) {
    print_document(Json{{"points", points}});
  } else {
    print(text);
  }
  return Exit::held;
}

}  // namespace

void add_faults(CLI::App& app, Command& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("faults", "Lists the fault points and what can happen there");
  command->add_flag("--json", *json, "One JSON document on standard output");
  command->callback([&chosen, json] { chosen = [json] { return print_faults(*json); }; });
}

}  // namespace leaseproof::scenarios::cli
