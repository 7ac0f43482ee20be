// What a checked step costs: the engine in memory, the model compared, all invariants judged, the
// observed state read back; and beside it, in the same run, the same SQL statements straight
// through sqlite3. The cases are those that `check` draws, without faults and restarts: opening a
// database is measured by itself.
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bench/own_options.hpp"
#include "bench/recorded_statements.hpp"
#include "engine/sqlite/code.hpp"
#include "engine/store/schema.hpp"
#include "properties/engine_sut.hpp"
#include "properties/generators.hpp"
#include "properties/runner.hpp"

namespace leaseproof::bench {
namespace {

using properties::Case;
using properties::EngineSut;

constexpr int case_count = 200;

const std::vector<Case>& cases() {
  static const std::vector<Case> drawn = [] {
    std::vector<Case> all;
    properties::DrawOptions options;
    options.faults = false;
    // Without effects, so that the numbers stay comparable with those from before there were any.
    options.speaks = [](const model::Action& action) {
      return !std::holds_alternative<model::Restart>(action) &&
             !std::holds_alternative<model::Dispatch>(action);
    };
    for (std::uint64_t seed = 1; seed <= case_count; ++seed) {
      Case drawn_case = properties::draw_case(seed, options);
      drawn_case.config.synchronous = properties::Synchronous::full;
      auto& steps = drawn_case.steps;
      steps.erase(std::remove_if(steps.begin(), steps.end(),
                                 [](const properties::Step& step) {
                                   return std::holds_alternative<model::Restart>(step.action);
                                 }),
                  steps.end());
      all.push_back(std::move(drawn_case));
    }
    return all;
  }();
  return drawn;
}

std::int64_t step_count() {
  std::int64_t steps = 0;
  for (const Case& one : cases()) steps += static_cast<std::int64_t>(one.steps.size());
  return steps;
}

struct World {
  properties::Rig rig;
  explicit World(const properties::MakeRig& make = properties::engine_in_memory()) : rig(make()) {}
  properties::Runner runner{*rig.sut, *rig.clock};

