// Where unguessable bytes come from: lease tokens and fresh workflow ids.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace leaseproof::engine {

class IdSource {
 public:
  IdSource() = default;
  virtual ~IdSource() = default;
  IdSource(const IdSource&) = delete;
  IdSource& operator=(const IdSource&) = delete;

  virtual std::array<std::uint8_t, 32> bytes() = 0;
};

// The kernel's random source. Whoever guesses a token owns the lease, so nothing weaker will do.
class SystemIdSource final : public IdSource {
 public:
  std::array<std::uint8_t, 32> bytes() override;
};

// 64 hex digits (SEMANTICS 4: only the token proves ownership).
std::string new_token(IdSource& ids);
// A version-4 UUID (SEMANTICS 2, start).
std::string new_uuid(IdSource& ids);

}  // namespace leaseproof::engine
