// A simulated disk as bytes, for a machine that outlives the process that simulates it.
//
// Promise: what is read is the disk that was written, unsynced operations and all, so that every
// loss of power leaves of the one what it leaves of the other. Bytes that are no whole image are
// refused with the reason, never read in part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faults/disk.hpp"

namespace leaseproof::faults {

std::string image_of(const Disk& disk);

struct ReadImage {
  std::optional<Disk> disk;
  std::string why;  // what is wrong, where there is none: "it ends too early"
};
ReadImage read_image(std::string_view bytes);

}  // namespace leaseproof::faults
