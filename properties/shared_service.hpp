// The double of an outside service that several processes share.
//
// Promise: the double waits for nobody who holds its lock; whoever opens it here does.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/effects/service_double.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::properties {

// Null where it cannot be opened for a second.
inline std::unique_ptr<engine::effects::ServiceDouble> open_shared_service(const std::string& path,
                                                                           engine::Clock& clock) {
  constexpr int tries = 500;
  for (int tried = 0; tried < tries; ++tried) {
    auto service = engine::effects::ServiceDouble::open(path, clock);
    if (service) return std::move(*service);
    clock.wait_us(2'000);
  }
  return nullptr;
}

}  // namespace leaseproof::properties
