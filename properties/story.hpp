// Short spellings of steps, for tests that tell a story.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/step.hpp"

namespace leaseproof::properties::story {

inline model::OpSpec op(std::string id, const std::vector<std::string>& needs = {}) {
  model::OpSpec spec;
  spec.id = std::move(id);
  for (const std::string& need : needs) spec.needs.push_back({need, true});
  return spec;
}
inline Step step(model::Action action) {
  Step made;
  made.action = std::move(action);
  return made;
}
inline Step ensure(std::string workflow, std::vector<model::OpSpec> ops,
                   std::string identity = "\"one\"") {
  model::Ensure made;
  made.workflow = std::move(workflow);
  made.identity = std::move(identity);
  made.ops = std::move(ops);
  return step(std::move(made));
}
inline Step refresh() { return step(model::Refresh{}); }
inline Step lease(std::string worker, std::int64_t lease_us = model::default_lease_us) {
  model::Lease made;
  made.worker = std::move(worker);
  made.lease_us = lease_us;
  return step(std::move(made));
}
inline Step heartbeat(std::string worker, std::string on, std::int64_t handle = 0) {
  model::Heartbeat made;
  made.by = {std::move(worker), std::move(on), handle};
  return step(std::move(made));
}
inline Step complete(std::string worker, std::string on, std::int64_t handle = 0) {
  model::Complete made;
  made.by = {std::move(worker), std::move(on), handle};
  made.result = "1";
  return step(std::move(made));
}
inline Step fail(std::string worker, std::string on,
                 model::FailKind kind = model::FailKind::permanent) {
  model::Fail made;
  made.by = {std::move(worker), std::move(on), 0};
  made.kind = kind;
  return step(std::move(made));
}
inline model::OpSpec effect_op(std::string id, model::Contract contract, bool approval = false) {
  model::OpSpec spec = op(std::move(id));
  spec.effect.emplace();
  spec.effect->contract = contract;
  spec.effect->approval = approval;
  if (approval) {
    spec.effect->scope = "team";
    spec.effect->requester = "paul";
  }
  return spec;
}
inline Step request_approval(std::string worker, std::string on,
                             std::int64_t ttl_us = model::default_approval_ttl_us) {
  return step(model::RequestApproval{{std::move(worker), std::move(on), 0}, "\"p\"", ttl_us});
}
inline Step approve(std::string on, std::string actor = "rita", bool approves = true) {
  model::Decide made;
  made.op = std::move(on);
  made.approve = approves;
  made.actor = {std::move(actor), {"reviewer"}, {"team"}};
  return step(std::move(made));
}
inline Step dispatch(std::string worker, std::string on, std::string payload = "\"p\"") {
  return step(model::Dispatch{{std::move(worker), std::move(on), 0}, std::move(payload)});
}
inline Step call(std::string worker, std::string on,
                 model::ServiceMode service = model::ServiceMode::ok) {
  return step(model::Call{{std::move(worker), std::move(on), 0}, service, std::nullopt});
}
inline Step deliver(std::string on) { return step(model::Deliver{std::move(on)}); }
inline Step reconcile(std::string on) { return step(model::Reconcile{std::move(on)}); }
inline Step close(std::string on, bool happened, std::string evidence = "searched") {
  return step(
      model::Close{std::move(on), happened, std::move(evidence), {"otto", {"operator"}, {}}});
}
inline Step retry(std::string on) { return step(model::Retry{std::move(on), std::nullopt}); }
inline Step cancel(std::string workflow) { return step(model::Cancel{std::move(workflow)}); }
// How long a lease of these stories lasts.
inline constexpr std::int64_t lease_us = model::default_lease_us;

inline Step advance(std::int64_t by_us) { return step(model::Advance{by_us}); }
inline Step restart() { return step(model::Restart{}); }
inline Step forget(std::string worker) { return step(model::Forget{std::move(worker)}); }
inline Step snapshot(std::string workflow) { return step(model::Snapshot{std::move(workflow)}); }
inline Step observe() { return step(model::Observe{}); }
inline Step page(std::string reader, std::int64_t limit) {
  return step(model::SnapshotsSince{std::move(reader), limit});
}
inline Step queue(std::int64_t max_in_flight, std::int64_t burst = 0, std::int64_t rate_per_s = 0) {
  model::Queue made;
  made.max_in_flight = max_in_flight;
  made.burst = burst;
  made.rate_per_s = rate_per_s;
  return step(std::move(made));
}

inline Step with_fault(Step made, faults::Call call, faults::Place place, faults::Kind kind,
                       std::int64_t times = 1) {
  StepFault fault;
  fault.plan.point = faults::point_of(call, place);
  fault.plan.kind = kind;
  fault.plan.times = times;
  made.fault = std::move(fault);
  return made;
}
inline Step interleaved(Step made, faults::Call call, faults::Place place,
                        std::vector<Step> steps) {
  made = with_fault(std::move(made), call, place, faults::Kind::interleave);
  made.fault->steps = std::move(steps);
  return made;
}

}  // namespace leaseproof::properties::story
