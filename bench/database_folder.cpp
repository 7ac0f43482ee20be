#include "bench/database_folder.hpp"

#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <system_error>
#include <utility>

namespace leaseproof::bench {
namespace {

namespace fs = std::filesystem;

fs::path& parent() {
  static fs::path chosen = fs::temp_directory_path();
  return chosen;
}

// Children that fork later have the number of their parent in it, and never remove it.
const fs::path& own_folder() {
  static const fs::path folder = [] {
    fs::path made = parent() / ("leaseproof-bench-" + std::to_string(getpid()));
    fs::create_directories(made);
    return made;
  }();
  return folder;
}

}  // namespace

void choose_folder(const fs::path& chosen) {
  fs::create_directories(chosen);
  parent() = fs::absolute(chosen);
}

fs::path chosen_folder() { return parent(); }

std::string file_system_of(const fs::path& folder) {
  struct statfs told {};
  if (statfs(folder.c_str(), &told) != 0) return "unknown";
  // statfs(2); <linux/magic.h> is not everywhere.
  static constexpr std::array<std::pair<std::int64_t, const char*>, 7> kinds{{
      {0xEF53, "ext4"},
      {0x01021994, "tmpfs"},
      {0x794C7630, "overlayfs"},
      {0x9123683E, "btrfs"},
      {0x58465342, "xfs"},
      {0x6969, "nfs"},
      {0x2FC12FC1, "zfs"},
  }};
  for (const auto& [number, name] : kinds) {
    if (static_cast<std::int64_t>(told.f_type) == number) return name;
  }
  return std::to_string(told.f_type);
}

void remove_folder() {
  std::error_code ignored;
  fs::remove_all(own_folder(), ignored);
}

FreshDatabase::FreshDatabase() {
  static int made = 0;
  path_ = own_folder() / ("db-" + std::to_string(++made));
}

FreshDatabase::~FreshDatabase() {
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(path() + part, ignored);
}

std::int64_t FreshDatabase::bytes() const {
  std::int64_t all = 0;
  for (const char* part : {"", "-wal"}) {
    std::error_code missing;
    const auto size = fs::file_size(path() + part, missing);
    if (!missing) all += static_cast<std::int64_t>(size);
  }
  return all;
}

}  // namespace leaseproof::bench
