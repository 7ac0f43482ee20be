// What an op costs beside so many that are finished, which should not grow; and what ops take of
// memory and disk.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/process.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

using engine::Engine;
using engine::Synchronous;

constexpr std::int64_t at_once = 10'000;

void bring_and_finish(Engine& engine, std::int64_t from, std::int64_t ops) {
  for (std::int64_t made = 0; made < ops; made += at_once) {
    const std::int64_t count = std::min(at_once, ops - made);
    start_ready_ops(engine, "op-" + std::to_string(from + made) + "-", count);
    work_off(engine, 1, count);
  }
}

// One for all repetitions, since a million ops take minutes to finish. Each repetition leaves its
// own ops in it, too.
class Finished {
 public:
  explicit Finished(std::int64_t ops) {
    bring_and_finish(*open_engine(database_.path(), Synchronous::off), 0, ops);
    brought_ = ops;
  }
  Measured measure() {
    constexpr std::int64_t ops = 1'000;
    const auto engine = open_engine(database_.path(), Synchronous::normal);
    start_ready_ops(*engine, "op-" + std::to_string(brought_) + "-", 2 * ops);
    brought_ += 2 * ops;
    // Its statements are prepared, and its pages are in the cache.
    work_off(*engine, 1, ops);
    Measured measured;
    measured.items = ops;
    const Stopwatch watch;
    measured.latency = work_off(*engine, 1, ops);
    measured.seconds = watch.seconds();
    return measured;
  }

 private:
  FreshDatabase database_;
  std::int64_t brought_ = 0;
};

Measured beside_finished(std::int64_t ops) {
  static std::map<std::int64_t, std::unique_ptr<Finished>> made;
  auto& one = made[ops];
  if (one == nullptr) one = std::make_unique<Finished>(ops);
  return one->measure();
}

double resident_bytes() {
  std::ifstream told("/proc/self/statm");
  double all = 0;
  double resident = 0;
  told >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

struct Taken {
  double memory = 0;
  double file = 0;
  double seconds = 0;
};

// In a process of its own, so that what others have left in memory counts for nothing. The ops are
// brought in one call, and each is worked off.
Measured footprint(bool of_file) {
  constexpr std::int64_t ops = 100'000;
  const FreshDatabase database;
  Taken taken;
  const Process child([&](const Process::Line& line) {
    const auto engine = open_engine(database.path(), Synchronous::off);
    const double before = resident_bytes();
    const Stopwatch watch;
    start_ready_ops(*engine, "op-", ops);
    work_off(*engine, 1, ops);
    const Taken mine{resident_bytes() - before, static_cast<double>(database.bytes()),
                     watch.seconds()};
    line.tell(&mine, sizeof mine);
  });
  child.line().hear(&taken, sizeof taken);
  Measured measured;
  measured.items = ops;
  measured.seconds = taken.seconds;
  measured.value = of_file ? taken.file : taken.memory;
  measured.also = {{"memory_bytes", taken.memory}, {"file_bytes", taken.file}};
  return measured;
}

}  // namespace

void add_growth_rows(bool takes_long) {
  for (const std::int64_t ops : {1'000, 10'000, 100'000, 1'000'000}) {
    if (ops > 10'000 && !takes_long) continue;
    add_row("beside_finished/ops:" + std::to_string(ops) + "/normal", Headline::items_per_second,
            [=] { return beside_finished(ops); });
  }
  if (!takes_long) return;
  add_row("memory/ops:100000/off", Headline::bytes_each, [] { return footprint(false); });
  add_row("file/ops:100000/off", Headline::bytes_each, [] { return footprint(true); });
}

}  // namespace leaseproof::bench
