// Hashes of 64 bits of what states are made of.
//
// Promise: a function of the values in their order, of seed and factor alone, the same in each run
// and on each machine of one byte order. Two sequences meet by chance, one pair in 2^64; two
// digests with factors of their own meet independently. Not cryptographic: nobody chooses a state
// to meet another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace leaseproof::model {

class Digest {
 public:
  // `factor` is odd and has about as many ones as zeros.
  explicit Digest(std::uint64_t seed, std::uint64_t factor = 0x9E3779B97F4A7C15U)
      : value_(seed), factor_(factor) {}

  Digest& add(std::uint64_t value) {
    // Both halves of the product: each input bit reaches bits above and below it.
    const auto product = static_cast<Product>(value_ ^ value ^ salt) * factor_;
    value_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
    return *this;
  }
  Digest& add(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  Digest& add(bool value) { return add(std::uint64_t{value}); }
  Digest& add(std::string_view text) {
    const std::size_t size = text.size();
    if (size < sizeof(std::uint64_t)) {
      std::uint64_t short_text = size;
      for (const char c : text) short_text = (short_text << 8U) | static_cast<unsigned char>(c);
      return add(short_text);
    }
    // No short text begins so.
    add(std::uint64_t{size} | 0xFF00000000000000U);
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) add(eight(text, at));
    // The last eight overlap those before.
    return at == size ? *this : add(eight(text, size - sizeof(std::uint64_t)));
  }
  // Several numbers as one. They can be chosen so that they meet: only where equality is asked,
  // too.
  template <class... Numbers>
  Digest& add_together(Numbers... numbers) {
    std::uint64_t all = 0;
    ((all = all * 0xD6E8FEB86659FD93U + static_cast<std::uint64_t>(numbers)), ...);
    return add(all);
  }
  Digest& add(const std::string& text) { return add(std::string_view(text)); }
  template <class E>
  requires std::is_enum_v<E> Digest& add(E value) { return add(static_cast<std::uint64_t>(value)); }
  template <class T>
  Digest& add(const std::optional<T>& value) {
    add(value.has_value());
    return value ? add(*value) : *this;
  }
  Digest& add(const std::map<std::string, std::string>& texts) {
    add(std::uint64_t{texts.size()});
    for (const auto& [name, text] : texts) add(name).add(text);
    return *this;
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  static std::uint64_t eight(std::string_view text, std::size_t at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    return bytes;
  }

  __extension__ using Product = unsigned __int128;
  // Keeps a zero from being the value that all that follows leaves alone.
  static constexpr std::uint64_t salt = 0xA0761D6478BD642FU;

  std::uint64_t value_;
  std::uint64_t factor_;
};

}  // namespace leaseproof::model
