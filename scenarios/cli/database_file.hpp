// A database that the command line names.
//
// Promise: what cannot be opened is one line that names the file and the mend, with the exit code
// of its kind; a file of another program is left as it was.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace leaseproof::scenarios::cli {

// Throws InputWrong where there is no such file.
void check_exists(const std::string& path);
// Throws InputWrong or EnvironmentFailed, as the fault is the caller's or the machine's.
[[noreturn]] void refuse(const engine::store::OpenError& error);
// Opens for writing, which brings an older layout up to date.
std::unique_ptr<engine::Engine> open_engine(const std::string& path);

// Control characters of an id or an error must not reach a terminal as they are.
std::string printable(const std::string& text);

}  // namespace leaseproof::scenarios::cli
