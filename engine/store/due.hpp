// When an engine has something to do of which no call tells it: who waits looks here first.
//
// Promise: a hint, read outside of any writing transaction. Nothing is decided by it: `refresh` and
// `lease` judge every row again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::engine::store {

// A queue that has ready ops, and from when on it could give a lease; 0 where it could since ever,
// or since a moment before the epoch, where a clock is far behind.
struct QueueDue {
  std::string site;
  std::string queue;
  std::int64_t due_us = 0;
};

struct Due {
  // Something has changed on which others may wait: `refresh` looks at it at once.
  bool marked = false;
  // The first end of a lease or of a request that waits for its decision.
  std::optional<std::int64_t> expiry_us;
  // By (site, queue). A queue at its cap is not among them: the end of a running op opens it.
  std::vector<QueueDue> queues;

  // From when on `refresh` would do something; nothing where only another call could make it.
  [[nodiscard]] std::optional<std::int64_t> refresh_us() const;
  // The earliest of all these moments, or nothing.
  [[nodiscard]] std::optional<std::int64_t> earliest_us() const;
};

// A step in an index for each queue that has ready ops. The clock is not read.
Due read_due(sqlite::Connection& db);

}  // namespace leaseproof::engine::store
