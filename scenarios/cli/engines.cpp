#include "scenarios/cli/engines.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <cerrno>
#include <cstring>
#include <memory>

#include "properties/engine_sut.hpp"
#include "properties/killed_sut.hpp"
#include "properties/model_sut.hpp"
#include "properties/mutants.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

Folder::Folder() {
  std::error_code problem;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(problem);
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
    if (properties::find_mutant(mutant) != nullptr) return {};
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

std::string engine_for(const Scenario& scenario, const std::string& name) {
  return name == in_memory && needs_disk(scenario) ? std::string(on_simulated_disk) : name;
}

properties::JournalDecoder shared_decoder(std::string_view name) {
  if (name == the_model) return {};
  return decode_journal;
}

properties::MakeRig engine_named(std::string_view name, const Folder& folder) {
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
    const auto* mutant = properties::find_mutant(bug);
    return properties::engine_in_memory(properties::mutated(*mutant));
  }
  return properties::engine_in_memory();
}

}  // namespace leaseproof::scenarios::cli
