#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/interrupt.hpp"

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

int run(int argc, char** argv) {
  CLI::App app{"A test bed for durable workflow engines", "leaseproof"};
  app.require_subcommand(1);
  cli::Command chosen;
  cli::add_gate(app, chosen);
  cli::add_check(app, chosen);
  cli::add_replay(app, chosen);
  cli::add_faults(app, chosen);
  cli::add_inspect(app, chosen);
  cli::add_version(app, chosen);
  app.footer(
      "Exit codes: 0 all held, 1 a violation was found, 2 the input is wrong, 3 the environment "
      "failed, 4 inconclusive, 130 interrupted.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(cli::Exit::wrong_input, fmt::format("{}; see leaseproof --help", error.what()));
  }
  cli::listen_for_interrupts();
  return static_cast<int>(chosen());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cli::InputWrong& wrong) {
    return fail(cli::Exit::wrong_input, wrong.text);
  } catch (const cli::EnvironmentFailed& failed) {
    return fail(cli::Exit::environment, failed.text);
  } catch (const std::bad_alloc&) {
    return fail(cli::Exit::environment, "the memory is used up; run less at once");
  } catch (const std::exception& unforeseen) {
    return fail(cli::Exit::environment, unforeseen.what());
  }
}
