// What workers, reviewers and operators do about effects, approvals and contexts. Workers are
// honest about what they sent and operators about what was written: an engine can only be held to
// SEMANTICS 6 by such. The runner remembers it where a shrunk or interleaved case is not.
#include <iterator>

#include "properties/draw.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::ApprovalStatus;
using model::EffectStatus;
using model::OpStatus;
using model::ServiceMode;

namespace {
bool is_dispatching(const model::Op& op) {
  return op.view.effect && op.view.effect->status == EffectStatus::dispatching;
}

bool needs_approval(const model::Op& op) { return op.spec->effect && op.spec->effect->approval; }

bool is_approved(const model::Op& op) {
  return op.view.approval && op.view.approval->status == ApprovalStatus::approved;
}

const model::Actor reviewer{"rita", {"reviewer"}, {"team"}};
}  // namespace

void StepDrawer::weigh_outside(std::array<int, deed_count>& weights) const {
  if (!temper_.outside) return;
  int sendable = 0;
  int unasked = 0;
  int waiting = 0;
  int unknown = 0;
  bool late = false;
  bool ripe = false;  // a receipt is in hand, and the deadline has passed
  for (const auto& [id, op] : walk_.state().ops) {
    if (!op.spec->effect) continue;
    const bool running = op.view.status == OpStatus::running;
    const bool late_approval = op.approval_expires_us <= walk_.time_us();
    if (running && needs_approval(op) && (!is_approved(op) || late_approval)) ++unasked;
    if (running && (!needs_approval(op) || is_approved(op))) ++sendable;
    if (op.view.status == OpStatus::waiting_approval) ++waiting;
    if (op.view.status == OpStatus::reconciling) ++unknown;
    late = late || walk_.outside().is_late(id);
    const std::string* holder = walk_.handles().holder(id, op.view.generation);
    ripe = ripe || (running && op.deadline_us && *op.deadline_us <= walk_.time_us() &&
                    holder != nullptr && walk_.outside().receipt(*holder, id));
  }
  const auto weigh = [&](Deed deed, int weight) {
    const auto at = static_cast<std::size_t>(deed);
    weights[at] = temper_.on[at] ? weight : 0;
  };
  if (ripe) weigh(Deed::complete, 60);
  weigh(Deed::context_put, walk_.state().contexts.empty() ? 12 : 3);
  weigh(Deed::context_revoke, walk_.state().contexts.empty() ? 0 : 2);
  weigh(Deed::request_approval, unasked > 0 ? 20 : 4);
  weigh(Deed::decide, waiting > 0 ? 20 : 2);
  weigh(Deed::dispatch, sendable > 0 ? 24 : 2);
  weigh(Deed::call, walk_.outside().holders().empty() ? 1 : 20);
  weigh(Deed::deliver, late ? 8 : 0);
  weigh(Deed::reconcile, unknown > 0 ? 12 : 1);
  weigh(Deed::close, unknown > 0 ? 9 : 1);
}

model::Action StepDrawer::context_put() {
  model::ContextPut put;
  put.scope = dice_.of<const char*>({"c1", "c1", "c2"});
  put.payload = dice_.of<const char*>({"1", "2"});
  put.ttl_us = dice_.of<std::int64_t>(
      {temper_.unit_us, config_.lease_us / 2, 2 * config_.lease_us, 10 * config_.lease_us});
  if (dice_.chance(2)) put.ttl_us = 0;
  return put;
}

model::Action StepDrawer::context_revoke() {
  const auto& contexts = walk_.state().contexts;
  if (contexts.empty() || dice_.chance(3)) return model::ContextRevoke{"nowhere"};
  const auto at = static_cast<std::ptrdiff_t>(dice_.below(contexts.size()));
  return model::ContextRevoke{std::next(contexts.begin(), at)->first};
}

// The living lease of a running op that `fits`; often any handle at all.
model::WorkerHandle StepDrawer::handle_where(bool (*fits)(const model::Op&)) {
  std::vector<const std::pair<const std::string, model::Op>*> running;
  for (const auto& at : walk_.state().ops) {
    if (at.second.view.status == OpStatus::running && fits(at.second)) running.push_back(&at);
  }
  if (running.empty() || dice_.chance(15)) return handle();
  const auto& [id, op] = *dice_.of(running);
  const std::string* holder = walk_.handles().holder(id, op.view.generation);
  return holder == nullptr ? handle() : model::WorkerHandle{*holder, id, 0};
}

