#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "scenarios/cli/command.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::cli {

std::string_view word(Exit exit) {
  switch (exit) {
    case Exit::held:
      return "held";
    case Exit::violation:
      return "violation";
    case Exit::wrong_input:
      return "wrong_input";
    case Exit::environment:
      return "environment_failed";
    case Exit::inconclusive:
      return "inconclusive";
    case Exit::interrupted:
      return "interrupted";
  }
  return "";
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw EnvironmentFailed{fmt::format("standard output: {}", std::strerror(errno))};
  }
}

void print_document(const Json& document) { print(pretty(document)); }

void say(std::string_view text) {
  // Where nobody listens there is nobody to tell: the exit code still says what happened.
  const std::string line = fmt::format("leaseproof: {}\n", printable(text));
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace leaseproof::scenarios::cli
