#include "properties/unseen.hpp"

#include <utility>

#include "model/rules.hpp"

namespace leaseproof::properties {

namespace {

void fill_field(model::OpView& seen, const model::OpView& known, OpField field) {
  switch (field) {
    case OpField::workflow:
      seen.workflow = known.workflow;
      return;
    case OpField::status:
      seen.status = known.status;
      // Whether a result that is left out is missing, only the status tells.
      if (!seen.result) seen.result = known.result;
      return;
    case OpField::generation:
      seen.generation = known.generation;
      return;
    case OpField::attempts:
      seen.attempts = known.attempts;
      return;
    case OpField::next_attempt_us:
      seen.next_attempt_us = known.next_attempt_us;
      return;
    case OpField::error:
      seen.error = known.error;
      return;
    case OpField::lease:
      seen.lease = known.lease;
      return;
    case OpField::artifacts:
      seen.artifacts = known.artifacts;
      return;
    case OpField::checkpoints:
      seen.checkpoints = known.checkpoints;
      return;
    case OpField::approval:
      seen.approval = known.approval;
      return;
    case OpField::effect:
      seen.effect = known.effect;
      return;
  }
}

void fill_field(model::WorkflowView& seen, const model::WorkflowView& known, WorkflowField field) {
  switch (field) {
    case WorkflowField::status:
      seen.status = known.status;
      return;
    case WorkflowField::cancel_requested:
      seen.cancel_requested = known.cancel_requested;
      return;
    case WorkflowField::counts:
      seen.counts = known.counts;
      return;
  }
}

void fill_field(model::QueueView& seen, const model::QueueView& known, QueueField field) {
  switch (field) {
    case QueueField::running:
      seen.running = known.running;
      return;
    case QueueField::tokens:
      seen.tokens = known.tokens;
      return;
  }
}

// What only one of the two sides knows stays as it is, for the comparison to find.
template <class Field, class Missing, class Entries>
void fill_entries(Entries& seen, const Entries& known, const Missing& missing) {
  for (const auto& [id, fields] : missing) {
    const auto ours = known.find(id);
    const auto theirs = seen.find(id);
    if (ours == known.end() || theirs == seen.end()) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields.test(i)) fill_field(theirs->second, ours->second, static_cast<Field>(i));
    }
  }
}

}  // namespace

void fill(model::Observation& seen, const Unseen& unseen, const model::State& state) {
  if (!unseen.any()) return;
  model::Observation known = model::observe(state);
  fill_entries<OpField>(seen.ops, known.ops, unseen.op_fields);
  fill_entries<WorkflowField>(seen.workflows, known.workflows, unseen.workflow_fields);
  fill_entries<QueueField>(seen.queues, known.queues, unseen.queue_fields);
  if (unseen.ops) seen.ops = std::move(known.ops);
  if (unseen.workflows) seen.workflows = std::move(known.workflows);
  if (unseen.queues) seen.queues = std::move(known.queues);
}

}  // namespace leaseproof::properties