model::Action StepDrawer::request_approval() {
  model::RequestApproval request;
  request.by = handle_where([](const model::Op& op) { return needs_approval(op); });
  request.payload = dice_.of<const char*>({"\"p\"", "\"p\"", "\"q\""});
  request.ttl_us = dice_.of<std::int64_t>({temper_.unit_us, config_.lease_us / 2,
                                           config_.lease_us / 2, config_.lease_us,
                                           2 * config_.lease_us, model::default_approval_ttl_us});
  if (dice_.chance(2)) request.ttl_us = dice_.of<std::int64_t>({0, INT64_MAX});
  asked_[request.by.op] = request.payload;
  return request;
}

std::string StepDrawer::op_where(bool (*fits)(const model::Op&)) {
  std::vector<const std::string*> found;
  for (const auto& [id, op] : walk_.state().ops) {
    if (fits(op)) found.push_back(&id);
  }
  return found.empty() || dice_.chance(8) ? any_op() : *dice_.of(found);
}

model::Action StepDrawer::decide() {
  model::Decide decide;
  decide.op =
      op_where([](const model::Op& op) { return op.view.status == OpStatus::waiting_approval; });
  if (dice_.chance(15))
    decide.op = op_where([](const model::Op& op) { return op.view.approval.has_value(); });
  decide.approve = dice_.chance(80);
  decide.actor = reviewer;
  if (dice_.chance(12)) {
    decide.actor = dice_.of<model::Actor>({{"rita", {"operator"}, {"team"}},
                                           {"rita", {"reviewer"}, {"others"}},
                                           {"paul", {"reviewer"}, {"team"}}});
  }
  decide.stale_hash = dice_.chance(5);
  const model::Op* op = model::find_op(walk_.state(), decide.op);
  if (!decide.stale_hash && op != nullptr && op->view.approval && dice_.chance(15)) {
    decide.hash = op->view.approval->hash;
  }
  return decide;
}

model::Action StepDrawer::dispatch() {
  model::Dispatch dispatch;
  dispatch.by = handle_where([](const model::Op& op) {
    return op.spec->effect && (!needs_approval(op) || is_approved(op));
  });
  dispatch.payload = dice_.of<const char*>({"\"p\"", "\"q\""});
  const model::Op* op = model::find_op(walk_.state(), dispatch.by.op);
  if (op == nullptr || dice_.chance(25)) return dispatch;
  const auto asked = asked_.find(dispatch.by.op);
  if (is_dispatching(*op)) {
    dispatch.payload = op->dispatched_payload;
  } else if (asked != asked_.end()) {
    dispatch.payload = asked->second;
  }
  return dispatch;
}

std::int64_t StepDrawer::generation_of(const model::WorkerHandle& by) const {
  const Handle* handle = walk_.handles().find(by);
  return handle == nullptr ? 0 : handle->generation;
}

model::Action StepDrawer::call() {
  model::Call call;
  const std::vector<Outside::Holder> holders = walk_.outside().holders();
  call.by = {dice_.of(temper_.workers), any_op(), 0};
  if (!holders.empty() && !dice_.chance(5)) {
    const Outside::Holder& holder = dice_.of(holders);
    call.by = {holder.worker, holder.op, 0};
    const std::int64_t count = walk_.handles().count(holder.worker, holder.op);
    while (call.by.handle + 1 < count && generation_of(call.by) != holder.generation) {
      ++call.by.handle;
    }
  }
  constexpr std::array<ServiceMode, 5> modes{ServiceMode::ok, ServiceMode::timeout_before,
                                             ServiceMode::timeout_after, ServiceMode::refuse,
                                             ServiceMode::late};
  call.service = modes[dice_.weighted(std::array<int, 5>{5, 3, 3, 3, 3})];
  if (dice_.chance(10)) call.payload = dice_.of<const char*>({"\"p\"", "\"q\""});
  return call;
}

model::Action StepDrawer::deliver() {
  std::vector<std::string> late;
  for (const auto& [key, record] : walk_.outside().records()) {
    if (!record.late.empty()) late.push_back(record.op);
  }
  return model::Deliver{late.empty() ? any_op() : dice_.of(late)};
}

