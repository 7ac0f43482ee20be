// What an observation does not show (TRACE 5: an engine behind a pipe observes what it can).
//
// Promise: what is not shown is told apart from what is absent, entry by entry and field by field;
// `fill` puts the model's own there, and touches nothing that was shown.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "model/state.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::properties {

enum class OpField : std::uint8_t {
  workflow,
  status,
  generation,
  attempts,
  next_attempt_us,
  error,
  lease,
  artifacts,
  checkpoints,
  approval,
  effect
};
inline constexpr std::size_t op_field_count = 11;
enum class WorkflowField : std::uint8_t { status, cancel_requested, counts };
inline constexpr std::size_t workflow_field_count = 3;
enum class QueueField : std::uint8_t { running, tokens };
inline constexpr std::size_t queue_field_count = 2;

// Whole parts, and of the entries of the others the fields that are missing.
struct Unseen {
  bool workflows = false;
  bool ops = false;
  bool queues = false;
  std::map<std::string, std::bitset<op_field_count>> op_fields;
  std::map<std::string, std::bitset<workflow_field_count>> workflow_fields;
  std::map<model::SiteQueue, std::bitset<queue_field_count>> queue_fields;

  [[nodiscard]] bool any() const {
    return workflows || ops || queues || !op_fields.empty() || !workflow_fields.empty() ||
           !queue_fields.empty();
  }
};

void fill(model::Observation& seen, const Unseen& unseen, const model::State& state);

}  // namespace leaseproof::properties
