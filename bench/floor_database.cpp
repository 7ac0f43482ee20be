#include "bench/floor_database.hpp"

#include <stdexcept>

#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

const char* pragma_word(engine::Synchronous synchronous) {
  switch (synchronous) {
    case engine::Synchronous::full:
      return "FULL";
    case engine::Synchronous::normal:
      return "NORMAL";
    case engine::Synchronous::off:
      return "OFF";
  }
  return "FULL";
}

void check(int code) {
  if (code != 0) throw std::runtime_error("the floor: SQLite's error " + std::to_string(code));
}

struct Timed {
  Histogram latency;
  Stopwatch watch;
  std::uint64_t before = 0;
};

}  // namespace

FloorDatabase::FloorDatabase(const std::string& path, engine::Synchronous synchronous)
    : floor_(lp_floor_open(path.c_str(), pragma_word(synchronous))) {
  if (floor_ == nullptr) throw std::runtime_error("the floor's database cannot be made: " + path);
}

void FloorDatabase::fill(std::int64_t ops) { check(lp_floor_fill(floor_.get(), ops)); }

Histogram FloorDatabase::run(std::int64_t ops) {
  Timed timed;
  check(lp_floor_run(
      floor_.get(), ops,
      [](void* told) {
        auto& all = *static_cast<Timed*>(told);
        const std::uint64_t now = all.watch.ns();
        all.latency.record(now - all.before);
        all.before = now;
      },
      &timed));
  return timed.latency;
}

}  // namespace leaseproof::bench
