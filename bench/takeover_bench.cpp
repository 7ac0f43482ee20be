// How long an op is nobody's after the process that ran it was killed: until another process, which
// runs as a service, has it under its own lease. Most of that is what was left of the dead lease.
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "bench/clock.hpp"
#include "bench/database_folder.hpp"
#include "bench/load.hpp"
#include "bench/process.hpp"
#include "bench/row.hpp"
#include "bench/stopwatch.hpp"
#include "engine/host.hpp"

namespace leaseproof::bench {
namespace {

using engine::Synchronous;
using model::Word;

constexpr std::int64_t lease_us = 100'000;

// Holds the op and beats, until it is killed. Tells at each beat when the lease ends.
void hold(const std::string& path, const Process::Line& line) {
  const auto engine = open_engine(path, Synchronous::full);
  start_ready_ops(*engine, "op-", 1);
  model::Lease lease;
  lease.worker = "victim";
  lease.lease_us = lease_us;
  const engine::Granted granted = engine->lease(lease);
  expect(granted.outcome, Word::leased);
  line.tell_go();
  model::Heartbeat beat;
  beat.by = {"victim", "op-0", 0};
  beat.lease_us = lease_us;
  while (true) {
    engine_clock().wait_us(lease_us / 3);
    // A machine that is too slow has lost it the lease; the one who kills it finds that out.
    engine->heartbeat(granted.token, beat);
  }
}

void take_over(const std::string& path, const Process::Line& line) {
  engine::HostOptions options;
  options.engine.path = path;
  options.engine.clock = &engine_clock();
  auto opened = engine::Host::open(std::move(options));
  if (!opened) throw std::runtime_error(opened.error().sentence);
  engine::Host& host = **opened;
  host.on("task", [&line](engine::Attempt&) -> engine::Answer {
    const std::uint64_t now = shared_ns();
    line.tell(&now, sizeof now);
    return engine::Completed{};
  });
  host.start();
  line.tell_go();
  line.hear_go();
  host.stop();
}

// The time from the kill; nothing where the holder was too slow to keep its lease until then.
std::optional<std::uint64_t> takeover_ns(std::int64_t wait_us) {
  const FreshDatabase database;
  Process holder([&](const Process::Line& line) { hold(database.path(), line); });
  holder.line().hear_go();
  const Process other([&](const Process::Line& line) { take_over(database.path(), line); });
  other.line().hear_go();
  engine_clock().wait_us(wait_us);
  const std::uint64_t killed = shared_ns();
  holder.kill();
  std::uint64_t taken = 0;
  other.line().hear(&taken, sizeof taken);
  other.line().tell_go();
  if (taken < killed) return std::nullopt;
  return taken - killed;
}

Measured takeovers() {
  constexpr std::int64_t kills = 6;
  constexpr int most_tries = 60;
  Measured measured;
  for (int tried = 0; measured.items < kills; ++tried) {
    if (tried == most_tries) throw std::runtime_error("the machine is too slow for this lease");
    // At another moment of the lease each time.
    const auto taken_ns = takeover_ns(lease_us / 3 * measured.items / kills);
    if (!taken_ns) continue;
    measured.latency.record(*taken_ns);
    measured.seconds += static_cast<double>(*taken_ns) / 1e9;
    ++measured.items;
  }
  return measured;
}

}  // namespace

void add_takeover_rows() {
  add_row("kill_to_takeover/lease_ms:" + std::to_string(lease_us / 1'000) + "/full",
          Headline::us_each, takeovers);
}

}  // namespace leaseproof::bench
