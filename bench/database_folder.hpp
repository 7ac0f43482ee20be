// Where the databases of a bench lie, and what kind of disk that is.
//
// Promise: each database is a fresh file in a folder of this process, which is removed with it. On
// a tmpfs there is no disk, so the kind is told beside the figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace leaseproof::bench {

// Before the first database; the default is the system's folder for temporary files. Throws where
// nothing can be made in it.
void choose_folder(const std::filesystem::path& parent);
[[nodiscard]] std::filesystem::path chosen_folder();
// "ext4", "tmpfs", …; or the number that statfs tells.
[[nodiscard]] std::string file_system_of(const std::filesystem::path& folder);
// Removes what this process made; at its end.
void remove_folder();

class FreshDatabase {
 public:
  FreshDatabase();
  ~FreshDatabase();
  FreshDatabase(const FreshDatabase&) = delete;
  FreshDatabase& operator=(const FreshDatabase&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  // Of the database and its WAL.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::filesystem::path path_;
};

}  // namespace leaseproof::bench
