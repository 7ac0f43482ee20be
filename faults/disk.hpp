// A simulated disk: files in one directory, and apart from each other what was written and what
// would still be there after a loss of power.
//
// Promise: plain data, no SQLite. A copy is a snapshot and shares all bytes until one side writes.
// Whatever order of writes, syncs and losses led here, `lose_power` gives only states that the
// declared device allows, and all that was synced is in each. One thread at a time uses a disk and
// its copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faults/pages.hpp"

namespace leaseproof::faults {

// What the device promises; the words are those of sqlite.org/c3ref/c_iocap_atomic.html. Without a
// promise, everything that was not synced stays or goes by itself, sector by sector, in any order.
// Bytes around a write in its sector never change (SQLite's POWERSAFE_OVERWRITE).
struct Device {
  std::uint32_t sector_bytes = 512;  // a sector is written whole or not at all; a power of two
  std::uint32_t atomic_bytes = 0;    // a write of exactly this size, aligned to it, is whole
  bool sequential = false;   // what stays is what came first, over all files and names of the disk
  bool safe_append = false;  // a file grows after its new bytes are there, never before
};

using FileId = std::uint32_t;

enum class Change : std::uint8_t { write, truncate, create, delete_ };

// One operation that no sync has made durable yet.
struct Unsynced {
  Change change = Change::write;
  FileId file = 0;
  std::uint64_t at = 0;                                 // write: the offset; truncate: the new size
  std::uint64_t size_before = 0;                        // write: of the file as it was
  std::string name;                                     // create, delete_
  std::shared_ptr<const std::vector<std::byte>> bytes;  // write; copies of the disk share them

  [[nodiscard]] std::size_t size() const { return bytes == nullptr ? 0 : bytes->size(); }
  // Whether a write reaches past the end of the file as it was.
  [[nodiscard]] bool grows() const { return at + size() > size_before; }
};

// The least part of an unsynced operation that a loss of power may keep by itself: the part of a
// write in one sector; a write's new size without its bytes, which then read as zeros; or the whole
// operation.
struct Unit {
  std::size_t operation = 0;  // index in `unsynced()`
  bool size_only = false;
  std::size_t begin = 0;  // the bytes [begin, end) of the write
  std::size_t end = 0;
};

// Which units stay, in the order of `units()`; units past the end are lost.
struct PowerLoss {
  std::vector<bool> stays;
};

class Disk {
 public:
  explicit Disk(const Device& device = {}) : device_(device) {}
  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] std::optional<FileId> find(std::string_view name) const;
  [[nodiscard]] bool has(FileId file) const { return files_.contains(file); }
  // Makes an empty file; a file that has the name loses it. Empty name: in no directory, gone with
  // the last release.
  FileId create(std::string_view name);
  // Takes the name away; whoever holds the file goes on using it. False when there is no such name.
  bool remove(std::string_view name);
  // A file without a name stays as long as it is held (an open handle); each hold has its release.
  void hold(FileId file);
  void release(FileId file);
  // Of a copy whose holders are not its own.
  void release_all();

  // Files are given by an id from `find` or `create` that is held or has a name.
  [[nodiscard]] std::uint64_t size(FileId file) const;
  std::size_t read(FileId file, std::uint64_t offset, std::span<std::byte> into) const;
  void write(FileId file, std::uint64_t offset, std::span<const std::byte> bytes);
  void truncate(FileId file, std::uint64_t size);

  // Makes the bytes and the size of the file durable; its name is the directory's (fsync(2)). On a
  // sequential device nothing may overtake: all that came before, of any file and name, is durable.
  void sync(FileId file);
  // Makes every name that was given or taken away durable, not the bytes behind it; on a sequential
  // device all that came before, as `sync` does.
  void sync_directory();

  [[nodiscard]] const std::vector<Unsynced>& unsynced() const { return unsynced_; }
  [[nodiscard]] std::vector<Unit> units() const;
  // The disk after power came back: what was durable, and what the plan lets stay of the rest.
  // What the device does not allow to stay is lost: on a sequential device all after the first
  // loss, with safe append the bytes past a hole. Nothing is held afterwards.
  void lose_power(const PowerLoss& plan);

  // Of the names and bytes as a program sees them. Equal for equal states.
  [[nodiscard]] std::uint64_t hash() const;
  // Of the names and bytes that a loss of everything unsynced would leave. Equal for equal states.
  [[nodiscard]] std::uint64_t durable_hash() const;

 private:
  friend class DiskParts;  // disk_image.cpp
  struct File {
    Pages seen;     // as the running program reads it
    Pages durable;  // as synced
    bool named = true;
    std::uint32_t holds = 0;
  };
  using Names = std::map<std::string, FileId, std::less<>>;
  void collect(FileId file);
  void sync_all();
  void stay(const Unsynced& change, const Unit& unit);
  void stay_whole(const Unsynced& change);

  Device device_;
  std::map<FileId, File> files_;
  Names names_;
  Names durable_names_;
  std::vector<Unsynced> unsynced_;
  FileId next_ = 1;
};

}  // namespace leaseproof::faults
