// What single calls cost on a disk: bringing ops, a heartbeat, and the refresh that takes 10 000
// expired leases back.
#include <stdexcept>
#include <string>
#include <variant>

#include "bench/clock.hpp"
#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

using engine::Engine;
using engine::Synchronous;
using model::Word;

// So many calls of `start`, with so many ops each.
Measured enqueue(std::int64_t ops_each, Synchronous synchronous) {
  const FreshDatabase database;
  const auto engine = open_engine(database.path(), synchronous);
  const std::int64_t calls = op_count(synchronous) / (ops_each == 1 ? 1 : 20);
  Measured measured;
  measured.items = calls * ops_each;
  const Stopwatch all;
  for (std::int64_t i = 0; i < calls; ++i) {
    model::Start start;
    for (std::int64_t op = 0; op < ops_each; ++op) {
      start.ops.emplace_back().id = std::to_string(i) + "-" + std::to_string(op);
    }
    const Stopwatch watch;
    expect(engine->start(std::move(start)), Word::created);
    measured.latency.record(watch.ns());
  }
  measured.seconds = all.seconds();
  return measured;
}

Measured heartbeat(Synchronous synchronous) {
  const FreshDatabase database;
  const auto engine = open_engine(database.path(), synchronous);
  start_ready_ops(*engine, "op-", 1);
  model::Lease lease;
  lease.worker = "worker";
  const engine::Granted granted = engine->lease(lease);
  expect(granted.outcome, Word::leased);
  model::Heartbeat beat;
  beat.by = {"worker", "op-0", 0};
  Measured measured;
  measured.items = 2 * op_count(synchronous);
  const Stopwatch all;
  for (std::int64_t i = 0; i < measured.items; ++i) {
    const Stopwatch watch;
    expect(engine->heartbeat(granted.token, beat), Word::extended);
    measured.latency.record(watch.ns());
  }
  measured.seconds = all.seconds();
  return measured;
}

// The engine's clock, moved on by hand.
class MovedClock final : public engine::Clock {
 public:
  std::int64_t now_us() override { return engine_clock().now_us() + by_us_; }
  void wait_us(std::int64_t duration_us) override { engine_clock().wait_us(duration_us); }
  void move(std::int64_t by_us) { by_us_ += by_us; }

 private:
  std::int64_t by_us_ = 0;
};

Measured recovery(std::int64_t leases) {
  const FreshDatabase database;
  MovedClock clock;
  {
    // Durability is not what the making of it is measured by.
    const auto engine = open_engine(database.path(), Synchronous::off, &clock);
    start_ready_ops(*engine, "op-", leases);
    model::Lease lease;
    lease.worker = "gone";
    for (std::int64_t i = 0; i < leases; ++i) expect(engine->lease(lease).outcome, Word::leased);
  }
  const auto engine = open_engine(database.path(), Synchronous::full, &clock);
  clock.move(model::default_lease_us);
  const Stopwatch watch;
  const model::Outcome outcome = engine->refresh();
  Measured measured;
  measured.seconds = watch.seconds();
  measured.items = leases;
  expect(outcome, Word::ok);
  if (std::get<model::Refreshed>(outcome.detail).recovered != leases) {
    throw std::runtime_error("not every expired lease was taken back");
  }
  return measured;
}

}  // namespace

void add_call_rows() {
  for (const Synchronous synchronous : synchronous_settings) {
    const std::string end = "/" + std::string(word(synchronous));
    for (const std::int64_t ops : {1, 100}) {
      add_row("enqueue/ops_each:" + std::to_string(ops) + end, Headline::items_per_second,
              [=] { return enqueue(ops, synchronous); });
    }
    add_row("heartbeat" + end, Headline::items_per_second, [=] { return heartbeat(synchronous); });
  }
  for (const std::int64_t leases : {1'000, 10'000}) {
    add_row("recovery/expired:" + std::to_string(leases) + "/full", Headline::items_per_second,
            [=] { return recovery(leases); });
  }
}

}  // namespace leaseproof::bench
