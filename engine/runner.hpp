// What a host writes for each kind of op: a runner, what it is given, and what it may answer.
//
// Promise: a runner never sees a token. All that it does to its op goes through its attempt, which
// does nothing once the lease is gone. A runner that throws has failed, retryably; after a dispatch
// as `unknown`, since the outside service may have been called.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/engine.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

// One attempt at an op, from its lease to its end. It lives as long as the runner's call; a thread
// that the runner starts must not outlive that.
class Attempt {
 public:
  Attempt() = default;
  virtual ~Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  [[nodiscard]] virtual const std::string& op() const = 0;
  // What the op carries and what earlier attempts have stored. `attempts` is this one's number,
  // from 1 on since the last operator's retry; `generation` counts all leases.
  [[nodiscard]] virtual const Work& work() const = 0;
  // Stops when nothing that the runner does can count any more (the lease is lost, or a call below
  // ended it), and when the scheduler stops. Callbacks on it must be quick and not throw.
  [[nodiscard]] virtual std::stop_token stop_token() const = 0;

  // SEMANTICS 3 and 6. Heartbeats pause meanwhile. Once the lease is gone each answers `lease_lost`
  // and asks nobody. What they refuse is told and the lease stands, but for the words by which
  // SEMANTICS 3 ends the op: then the runner's answer is not looked at.
  virtual model::Outcome checkpoint(std::string_view step, std::string_view payload) = 0;
  virtual Dispatched dispatch(std::string_view payload) = 0;
  // `waiting` ends the attempt: the runner then answers `Waits`.
  virtual model::Outcome request_approval(std::string_view payload,
                                          std::int64_t ttl_us = model::default_approval_ttl_us) = 0;
};

// SEMANTICS 3, complete. JSON values need not be canonical. What the engine refuses as `invalid`,
// and a missing receipt, is a failure: `permanent`, or after a dispatch `unknown`.
struct Completed {
  std::string result = "null";
  std::vector<model::Artifact> artifacts;
  std::vector<model::OpSpec> emit;
  std::optional<std::string> receipt;
  UserRows also;
};
// SEMANTICS 3, fail. Without a dispatch, `retryable` and `permanent`; after one they mean that the
// service refused.
struct Failed {
  model::FailKind kind = model::FailKind::retryable;
  std::string error;
};
// The attempt ended by a request for approval. Without one this is a failure, `permanent`.
struct Waits {};

using Answer = std::variant<Completed, Failed, Waits>;

// Called on any of the scheduler's threads, several at once. It may be running still when the
// scheduler has stopped without it, so it owns what it uses or shares it.
using Runner = std::function<Answer(Attempt&)>;

}  // namespace leaseproof::engine