// Mostly one that the service can confirm: there are few of them.
model::Action StepDrawer::reconcile() {
  std::vector<std::string> found;
  for (const auto& [id, op] : walk_.state().ops) {
    if (op.view.status != OpStatus::reconciling) continue;
    if (walk_.outside().find(id, walk_.time_us())) found.push_back(id);
  }
  if (!found.empty() && dice_.chance(80)) return model::Reconcile{dice_.of(found)};
  return model::Reconcile{
      op_where([](const model::Op& op) { return op.view.status == OpStatus::reconciling; })};
}

// Only what is true, and where clocks do not agree only what will stay so.
model::Action StepDrawer::close() {
  model::Close close;
  close.op = op_where([](const model::Op& op) { return op.view.status == OpStatus::reconciling; });
  close.happened = walk_.outside().writes(close.op) > 0;
  const bool may_come = !temper_.steady && walk_.outside().may_send(close.op);
  if (!walk_.outside().is_true(close.op, close.happened) || (!close.happened && may_come)) {
    return model::Reconcile{close.op};
  }
  close.evidence = dice_.chance(6) ? "" : "the service's ledger";
  close.actor = {"otto", {dice_.chance(6) ? "reviewer" : "operator"}, {}};
  return close;
}

// Whose calls got a receipt completes the op sooner or later.
std::optional<model::WorkerHandle> StepDrawer::holder_of_receipt() {
  std::vector<model::WorkerHandle> holders;
  for (const auto& [id, op] : walk_.state().ops) {
    if (op.view.status != OpStatus::running || !is_dispatching(op)) continue;
    const std::string* holder = walk_.handles().holder(id, op.view.generation);
    if (holder != nullptr && walk_.outside().receipt(*holder, id)) {
      holders.push_back({*holder, id, 0});
    }
  }
  if (holders.empty() || dice_.chance(25)) return std::nullopt;
  return dice_.of(holders);
}

// A lease that outlasts the deadline of an op whose receipt is in hand.
std::optional<model::Heartbeat> StepDrawer::past_the_deadline() {
  const std::optional<model::WorkerHandle> by = holder_of_receipt();
  const model::Op* op = by ? model::find_op(walk_.state(), by->op) : nullptr;
  if (op == nullptr || !op->deadline_us || *op->deadline_us <= walk_.time_us()) {
    return std::nullopt;
  }
  return model::Heartbeat{*by, *op->deadline_us - walk_.time_us() + temper_.unit_us};
}

// How long until the deadline of an op whose receipt is in hand passes before its lease does.
std::optional<std::int64_t> StepDrawer::until_late_receipt() {
  const std::optional<model::WorkerHandle> by = holder_of_receipt();
  const model::Op* op = by ? model::find_op(walk_.state(), by->op) : nullptr;
  if (op == nullptr || !op->deadline_us || *op->deadline_us >= op->view.lease->expires_us) {
    return std::nullopt;
  }
  const std::int64_t wait_us = *op->deadline_us - walk_.time_us();
  return wait_us > 0 ? std::optional(wait_us) : std::nullopt;
}

// Whether all that the worker sent under this lease was refused.
bool StepDrawer::may_say_refused(const model::WorkerHandle& by) const {
  return !walk_.outside().was_unrefused(by.op, generation_of(by));
}

// What only a few cases come to is there more than once.
void StepDrawer::boundaries_outside(std::vector<std::int64_t>& moments) const {
  for (const auto& [id, op] : walk_.state().ops) {
    if (model::is_done(op.view.status)) continue;
    const bool running = op.view.status == OpStatus::running;
    if (op.view.approval && op.view.approval->status <= ApprovalStatus::approved) {
      moments.insert(moments.end(), running ? 3 : 1, op.approval_expires_us);
    }
    if (op.context && running) moments.insert(moments.end(), 2, op.context->expires_us);
    if (!is_dispatching(op)) continue;
    moments.push_back(op.call_before_us);
    // The end of an approval that has been spent is the end of nothing.
    if (op.view.approval) moments.insert(moments.end(), 2, op.approval_expires_us);
    moments.push_back(saturating_add(op.call_before_us, config_.clock_slack_us));
    if (running && op.deadline_us) moments.insert(moments.end(), 4, *op.deadline_us);
    const std::int64_t retention_us = op.spec->effect->retention_us;
    if (retention_us > 0) moments.push_back(saturating_add(op.dispatched_at_us, retention_us));
  }
}

}  // namespace leaseproof::properties
