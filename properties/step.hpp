// A step of an interleaving: an action, how the caller's clock stands, and the fault that hits it.
//
// Promise: plain data; the same struct is what generators draw, the minimizer cuts and the trace
// codec reads and writes (TRACE 1 to 3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faults/plan.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::properties {

struct Step;

struct StepFault {
  faults::Plan plan;
  std::vector<std::int64_t> torn_sectors;
  std::vector<Step> steps;  // kind interleave: what runs while the call stands still
};

struct Step {
  model::Action action;
  std::int64_t skew_us = 0;       // this caller's clock is off by so much for this call
  std::int64_t lock_wait_us = 0;  // the clock moves on so far before the call gets the write lock
  std::optional<StepFault> fault;
  // What the writer of a trace expects: JSON text that only the codec reads; empty means nothing.
  std::string expect;
};

enum class Synchronous : std::uint8_t { full, normal, off };

struct Config {
  std::int64_t lease_us = model::default_lease_us;
  std::int64_t busy_tries = 3;
  std::int64_t clock_slack_us = 0;
  Synchronous synchronous = Synchronous::full;
  model::Contract service_contract = model::Contract::idempotent;
  std::int64_t service_retention_us = 0;
  std::vector<model::Queue> queues;
};

}  // namespace leaseproof::properties
