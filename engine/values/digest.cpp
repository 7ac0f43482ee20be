#include "engine/values/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include "engine/values/check.hpp"

namespace leaseproof::engine {

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(count * 2, '0');
  for (std::size_t i = 0; i < count; ++i) {
    text[2 * i] = digits[bytes[i] >> 4U];
    text[2 * i + 1] = digits[bytes[i] & 0x0FU];
  }
  return text;
}

namespace {
// Fetching the algorithm and a context costs more than hashing a short text, so a thread keeps its
// own.
struct Sha256 {
  EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  Sha256() = default;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256() {
    EVP_MD_CTX_free(context);
    EVP_MD_free(algorithm);
  }
};
}  // namespace

std::string sha256_hex(std::string_view text) {
  thread_local Sha256 sha;
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  const bool hashed = EVP_DigestInit_ex(sha.context, sha.algorithm, nullptr) == 1 &&
                      EVP_DigestUpdate(sha.context, text.data(), text.size()) == 1 &&
                      EVP_DigestFinal_ex(sha.context, bytes.data(), &size) == 1;
  LP_CHECK(hashed && size == 32, "libcrypto cannot compute SHA-256");
  return hex(bytes.data(), size);
}

}  // namespace leaseproof::engine
