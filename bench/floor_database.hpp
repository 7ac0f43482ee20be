// The floor's C functions with a database of their own, for the rows that stand beside an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/floor/floor.h"
#include "bench/histogram.hpp"
#include "engine/engine.hpp"

namespace leaseproof::bench {

class FloorDatabase {
 public:
  // Throws std::runtime_error where it cannot be made.
  FloorDatabase(const std::string& path, engine::Synchronous synchronous);
  void fill(std::int64_t ops);
  // Each op timed from before its lease to after its completion.
  Histogram run(std::int64_t ops);

 private:
  struct Close {
    void operator()(lp_floor* floor) const { lp_floor_close(floor); }
  };
  std::unique_ptr<lp_floor, Close> floor_;
};

}  // namespace leaseproof::bench
