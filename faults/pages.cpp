#include "faults/pages.hpp"

#include <algorithm>
#include <cstring>

namespace leaseproof::faults {

std::size_t Pages::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= size_) return 0;
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset));
  std::size_t done = 0;
  while (done < wanted) {
    const auto index = static_cast<std::size_t>((offset + done) / page_bytes);
    const auto inside = static_cast<std::size_t>((offset + done) % page_bytes);
    const std::size_t piece = std::min(wanted - done, page_bytes - inside);
    if (pages_[index] == nullptr) {
      std::memset(into.data() + done, 0, piece);
    } else {
      std::memcpy(into.data() + done, pages_[index]->bytes.data() + inside, piece);
    }
    done += piece;
  }
  return wanted;
}

Pages::Page& Pages::own(std::size_t index) {
  std::shared_ptr<Page>& page = pages_[index];
  if (page == nullptr) {
    page = std::make_shared<Page>();
  } else if (page.use_count() > 1) {
    page = std::make_shared<Page>(*page);
  }
  page->hash = 0;
  return *page;
}

void Pages::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (offset + bytes.size() > size_) resize(offset + bytes.size());
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto index = static_cast<std::size_t>((offset + done) / page_bytes);
    const auto inside = static_cast<std::size_t>((offset + done) % page_bytes);
    const std::size_t piece = std::min(bytes.size() - done, page_bytes - inside);
    std::memcpy(own(index).bytes.data() + inside, bytes.data() + done, piece);
    done += piece;
  }
}

void Pages::resize(std::uint64_t size) {
  const auto inside = static_cast<std::size_t>(size % page_bytes);
  pages_.resize(static_cast<std::size_t>((size + page_bytes - 1) / page_bytes));
  if (size < size_ && inside > 0 && pages_.back() != nullptr) {
    auto& bytes = own(pages_.size() - 1).bytes;
    std::memset(bytes.data() + inside, 0, page_bytes - inside);
  }
  size_ = size;
}

std::uint64_t Pages::hash() const {
  std::uint64_t all = fold(1, size_);
  for (const auto& page : pages_) {
    std::uint64_t one = 1;
    // A page of zeros counts as no page, which it may be.
    if (page != nullptr) {
      if (page->hash == 0) {
        bool zeros = true;
        for (std::size_t at = 0; at < page_bytes; at += sizeof(std::uint64_t)) {
          std::uint64_t eight = 0;
          std::memcpy(&eight, page->bytes.data() + at, sizeof eight);
          zeros = zeros && eight == 0;
          one = fold(one, eight);
        }
        page->hash = zeros ? 1 : one;
      }
      one = page->hash;
    }
    all = fold(all, one);
  }
  return all;
}

}  // namespace leaseproof::faults
