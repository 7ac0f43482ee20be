// The engine with its scheduler, in one object: what a program embeds.
//
// Promise: open a database, register a runner for each kind of op, start or ensure workflows, and
// run: a cycle, until all is worked off, or by itself as a service. Several hosts, in as many
// processes, may share one database: each op runs where its lease is, and commits once.
//
//   auto host = Host::open({.engine = {.path = "jobs.db"}});
//   (*host)->on("fetch", [](Attempt& attempt) { return Completed{fetch(attempt.work().input)}; });
//   (*host)->engine().ensure(workflow);
//   (*host)->work_off();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "engine/engine.hpp"
#include "engine/runner.hpp"
#include "engine/scheduler/scheduler.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine {

// What becomes of an op for whose kind this host has no runner. A lease asks for no kind: where the
// processes on a database differ in what they can run, give each its queues.
enum class UnknownKind : std::uint8_t {
  fail_permanently,
  fail_retryable  // another process may have one, while attempts are left
};

struct HostOptions {
  // A clock given here is that of the scheduler too.
  Options engine;
  SchedulerSettings scheduler;
  // The owner of this host's leases, for who reads them; it proves nothing.
  std::string worker = "worker";
  UnknownKind unknown_kind = UnknownKind::fail_permanently;
  SchedulerSeam seam;
};

class Host {
 public:
  // The error names the setting or the file, and the mend.
  static tl::expected<std::unique_ptr<Host>, OpenError> open(HostOptions options);
  // `stop`: code that does not stop in time may run on for longer than the host lives.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // A kind registered again gets the new runner, at the next attempt; an empty one takes it away.
  // Best before the first run: an op of a kind that has no runner yet fails.
  void on(std::string kind, Runner runner);
  // Called after each commit of this process and for each lost lease, one at a time, on whichever
  // thread is there: an observer that is slow holds up a heartbeat. What it throws is counted.
  void observe(Observer observer);

  // To start and ensure workflows, decide, retry, cancel, and to read: from any thread.
  [[nodiscard]] Engine& engine();

  // See Scheduler.
  Cycle run_cycle();
  Cycle work_off();
  void start();
  void drain();
  void stop();
  [[nodiscard]] Scheduler& scheduler();

 private:
  struct Parts;
  explicit Host(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace leaseproof::engine
