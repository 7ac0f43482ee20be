// The engines that a command line can name, and the folder for those that need a disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "properties/search.hpp"

namespace leaseproof::scenarios::cli {

inline constexpr std::string_view in_memory = "memory";
inline constexpr std::string_view on_disk = "disk";
// The model as an engine: whether a scenario or the harness itself is right.
inline constexpr std::string_view the_model = "model";

inline std::vector<std::string> engine_names() {
  return {std::string(in_memory), std::string(on_disk), std::string(the_model)};
}

// A fresh folder that goes away with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// `folder` must outlive the rigs.
properties::MakeRig engine_named(std::string_view name, const Folder& folder);

}  // namespace leaseproof::scenarios::cli
