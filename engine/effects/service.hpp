// The outside service, as the engine's callers see it: the one place where something is written
// that no transaction of ours can take back (SEMANTICS 6).
//
// Promise: an interface. Production puts its client here, tests a double with a ledger of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/vocabulary.hpp"

namespace leaseproof::engine::effects {

struct Request {
  std::string_view key;      // the same on every retry
  std::string_view payload;  // canonical JSON
  model::Contract contract = model::Contract::idempotent;
  std::int64_t retention_us = 0;  // `idempotent`: for how long the key is remembered, 0 = for ever
};

class Service {
 public:
  Service() = default;
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Sends one request and answers `receipt` with its detail, `refused` (nothing was written),
  // `payload_conflict` (the key is known with another payload) or `timeout` (nobody knows).
  virtual model::Outcome write(const Request& request) = 0;
  // The receipt of the newest write under the key; nothing where there is none, where it is
  // forgotten, and always for `opaque`. Nothing is no proof: a request may still be on its way.
  // Read-only.
  virtual std::optional<std::string> find(std::string_view key) = 0;
};

}  // namespace leaseproof::engine::effects
