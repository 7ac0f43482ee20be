// A simulated disk as bytes, for a machine that outlives the process that simulates it.
//
// Promise: what is read is the disk that was written, unsynced operations and all, so that every
// loss of power leaves of the one what it leaves of the other. Bytes that are no whole image are
// refused with the reason, never read in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "faults/disk.hpp"

namespace leaseproof::faults {

// What of a machine lasts: its disk, and where its chance stands (`Vfs::drawn`).
struct DiskImage {
  Disk disk;
  std::uint64_t drawn = 0;
};

std::string bytes_of(const DiskImage& image);

struct ReadImage {
  std::optional<DiskImage> image;
  std::string why;  // what is wrong, where there is none: "it ends too early"
};
ReadImage read_image(std::string_view bytes);

}  // namespace leaseproof::faults
