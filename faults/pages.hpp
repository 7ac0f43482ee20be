// The bytes of one file, in pages that copies share until one of them writes.
//
// Promise: a copy costs one pointer a page, and a hash costs the pages written since the last one.
// Copies share pages without a lock: one thread at a time uses a file and all its copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace leaseproof::faults {

class Pages {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The number of bytes that stand in the file from `offset`; less than asked for at its end.
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;
  // Grows the file where the bytes reach past its end; a gap reads as zeros, as POSIX has it.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  // Cuts or, with zeros, grows.
  void resize(std::uint64_t size);
  // Equal for equal bytes, whatever way they were written.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  static constexpr std::size_t page_bytes = 4096;
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    mutable std::uint64_t hash = 0;  // 0: not known
  };
  Page& own(std::size_t index);

  // A null page is all zeros; what lies past the size in the last page is zeros too.
  std::vector<std::shared_ptr<Page>> pages_;
  std::uint64_t size_ = 0;
};

// Folds `value` into `hash`; the order of folding matters.
constexpr std::uint64_t fold(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

}  // namespace leaseproof::faults
