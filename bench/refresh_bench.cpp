// What a refresh costs: beside so many pending ops that it has nothing to do with, and where it
// changes them all; and a fan-in, whose last op every other one is looked at for.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"

namespace leaseproof::bench {
namespace {

using engine::Engine;
using engine::Synchronous;
using model::Word;

constexpr Synchronous setting = Synchronous::normal;

// Ops that wait for one that is never done, so that they stay pending.
class PendingOps {
 public:
  explicit PendingOps(std::int64_t pending) : engine_(open_engine(database_.path(), setting)) {
    model::Start start;
    start.ops.emplace_back().id = "gate";
    for (std::int64_t i = 0; i < pending; ++i) {
      model::OpSpec& op = start.ops.emplace_back();
      op.id = "waits-" + std::to_string(i);
      op.needs = {{"gate"}};
      op.site = "elsewhere";
    }
    expect(engine_->start(std::move(start)), Word::created);
    expect(engine_->refresh(), Word::ok);
    // Nobody leases what every other one waits for.
    model::Lease lease;
    lease.worker = "holder";
    lease.lease_us = 86'400'000'000;  // longer than any bench takes
    expect(engine_->lease(lease).outcome, Word::leased);
  }
  [[nodiscard]] Engine& engine() const { return *engine_; }
  // How many ops this process has put into it besides.
  std::int64_t brought = 0;

 private:
  FreshDatabase database_;
  std::unique_ptr<Engine> engine_;
};

// One for all repetitions: to make it takes longer than to measure on it.
PendingOps& pending_ops(std::int64_t pending) {
  static std::map<std::int64_t, std::unique_ptr<PendingOps>> made;
  auto& one = made[pending];
  if (one == nullptr) one = std::make_unique<PendingOps>(pending);
  return *one;
}

void time_refresh(Engine& engine, Measured& measured, std::int64_t readied) {
  const Stopwatch watch;
  const model::Outcome outcome = engine.refresh();
  measured.latency.record(watch.ns());
  measured.seconds += watch.seconds();
  ++measured.items;
  expect(outcome, Word::ok);
  if (std::get<model::Refreshed>(outcome.detail).readied != readied) {
    throw std::runtime_error("a refresh has not made ready what it should");
  }
}

Measured changes_nothing(std::int64_t pending) {
  constexpr int calls = 1'000;
  PendingOps& ops = pending_ops(pending);
  Measured measured;
  for (int i = 0; i < calls; ++i) time_refresh(ops.engine(), measured, 0);
  return measured;
}

// Each refresh finds one op done and one that waited for it.
Measured changes_one(std::int64_t pending) {
  constexpr int calls = 200;
  PendingOps& ops = pending_ops(pending);
  Engine& engine = ops.engine();
  Measured measured;
  for (int i = 0; i < calls; ++i) {
    const std::string id = std::to_string(ops.brought++);
    model::Start start;
    start.ops.emplace_back().id = "first-" + id;
    model::OpSpec& second = start.ops.emplace_back();
    second.id = "second-" + id;
    second.needs = {{"first-" + id}};
    expect(engine.start(std::move(start)), Word::created);
    expect(engine.refresh(), Word::ok);
    if (!lease_and_complete(engine, "worker")) throw std::runtime_error("an op is missing");
    time_refresh(engine, measured, 1);
    if (!lease_and_complete(engine, "worker")) throw std::runtime_error("an op is missing");
    expect(engine.refresh(), Word::ok);
  }
  return measured;
}

// Of as many workflows as ops, or of one.
Measured changes_all(std::int64_t pending, bool workflow_each) {
  const FreshDatabase database;
  const auto engine = open_engine(database.path(), setting);
  model::Start start;
  for (std::int64_t i = 0; i < pending; ++i) {
    start.ops.emplace_back().id = "op-" + std::to_string(i);
    if (!workflow_each && i + 1 < pending) continue;
    expect(engine->start(std::move(start)), Word::created);
    start = {};
  }
  Measured measured;
  time_refresh(*engine, measured, pending);
  measured.items = pending;
  measured.latency = {};
  return measured;
}

// Worked off to its end, with a refresh after each completion.
Measured fan_in(std::int64_t needs) {
  const FreshDatabase database;
  const auto engine = open_engine(database.path(), setting);
  model::Start start;
  model::OpSpec last;
  last.id = "last";
  for (std::int64_t i = 0; i < needs; ++i) {
    const std::string id = "op-" + std::to_string(i);
    start.ops.emplace_back().id = id;
    last.needs.push_back({id});
  }
  start.ops.push_back(std::move(last));
  expect(engine->start(std::move(start)), Word::created);
  expect(engine->refresh(), Word::ok);
  Measured measured;
  const Stopwatch all;
  while (true) {
    const Stopwatch watch;
    if (!lease_and_complete(*engine, "worker")) break;
    expect(engine->refresh(), Word::ok);
    measured.latency.record(watch.ns());
    ++measured.items;
  }
  measured.seconds = all.seconds();
  if (measured.items != needs + 1) throw std::runtime_error("the last op was never ready");
  return measured;
}

}  // namespace

void add_refresh_rows(bool takes_long) {
  for (const std::int64_t pending : {10, 1'000, 100'000}) {
    const std::string count = std::to_string(pending);
    add_row("refresh_changes_nothing/pending:" + count + "/normal", Headline::us_each,
            [=] { return changes_nothing(pending); });
    add_row("refresh_changes_one/pending:" + count + "/normal", Headline::us_each,
            [=] { return changes_one(pending); });
    if (pending > 10'000 && !takes_long) continue;
    add_row("refresh_changes_all/pending:" + count + "/normal", Headline::us_each,
            [=] { return changes_all(pending, false); });
  }
  add_row("refresh_changes_all/workflows:1000/normal", Headline::us_each,
          [] { return changes_all(1'000, true); });
  if (takes_long) {
    add_row("refresh_changes_all/workflows:10000/normal", Headline::us_each,
            [] { return changes_all(10'000, true); });
  }
  for (const std::int64_t needs : {100, 1'000}) {
    add_row("fan_in/needs:" + std::to_string(needs) + "/normal", Headline::items_per_second,
            [=] { return fan_in(needs); });
  }
}

}  // namespace leaseproof::bench
