// Files in and out, whole or not at all.
//
// Promise: a written file is either the old one or the new one, never half of it; errors are one
// line that names the file and the mend. `environment` tells a full disk from a wrong name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace leaseproof::scenarios {

struct FileError {
  std::string text;
  bool environment = false;
};

tl::expected<std::string, FileError> read_file(const std::filesystem::path& path);
// Makes the folder where it is missing.
tl::expected<void, FileError> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace leaseproof::scenarios
