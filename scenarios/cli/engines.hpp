// The engines that a command line can name, and the folder for those that need a disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "properties/journal_replay.hpp"
#include "properties/search.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/codec.hpp"

namespace leaseproof::scenarios::cli {

inline constexpr std::string_view in_memory = "memory";
inline constexpr std::string_view on_disk = "disk";
// The engine on a disk in memory that can fail and lose its power.
inline constexpr std::string_view on_simulated_disk = "simulated";
// The engine on real files, whose crash is a process that is killed.
inline constexpr std::string_view on_real_files = "killed";
// The model as an engine: whether a scenario or the harness itself is right.
inline constexpr std::string_view the_model = "model";

// What `is_engine` knows, for help texts.
inline constexpr std::string_view engine_words =
    "memory, disk, simulated, killed, model or mutant:NAME";

// "sut:COMMAND": a program behind a pipe; named by --sut.
inline constexpr std::string_view sut_prefix = "sut:";

// "mutant:NAME": the engine in memory with one of the planted bugs, to see what finding it is like.
inline constexpr std::string_view mutant_prefix = "mutant:";

// Empty when the name is known, else the sentence that says which are; for CLI11.
std::string is_engine(const std::string& name);

// Which engine a command runs on: one of the words above, or a program of its own.
struct EngineChoice {
  std::string name{in_memory};
  std::string sut;  // a command for the shell; empty means `name`
  int sut_timeout_s = 10;

  // By which everything else knows it.
  [[nodiscard]] std::string chosen() const;
  // Where the folder for its files belongs: empty, or memory for a program that is killed, which
  // loses nothing of what was written, and would wait for a disk at each of its commits.
  [[nodiscard]] std::filesystem::path parent() const;
  [[nodiscard]] int timeout_ms() const { return sut_timeout_s * 1000; }
};
// --engine, --sut and --sut-timeout.
void add_engine_options(CLI::App& command, EngineChoice& choice);
// How the engine is named on another command line.
std::string engine_option(std::string_view name);

// What became of a program behind a pipe, to be thrown on.
EnvironmentFailed environment_of(const properties::SutFailed& failed);

// The engine that can follow a scenario: what has to be in memory may be on a simulated disk, and
// is where some fault strikes at the disk.
std::string engine_for(const Scenario& scenario, const std::string& name);

// A fresh folder that goes away with everything in it.
class Folder {
 public:
  // Below the given one, or where temporary files belong.
  explicit Folder(const std::filesystem::path& given = {});
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// `folder` must outlive the rigs.
properties::MakeRig engine_named(std::string_view name, const Folder& folder,
                                 int sut_timeout_ms = 10'000);
// The journal decoder that all rigs of this engine share; none where each rig has its own.
properties::JournalDecoder shared_decoder(std::string_view name);

}  // namespace leaseproof::scenarios::cli
