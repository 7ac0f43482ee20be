// A copy of the source tree in which one patch after the other is built.
//
// Promise: the source tree is read and never written. The copy is gone in the end, also when this
// process is killed, unless it is to be kept. What fails names the patch and shows how the compiler
// ended.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/patched_bug.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/started_program.hpp"

namespace leaseproof::scenarios::cli {

struct CopyOrder {
  std::filesystem::path source;  // the root of a source tree
  std::filesystem::path work;    // a new or empty folder; none: one for temporary files
  bool keep = false;             // what is in `work` stays
};

class PatchedCopy {
 public:
  // Copies what the program is built from. Throws InputWrong where `source` is no source tree, or
  // `work` lies in it or holds something already; EnvironmentFailed where it cannot be copied.
  explicit PatchedCopy(const CopyOrder& order);
  ~PatchedCopy();
  PatchedCopy(const PatchedCopy&) = delete;
  PatchedCopy& operator=(const PatchedCopy&) = delete;

  // Configures with the flags of the preset `release`. False, here and in `build`, when the user
  // interrupted.
  bool configure();
  // Builds the program as the copy now is, with so many compilers at once; `name` is what an error
  // calls that.
  bool build(const std::string& name, int jobs);
  void apply(const properties::PatchedBug& bug);
  // Every source as it was.
  void revert();

  // Runs the built program with these arguments, its answer into the file `answer` of the folder.
  std::optional<ProgramEnd> run(std::vector<std::string> arguments,
                                const std::filesystem::path& answer) const;
  [[nodiscard]] const std::filesystem::path& source() const { return order_.source; }
  // Where the files of a run may go.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // The last lines that were written to a file of the folder.
  [[nodiscard]] std::vector<std::string> tail(const std::filesystem::path& file) const;

 private:
  bool succeeds(const std::vector<std::string>& arguments, const std::string& failure) const;
  void remove() const;

  CopyOrder order_;
  std::optional<Folder> temporary_;
  std::filesystem::path folder_;
  bool is_new_ = true;
  std::optional<ProcessGuard> guard_;
  std::map<std::filesystem::path, std::string> originals_;
};

}  // namespace leaseproof::scenarios::cli
