#include "scenarios/cli/engines.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "properties/engine_sut.hpp"
#include "properties/killed_sut.hpp"
#include "properties/model_sut.hpp"
#include "properties/mutants.hpp"
#include "properties/mutants_automatic.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/pipe/pipe_sut.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

namespace {
bool is_behind_pipe(std::string_view name) {
  return name.substr(0, sut_prefix.size()) == sut_prefix;
}
}  // namespace

Folder::Folder(const std::filesystem::path& given) {
  std::error_code problem;
  const std::filesystem::path parent =
      given.empty() ? std::filesystem::temp_directory_path(problem) : given;
  if (problem) throw EnvironmentFailed{"TMPDIR names no folder; set it to one that may be written"};
  std::string name = (parent / "leaseproof-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw EnvironmentFailed{fmt::format("{}: no folder can be made here: {}; set TMPDIR to another",
                                        parent.string(), std::strerror(errno))};
  }
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string is_engine(const std::string& name) {
  if (name == in_memory || name == on_disk || name == on_simulated_disk || name == on_real_files ||
      name == the_model) {
    return {};
  }
  if (name.rfind(mutant_prefix, 0) == 0) {
    const std::string mutant = name.substr(mutant_prefix.size());
    if (properties::texts_of_mutant(mutant) != nullptr) return {};
    if (properties::find_storage_bug(mutant) != nullptr) return {};
    std::vector<std::string_view> known;
    for (const properties::Mutant& row : properties::mutants()) known.push_back(row.name);
    for (const auto& row : properties::storage_bugs()) known.push_back(row.name);
    return unknown_word("mutant", mutant, known);
  }
  return unknown_word(
      "engine", name,
      {in_memory, on_disk, on_simulated_disk, on_real_files, the_model, "mutant:NAME"});
}

std::string EngineChoice::chosen() const {
  return sut.empty() ? name : std::string(sut_prefix) + sut;
}

std::filesystem::path EngineChoice::parent() const {
  const char* const memory = "/dev/shm";
  const bool asked_for = std::getenv("TMPDIR") != nullptr;
  const bool fits = !sut.empty() && !asked_for && ::access(memory, W_OK | X_OK) == 0;
  return fits ? memory : std::filesystem::path();
}

namespace {
std::string is_timeout(const std::string& text) {
  constexpr std::int64_t most_s = 86'400;
  std::string why = is_count(text);
  if (why.empty() && (text.size() > 5 || std::stol(text) > most_s)) {
    why = fmt::format("'{}' is more than {} seconds", text, most_s);
  }
  return why;
}
}  // namespace

void add_engine_options(CLI::App& command, EngineChoice& choice) {
  CLI::Option* const engine =
      command.add_option("--engine", choice.name, std::string(engine_words))
          ->check(is_engine)
          ->capture_default_str();
  CLI::Option* const sut =
      command
          .add_option("--sut", choice.sut,
                      "An engine of your own: a shell command that answers steps as JSON lines")
          ->excludes(engine)
          ->check([](const std::string& given) {
            return given.empty() ? "names no command; write the one that starts your engine" : "";
          });
  command.add_option("--sut-timeout", choice.sut_timeout_s, "Seconds that it has for each answer")
      ->needs(sut)
      ->check(is_timeout)
      ->capture_default_str();
}

std::string engine_option(std::string_view name) {
  if (name == in_memory) return {};
  if (is_behind_pipe(name)) {
    return fmt::format(" --sut {}", shell_word(name.substr(sut_prefix.size())));
  }
  return fmt::format(" --engine {}", name);
}

EnvironmentFailed environment_of(const properties::SutFailed& failed) {
  std::string where;
  if (failed.run) where += fmt::format("in run {}, ", *failed.run);
  if (failed.step && *failed.step > 0) {
    where += fmt::format("at step {}, ", *failed.step);
  } else if (failed.step) {
    where += "before the first step, ";
  }
  return {fmt::format("{}, {}when asked for '{}'", failed.why, where, failed.doing), failed.log};
}

std::string engine_for(const Scenario& scenario, const std::string& name) {
  return name == in_memory && needs_disk(scenario) ? std::string(on_simulated_disk) : name;
}

properties::JournalDecoder shared_decoder(std::string_view name) {
  if (name == the_model) return {};
  return decode_journal;
}

properties::MakeRig engine_named(std::string_view name, const Folder& folder, int sut_timeout_ms) {
  if (is_behind_pipe(name)) {
    return engine_behind_pipe(std::string(name.substr(sut_prefix.size())), sut_timeout_ms,
                              folder.path().string());
  }
  if (name == on_disk) return properties::engine_on_disk(folder.path().string());
  if (name == on_simulated_disk) return properties::engine_on_simulated_disk();
  if (name == on_real_files) return properties::killed_engine(folder.path().string());
  if (name == the_model) {
    return [] {
      properties::Rig rig;
      rig.clock = std::make_unique<properties::SimClock>();
      rig.sut = std::make_unique<properties::ModelSut>(*rig.clock);
      return rig;
    };
  }
  if (name.rfind(mutant_prefix, 0) == 0) {
    const std::string_view bug = name.substr(mutant_prefix.size());
    if (const auto* row = properties::find_storage_bug(bug)) {
      return properties::engine_on_simulated_disk(row->bug);
    }
    return properties::engine_in_memory(properties::texts_of_mutant(bug));
  }
  return properties::engine_in_memory();
}

}  // namespace leaseproof::scenarios::cli