  EngineSut& sut() { return static_cast<EngineSut&>(*rig.sut); }
  bool run_all() {
    for (const Case& one : cases()) {
      if (runner.run(one.config, one.steps, false)) return false;
    }
    return true;
  }
};

void checked_steps(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    if (!world.run_all()) state.SkipWithError("a case did not hold");
  }
  state.SetItemsProcessed(state.iterations() * step_count());
}
BENCHMARK(checked_steps)->Unit(benchmark::kMillisecond);

// The same on a simulated disk: a WAL, its syncs and its checkpoints instead of none of them.
void checked_steps_on_simulated_disk(benchmark::State& state) {
  World world(properties::engine_on_simulated_disk());
  for (auto _ : state) {
    if (!world.run_all()) state.SkipWithError("a case did not hold");
  }
  state.SetItemsProcessed(state.iterations() * step_count());
}
BENCHMARK(checked_steps_on_simulated_disk)->Unit(benchmark::kMillisecond);

void bare_statements(benchmark::State& state) {
  RecordedStatements recorded;
  {
    World world;
    recorded.record({world.sut().engine().connection().handle(), world.sut().eraser()->handle()});
    const bool held = world.run_all();
    recorded.stop();
    if (!held) state.SkipWithError("a case did not hold");
  }
  sqlite3* eraser = nullptr;
  sqlite3* db = nullptr;
  const char* path = "file:/leaseproof-bare?vfs=memdb";
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  sqlite3_open_v2(path, &eraser, flags, nullptr);
  sqlite3_open_v2(path, &db, flags, nullptr);
  for (const char* script : {engine::store::connection_pragmas, engine::store::schema_of_versions,
                             engine::store::schema_v4, engine::store::schema_v5}) {
    sqlite3_exec(db, script, nullptr, nullptr, nullptr);
  }
  sqlite3_exec(eraser, engine::store::erasing_pragmas, nullptr, nullptr, nullptr);
  recorded.prepare({db, eraser});
  for (auto _ : state) {
    if (!recorded.run()) state.SkipWithError("a recorded statement did not end well");
  }
  state.SetItemsProcessed(state.iterations() * step_count());
  state.counters["statements_per_step"] =
      static_cast<double>(recorded.size()) / static_cast<double>(step_count());
  recorded.finalize();
  sqlite3_close(db);
  sqlite3_close(eraser);
}
BENCHMARK(bare_statements)->Unit(benchmark::kMillisecond);

// A database with one finished case in it, emptied.
void fresh_database(benchmark::State& state) {
  World world;
  const Case& one = cases().front();
  std::int64_t failed = 0;
  for (auto _ : state) {
    state.PauseTiming();
    failed += world.runner.run(one.config, one.steps, false) ? 1 : 0;
    state.ResumeTiming();
    world.rig.sut->reset(one.config);
  }
  if (failed > 0) state.SkipWithError("the case did not hold");
}
BENCHMARK(fresh_database)->Unit(benchmark::kMicrosecond);

void reopened_database(benchmark::State& state) {
  World world;
  world.rig.sut->reset({});
  for (auto _ : state) world.rig.sut->restart(nullptr);
}
BENCHMARK(reopened_database)->Unit(benchmark::kMicrosecond);

// One call, the power goes, everything unsynced is lost, the engine is opened again and all of its
// state is read back. The database holds a finished case.
void call_lost_and_looked_for(benchmark::State& state) {
  const auto vfs = std::make_shared<faults::Vfs>("leaseproof-bench");
  properties::SimClock clock;
  EngineSut sut(clock, {"/bench", "bench", {}, vfs});
  properties::Runner runner(sut, clock);
  const Case& one = cases().front();
  if (runner.run(one.config, one.steps, false)) state.SkipWithError("the case did not hold");
  const faults::Disk finished = vfs->snapshot();
  std::int64_t made = 0;
  std::int64_t missing = 0;
  for (auto _ : state) {
    if (made % 50 == 0) {
      state.PauseTiming();
      vfs->restore(finished);
      missing += sut.wake_up() ? 0 : 1;
      state.ResumeTiming();
    }
    model::Start start;
    start.workflow = "bench-" + std::to_string(++made);
    model::OpSpec op;
    op.id = *start.workflow + "/op";
    start.ops.push_back(op);
    const model::Action action = start;
    properties::CallFrame frame;
    frame.action = &action;
    sut.apply(frame);
    vfs->lose_power({});
    const bool stands = sut.wake_up() && sut.observe_in_full().workflows.contains(*start.workflow);
    missing += stands ? 0 : 1;
  }
  if (missing > 0) state.SkipWithError("an answered call was lost");
}
BENCHMARK(call_lost_and_looked_for)->Unit(benchmark::kMicrosecond);

// What a fault point costs where nothing is armed, and where a plan for another point is.
void unarmed_fault_point(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        faults::hit(faults::point_of(faults::Call::lease, faults::Place::begin)));
  }
}
BENCHMARK(unarmed_fault_point);

void armed_fault_point(benchmark::State& state) {
  faults::Plan plan;
  plan.point = faults::point_of(faults::Call::fail, faults::Place::begin);
  plan.kind = faults::Kind::busy;
  const faults::Armed armed(plan);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        faults::hit(faults::point_of(faults::Call::lease, faults::Place::begin)));
  }
}
BENCHMARK(armed_fault_point);

}  // namespace
}  // namespace leaseproof::bench

int main(int argc, char** argv) {
  // As the program does.
  leaseproof::engine::sqlite::stop_memory_statistics();
  // SQLite's own count of its memory takes a lock at every allocation.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  std::vector<char*> arguments(argv, argv + argc);
  const auto own = leaseproof::bench::take_own(arguments);
  // A filter that is given takes the place of this one.
  std::string short_rows = "--benchmark_filter=-^model_";
  if (!own.takes_long) arguments.insert(arguments.begin() + 1, short_rows.data());
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
