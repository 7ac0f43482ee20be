// SHA-256, as lower-case hex (SEMANTICS 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace leaseproof::engine {

std::string hex(const std::uint8_t* bytes, std::size_t count);
std::string sha256_hex(std::string_view text);

}  // namespace leaseproof::engine
