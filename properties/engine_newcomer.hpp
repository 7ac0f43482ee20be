// An engine that starts after a crash, on a disk of its own that is put there as the crash has left
// it.
//
// Promise: for the rooms of EngineSut alone. What it has read is kept as long as the disks are the
// same: many crashes of a state leave just what was there before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "engine/store/state_reader.hpp"
#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"

namespace leaseproof::properties {

class EngineSut::Newcomer {
 public:
  Newcomer() : disk_(fresh_disk_name()) {}

  void crashed(faults::Disk disk) { left_ = std::move(disk); }
  [[nodiscard]] bool is_wanted() const { return left_.has_value(); }

  // What it finds there; null where it cannot be opened, and `lost` says why.
  const model::Observation* find(engine::Options options, std::string& lost) {
    const faults::Disk left = *std::exchange(left_, std::nullopt);
    const std::uint64_t hash = left.hash();
    if (hash == found_on_) return &reader_.last();
    found_on_.reset();
    disk_.restore(left);
    engine_.reset();
    options.vfs = disk_.name();
    auto opened = engine::Engine::open(std::move(options));
    if (!opened) {
      lost = opened.error().sentence;
      return nullptr;
    }
    engine_ = std::move(*opened);
    const model::Observation& found = reader_.read_in_full(engine_->connection());
    found_on_ = hash;
    return &found;
  }

 private:
  faults::Vfs disk_;
  std::unique_ptr<engine::Engine> engine_;
  engine::store::StateReader reader_;
  std::optional<faults::Disk> left_;
  std::optional<std::uint64_t> found_on_;
};

}  // namespace leaseproof::properties
