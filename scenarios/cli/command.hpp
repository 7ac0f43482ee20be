// What each subcommand of the program is: one file that adds its options and answers an exit code.
//
// Promise: results go to standard output, everything else to standard error; with `--json` standard
// output holds exactly one document.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/json.hpp"

namespace CLI {
class App;
}

namespace leaseproof::scenarios::cli {

// TRACE 6.
enum class Exit : int {
  held = 0,
  violation = 1,
  wrong_input = 2,
  environment = 3,
  inconclusive = 4,
  interrupted = 130
};
std::string_view word(Exit exit);

// The environment failed; `main` prints the text, with what others wrote as it is, as one line and
// exits with 3.
struct EnvironmentFailed {
  std::string text;
  std::vector<std::string> log = {};  // lines of others, told after it
};
// The command line or an input is wrong: one line, exit 2.
struct InputWrong {
  std::string text;
};

using Command = std::function<Exit()>;

// Each sets `chosen` when its subcommand was named.
void add_gate(CLI::App& app, Command& chosen);
void add_check(CLI::App& app, Command& chosen);
void add_mutants(CLI::App& app, Command& chosen);
void add_replay(CLI::App& app, Command& chosen);
void add_explore(CLI::App& app, Command& chosen);
void add_shrink(CLI::App& app, Command& chosen);
void add_sweep(CLI::App& app, Command& chosen);
void add_stress(CLI::App& app, Command& chosen);
void add_crash(CLI::App& app, Command& chosen);
void add_posix_faults(CLI::App& app, Command& chosen);
void add_traces(CLI::App& app, Command& chosen);
void add_bench(CLI::App& app, Command& chosen);
void add_report(CLI::App& app, Command& chosen);
void add_verify(CLI::App& app, Command& chosen);
void add_faults(CLI::App& app, Command& chosen);
void add_inspect(CLI::App& app, Command& chosen);
void add_serve_sut(CLI::App& app, Command& chosen);
void add_lab(CLI::App& app, Command& chosen);
void add_version(CLI::App& app, Command& chosen);
void add_listing_commands(CLI::App& app, Command& chosen);
void add_operator_commands(CLI::App& app, Command& chosen);

// Standard output, checked: a full disk or a closed pipe is an environment that failed.
void print(std::string_view text);
void print_document(const Json& document);
// Standard error: one line, whatever stands in the text.
void say(std::string_view text);

}  // namespace leaseproof::scenarios::cli
