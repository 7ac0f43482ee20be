#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/report.hpp"

namespace leaseproof::scenarios::cli {

namespace {

Exit print_version(bool json) {
  const Json sqlite = sqlite_json();
  if (json) {
    print_document(Json{{"leaseproof", LEASEPROOF_VERSION}, {"sqlite", sqlite}});
    return Exit::held;
  }
  print(fmt::format("leaseproof {}\nSQLite {} {}\n{}\n", LEASEPROOF_VERSION,
                    sqlite.at("version").get<std::string>(),
                    sqlite.at("source_id").get<std::string>(),
                    sqlite.at("note").get<std::string>()));
  return Exit::held;
}

}  // namespace

void add_version(CLI::App& app, Command& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("version", "Says which leaseproof and which SQLite this is");
  command->add_flag("--json", *json, "One JSON document on standard output");
  command->callback([&chosen, json] { chosen = [json] { return print_version(*json); }; });
}

}  // namespace leaseproof::scenarios::cli
