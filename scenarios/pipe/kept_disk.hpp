// The simulated disk of a served engine in a file, so that it outlives the process.
//
// Promise: the file is the disk as it was when `keep` last ended, whatever killed the process
// since.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "faults/vfs.hpp"

namespace leaseproof::scenarios {

class KeptDisk {
 public:
  KeptDisk(std::shared_ptr<faults::Vfs> vfs, std::filesystem::path file);

  // Puts the disk of the file in place of the one there is; false: there is no file yet. The error
  // is one line that names the file.
  tl::expected<bool, std::string> bring_back();
  tl::expected<void, std::string> keep();

 private:
  std::shared_ptr<faults::Vfs> vfs_;
  std::filesystem::path file_;
  std::string kept_;  // what stands in the file
};

}  // namespace leaseproof::scenarios
