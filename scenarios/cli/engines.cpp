#include "scenarios/cli/engines.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <cerrno>
#include <cstring>
#include <memory>

#include "properties/engine_sut.hpp"
#include "properties/model_sut.hpp"
#include "scenarios/cli/command.hpp"

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

properties::MakeRig engine_named(std::string_view name, const Folder& folder) {
  if (name == on_disk) return properties::engine_on_disk(folder.path().string());
  if (name == the_model) {
    return [] {
      properties::Rig rig;
      rig.clock = std::make_unique<properties::SimClock>();
      rig.sut = std::make_unique<properties::ModelSut>(*rig.clock);
      return rig;
    };
  }
  return properties::engine_in_memory();
}

}  // namespace leaseproof::scenarios::cli
