#include "engine/values/id_source.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstddef>

#include "engine/values/check.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine {

std::array<std::uint8_t, 32> SystemIdSource::bytes() {
  std::array<std::uint8_t, 32> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    LP_CHECK(got > 0 || errno == EINTR, "the kernel has no random bytes");
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string new_token(IdSource& ids) {
  const auto bytes = ids.bytes();
  return hex(bytes.data(), bytes.size());
}

std::string new_uuid(IdSource& ids) {
  auto bytes = ids.bytes();
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  std::string uuid = hex(bytes.data(), 16);
  for (const std::size_t at : {20U, 16U, 12U, 8U}) uuid.insert(at, 1, '-');
  return uuid;
}

}  // namespace leaseproof::engine
