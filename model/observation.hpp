// The observable state of TRACE 4, without secrets or tokens.
//
// Promise: a value with `==`; everything in it is ordered, so that two equal observations print the
// same bytes. JSON values are canonical JSON text, times microseconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/words.hpp"

namespace leaseproof::model {

struct LeaseView {
  std::string owner;
  std::int64_t generation = 0;
  std::int64_t expires_us = 0;
  bool operator==(const LeaseView&) const = default;
};
struct ApprovalView {
  std::int64_t request_no = 0;
  ApprovalStatus status = ApprovalStatus::pending;
  std::string hash;
  bool operator==(const ApprovalView&) const = default;
};
struct EffectView {
  EffectStatus status = EffectStatus::none;
  std::optional<std::string> key;
  std::optional<std::string> receipt;
  bool operator==(const EffectView&) const = default;
};
// `artifacts`: name → lower-case hex SHA-256 of the text. `checkpoints`: step → payload.
// `approval` is the newest request; `effect` is present for each op that has one.
struct OpView {
  std::string workflow;
  OpStatus status = OpStatus::pending;
  std::int64_t generation = 0;
  std::int64_t attempts = 0;
  std::optional<std::int64_t> next_attempt_us;
  std::optional<std::string> error;
  std::optional<LeaseView> lease;
  std::optional<std::string> result;
  std::map<std::string, std::string> artifacts;
  std::map<std::string, std::string> checkpoints;
  std::optional<ApprovalView> approval;
  std::optional<EffectView> effect;
  bool operator==(const OpView&) const = default;
};
struct WorkflowView {
  WorkflowStatus status = WorkflowStatus::running;
  bool cancel_requested = false;
  std::array<std::int64_t, op_status_count> counts{};
  bool operator==(const WorkflowView&) const = default;
};
// A queue is listed once `queue` has named it. `tokens` are the stored micro-tokens: a refill is
// stored only with a spent token (SEMANTICS 3, queue room).
struct QueueView {
  std::int64_t running = 0;
  std::int64_t tokens = 0;
  bool operator==(const QueueView&) const = default;
};
using SiteQueue = std::pair<std::string, std::string>;

// `events`, `last_seq` and `writes` are not compared with the model: the kinds of events are the
// engine's own, and the writes are the outside service's.
struct Observation {
  std::map<std::string, WorkflowView> workflows;
  std::map<std::string, OpView> ops;
  std::map<SiteQueue, QueueView> queues;
  std::int64_t events = 0;
  std::int64_t last_seq = 0;
  std::map<std::string, std::int64_t> writes;
  bool operator==(const Observation& other) const {
    return workflows == other.workflows && ops == other.ops && queues == other.queues;
  }
};

}  // namespace leaseproof::model
