// serve-sut: our own engine as a program that `check --sut` can judge.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "properties/mutants.hpp"
#include "properties/storage_bugs.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/pipe/served_engine.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios::cli {

namespace {

std::string durable_folder() {
  const char* const name = std::getenv("LEASEPROOF_DIR");
  if (name == nullptr || *name == '\0') {
    throw InputWrong{
        "LEASEPROOF_DIR is not set; name an empty folder there, for the engine's files"};
  }
  std::error_code problem;
  if (!std::filesystem::is_directory(name, problem)) {
    throw InputWrong{fmt::format("LEASEPROOF_DIR: {} is no folder; make it first", name)};
  }
  return name;
}

struct ServeOptions {
  std::string bug;
  std::string disk = "files";
};

void plant(const std::string& bug, ServedEngineOptions& served) {
  if (bug.empty()) return;
  if (const auto* mutant = properties::find_mutant(bug)) {
    served.statements = properties::mutated(*mutant);
  } else if (const auto* row = properties::find_storage_bug(bug)) {
    // Such a bug shows only where a disk fails or tells.
    served.bug = row->bug;
    served.on_simulated_disk = true;
  } else {
    std::vector<std::string_view> known;
    for (const properties::Mutant& one : properties::mutants()) known.push_back(one.name);
    for (const auto& one : properties::storage_bugs()) known.push_back(one.name);
    throw InputWrong{"--bug: " + unknown_word("bug", bug, known)};
  }
}

// Lines until the input ends; a last one without its end was never finished.
Exit serve(ServedEngine& engine) {
  std::string input;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (interrupted()) return Exit::interrupted;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Exit::held;
    input.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = input.find('\n', begin)) != std::string::npos;) {
      print(engine.answer(std::string_view(input).substr(begin, end - begin)));
      begin = end + 1;
    }
    input.erase(0, begin);
  }
}

Exit run(const ServeOptions& options) {
  ServedEngineOptions served;
  served.on_simulated_disk = options.disk == "simulated";
  plant(options.bug, served);
  served.folder = durable_folder();
  // What cannot be opened is told here; what opens once is opened again below.
  if (!served.on_simulated_disk) open_engine(served.folder + "/engine.sqlite", true);
  try {
    ServedEngine engine(std::move(served));
    return serve(engine);
  } catch (const FolderFailed& failed) {
    throw EnvironmentFailed{failed.why};
  }
}

}  // namespace

void add_serve_sut(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand(
      "serve-sut",
      "Answers as an engine under test, a JSON object a line, with its files in $LEASEPROOF_DIR");
  command->add_option("--bug", options->bug,
                      "Plants a bug, by its name in check --engine mutant:NAME");
  command
      ->add_option("--disk", options->disk,
                   "Real files, or a simulated disk that can fail and lose its power")
      ->check(CLI::IsMember({"files", "simulated"}))
      ->capture_default_str();
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
