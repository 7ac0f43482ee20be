#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "engine/sqlite/code.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/lab/curl_library.hpp"
#include "scenarios/reader.hpp"

namespace cli = leaseproof::scenarios::cli;

namespace {

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int fail(cli::Exit exit, const std::string& text) {
  cli::say(one_line(text));
  return static_cast<int>(exit);
}

// CLI11 says only that a subcommand is required.
std::string wrong_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (names.empty()) return {};
  if (argc < 2) return fmt::format("a command is missing: {}", fmt::join(names, ", "));
  const std::string given = argv[1];
  if (given.rfind('-', 0) == 0) return {};
  if (std::count(names.begin(), names.end(), given) > 0) {
    return wrong_command(*app.get_subcommand(given), argc - 1, argv + 1);
  }
  return leaseproof::scenarios::unknown_word("command", given, {names.begin(), names.end()});
}

int run(int argc, char** argv) {
  CLI::App app{"A test bed for durable workflow engines", "leaseproof"};
  app.require_subcommand(1);
  cli::Command chosen;
  cli::add_gate(app, chosen);
  cli::add_check(app, chosen);
  cli::add_replay(app, chosen);
  cli::add_explore(app, chosen);
  cli::add_mutants(app, chosen);
  cli::add_shrink(app, chosen);
  cli::add_sweep(app, chosen);
  cli::add_stress(app, chosen);
  cli::add_crash(app, chosen);
  cli::add_posix_faults(app, chosen);
  cli::add_traces(app, chosen);
  cli::add_bench(app, chosen);
  cli::add_report(app, chosen);
  cli::add_verify(app, chosen);
  cli::add_faults(app, chosen);
  cli::add_serve_sut(app, chosen);
  cli::add_inspect(app, chosen);
  cli::add_listing_commands(app, chosen);
  cli::add_lab(app, chosen);
  cli::add_version(app, chosen);
  cli::add_operator_commands(app, chosen);
  app.footer(
      "Exit codes: 0 all held, 1 a violation was found, 2 the input is wrong, 3 the environment "
      "failed, 4 inconclusive, 130 interrupted.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string why = wrong_command(app, argc, argv);
    if (why.empty()) why = error.what();
    return fail(cli::Exit::wrong_input, why + "; see leaseproof --help");
  }
  cli::listen_for_interrupts();
  return static_cast<int>(chosen());
}

}  // namespace

int main(int argc, char** argv) {
  // A search has a connection a thread; on two threads it is four times as fast without.
  leaseproof::engine::sqlite::stop_memory_statistics();
  try {
    return run(argc, argv);
  } catch (const cli::InputWrong& wrong) {
    return fail(cli::Exit::wrong_input, wrong.text);
  } catch (const cli::EnvironmentFailed& failed) {
    const int code = fail(cli::Exit::environment, failed.text);
    for (const std::string& line : failed.log) cli::say("  log: " + line);
    return code;
  } catch (const leaseproof::scenarios::lab::NoNetworkLibrary& missing) {
    return fail(cli::Exit::environment, missing.text);
  } catch (const std::bad_alloc&) {
    return fail(cli::Exit::environment, "the memory is used up; run less at once");
  } catch (const std::exception& unforeseen) {
    return fail(cli::Exit::environment, unforeseen.what());
  }
}
