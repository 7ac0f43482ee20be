// The right to send one payload to the outside service until a time: the only way to call it.
//
// Promise: made by a durable dispatch alone, so that no request leaves before its marker is on
// disk. It cannot be copied. What it sends is what was dispatched (SEMANTICS 6, permit).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/effects/service.hpp"
#include "engine/values/clock.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

class Engine;

namespace effects {

// Shared by the permits of one lease.
using PermitEnd = std::shared_ptr<std::atomic<bool>>;

// The leases under which this process holds permits, so that the engine can end them (SEMANTICS 6:
// `fail` and `complete` end a permit). Calls may come from any thread.
class OpenPermits {
 public:
  PermitEnd of_lease(const std::string& token_hash);
  void end(const std::string& token_hash);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<std::atomic<bool>>> held_;
};

class Permit {
 public:
  Permit(Permit&&) = default;
  Permit& operator=(Permit&&) = default;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  // What the service answers; or `permit_expired` from `call_before_us` on, for good, though a
  // clock steps back; or `permit_used` after `end`, and for `queryable` and `opaque` on the second
  // call. In neither case is anything sent.
  model::Outcome call(Service& service, Clock& clock);
  // Nothing more is sent; the engine says so itself once `complete` or `fail` has ended the lease.
  void end() { *ended_ = true; }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& payload() const { return payload_; }
  [[nodiscard]] std::int64_t call_before_us() const { return call_before_us_; }

 private:
  friend class leaseproof::engine::Engine;
  Permit(std::string key, std::string payload, std::int64_t call_before_us,
         model::Contract contract, std::int64_t retention_us, PermitEnd ended);

  std::string key_;
  std::string payload_;
  std::int64_t call_before_us_;
  model::Contract contract_;
  std::int64_t retention_us_;
  bool sent_ = false;
  bool expired_ = false;
  PermitEnd ended_;
};

}  // namespace effects
}  // namespace leaseproof::engine
