// The clock and the id source that an engine under test reads.
//
// Promise: for the rooms of EngineSut alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/values/clock.hpp"
#include "engine/values/id_source.hpp"
#include "properties/engine_sut.hpp"

namespace leaseproof::properties {

// The engine's clock and id source. Tokens need only be distinct here, and the same on every
// replay.
class EngineSut::Seam final : public engine::Clock, public engine::IdSource {
 public:
  Seam(SimClock& clock, const faults::Vfs* disk) : clock_(clock), disk_(disk) {}

  std::int64_t now_us() override {
    if (disk_ != nullptr && !disk_->write_locked()) read_unlocked_ = true;
    reads_[depth] = clock_.now_us();
    return *reads_[depth];
  }
  void wait_us(std::int64_t) override {}
  std::array<std::uint8_t, 32> bytes() override {
    std::array<std::uint8_t, 32> bytes{};
    std::uint64_t state = ++drawn_;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % 8 == 0) state = state * 6364136223846793005U + 1442695040888963407U;
      bytes[i] = static_cast<std::uint8_t>(state >> (8 * (i % 8)));
    }
    return bytes;
  }

  void start_call() {
    if (reads_.size() <= depth) reads_.resize(depth + 1);
    reads_[depth].reset();
  }
  [[nodiscard]] std::optional<std::int64_t> read() const { return reads_[depth]; }
  void draw_from(std::uint64_t start) { drawn_ = start; }
  // Whether the clock was read since the last question while nobody held the write lock.
  bool was_read_unlocked() { return std::exchange(read_unlocked_, false); }

  std::size_t depth = 0;

 private:
  SimClock& clock_;
  const faults::Vfs* disk_;
  bool read_unlocked_ = false;
  std::vector<std::optional<std::int64_t>> reads_{1};
  std::uint64_t drawn_ = 0;
};

}  // namespace leaseproof::properties
