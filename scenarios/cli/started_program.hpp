// A program of this machine, run to its end: arguments as they are, through no shell.
//
// Promise: nothing of it is left afterwards. It has a process group of its own, which is killed as
// a whole when the user interrupts or this process dies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/pipe/process.hpp"

namespace leaseproof::scenarios::cli {

struct StartOrder {
  std::vector<std::string> arguments;  // the first is the program: a path, or a name on the PATH
  // Files that take what it says; both may be the same.
  std::filesystem::path output;
  std::filesystem::path errors;
  // Of the processor, then it ends by SIGXCPU or SIGKILL, and of its memory. 0: without limit.
  std::int64_t most_seconds = 0;
  std::int64_t most_bytes = 0;
};

// How it ended; nothing when the user interrupted. Throws EnvironmentFailed where it cannot be
// started.
std::optional<ProgramEnd> run_program(const StartOrder& order, const ProcessGuard& guard);

}  // namespace leaseproof::scenarios::cli
