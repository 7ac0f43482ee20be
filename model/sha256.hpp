// SHA-256 (FIPS 180-4), written here so that the model shares no library with the engine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace leaseproof::model {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace leaseproof::model
