// What the scheduler asks of the engine: when to look, leases, and what becomes of each.
//
// Promise: an interface. The scheduler knows threads, beats and counts; tokens, runners and words
// of the engine are behind this, and a test puts its own there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/store/due.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

class Supervisor;

struct QueueName {
  std::string site = "default";
  std::string queue = "default";
  bool operator<(const QueueName& other) const {
    return std::tie(site, queue) < std::tie(other.site, other.queue);
  }
  bool operator==(const QueueName&) const = default;
};

// How an op left its worker. `lost`: the lease is another's, or is left to expire because the
// engine could not be told. `abandoned`: the runner did not stop in time.
enum class End : std::uint8_t {
  succeeded,
  retried,
  failed,
  waiting_approval,
  reconciling,
  lost,
  abandoned
};

struct Ended {
  End end = End::lost;
  model::Outcome last;  // what the engine said
};

enum class Beat : std::uint8_t {
  extended,
  unheard,  // the engine could not be asked: again soon
  over      // the lease is gone
};

// One lease, from its grant to its end. All but `request_stop` and `close` are called by the one
// worker that the op was put to, or under its supervisor.
class LeasedOp {
 public:
  LeasedOp() = default;
  virtual ~LeasedOp() = default;
  LeasedOp(const LeasedOp&) = delete;
  LeasedOp& operator=(const LeasedOp&) = delete;

  // Between two heartbeats, at least 1.
  [[nodiscard]] virtual std::int64_t beat_us() const = 0;
  // The code of the user, for as long as it takes; nothing leaves it. Calls of the engine that it
  // makes under this lease are made while the supervisor pauses.
  virtual void run(Supervisor& supervisor) = 0;
  // One heartbeat. On `over` the code has been told to stop, and the observers of the loss.
  virtual Beat extend() = 0;
  // The final transition, tried only while the lease is not known to be gone. Bounded.
  virtual Ended finish() = 0;
  // Asks the code to stop.
  virtual void request_stop() = 0;
  // Waits for a call of the engine that the code has under way; from then on its calls answer
  // `lease_lost` and reach neither engine nor supervisor.
  virtual void close() = 0;
};

struct Leasing {
  model::Outcome outcome;
  std::shared_ptr<LeasedOp> op;
};

// Calls come from one thread at a time.
class OpSource {
 public:
  OpSource() = default;
  virtual ~OpSource() = default;
  OpSource(const OpSource&) = delete;
  OpSource& operator=(const OpSource&) = delete;

  virtual model::Outcome refresh() = 0;
  virtual model::Outcome next_due(store::Due& due) = 0;
  // A lease of each of `queues`, in their order and as if one by one: `leased` with the op, `none`,
  // or why not.
  virtual std::vector<Leasing> lease(const std::vector<QueueName>& queues) = 0;
};

}  // namespace leaseproof::engine
