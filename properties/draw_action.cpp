#include <algorithm>
#include <iterator>
#include <limits>
#include <variant>

#include "properties/draw.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::OpStatus;

std::string StepDrawer::any_op() {
  const auto& ops = walk_.state().ops;
  if (ops.empty() || dice_.chance(2)) return "nobody";
  return std::next(ops.begin(), static_cast<std::ptrdiff_t>(dice_.below(ops.size())))->first;
}

std::string StepDrawer::any_workflow() {
  const auto& workflows = walk_.state().workflows;
  if (workflows.empty() || dice_.chance(2)) return "nowhere";
  return std::next(workflows.begin(), static_cast<std::ptrdiff_t>(dice_.below(workflows.size())))
      ->first;
}

std::int64_t StepDrawer::duration() {
  if (dice_.chance(80)) return config_.lease_us;
  if (dice_.chance(5)) return std::numeric_limits<std::int64_t>::max();
  if (dice_.chance(5)) return dice_.of<std::int64_t>({0, -1});
  return dice_.of<std::int64_t>({1, temper_.unit_us, config_.lease_us / 2, 2 * config_.lease_us});
}

model::Action StepDrawer::create() {
  if (!made_.empty() && dice_.chance(45)) {
    const Made& made = dice_.of(made_);
    model::Ensure again = made.ensure;
    if (dice_.chance(25)) again.identity = "\"other\"";
    if (dice_.chance(8)) again.package = "other";
    if (again.workflow && dice_.chance(made.by_start ? 60 : 10)) {
      return model::Start{again.workflow, again.package, "null", again.ops};
    }
    return again;
  }
  Made made;
  const auto name = [this] { return "w" + std::to_string(next_workflow_); };
  do ++next_workflow_;
  while (walk_.state().workflows.contains(name()));
  const int number = next_workflow_;
  made.ensure.workflow = name();
  made.ensure.identity = "\"digest-" + std::to_string(number) + "\"";
  made.ensure.ops = graphs_.workflow(walk_.time_us());
  if (dice_.chance(15)) made.ensure.workflow.reset();
  made.by_start = made.ensure.workflow && dice_.chance(25);
  made_.push_back(made);
  if (made.by_start) {
    return model::Start{made.ensure.workflow, made.ensure.package, "null", made.ensure.ops};
  }
  return made.ensure;
}

model::Action StepDrawer::queue() {
  model::Queue limits;
  if (!config_.queues.empty()) limits = dice_.of(config_.queues);
  limits.max_in_flight = dice_.of<std::int64_t>({0, 1, 1, 2});
  limits.burst = dice_.of<std::int64_t>({0, 1, 2});
  limits.rate_per_s = dice_.of<std::int64_t>({1, 3, 1000});
  if (dice_.chance(5)) limits.rate_per_s = 0;
  return limits;
}

model::Action StepDrawer::lease() {
  model::Lease lease;
  lease.worker = dice_.of(temper_.workers);
  lease.lease_us = duration();
  if (!temper_.shared_owner.empty() &&
      (lease.worker == temper_.workers[0] || lease.worker == temper_.workers[1])) {
    lease.owner = temper_.shared_owner;
  }
  if (!config_.queues.empty() && dice_.chance(15)) {
    const model::Queue& queue = dice_.of(config_.queues);
    lease.queue = queue.queue;
    if (queue.site != "default" || dice_.chance(30)) lease.site = queue.site;
    if (dice_.chance(20)) lease.queue.reset();
  }
  return lease;
}

// Mostly the living lease of a running op; often an old one; now and then none at all.
model::WorkerHandle StepDrawer::handle() {
  std::vector<const std::pair<const std::string, model::Op>*> touched;
  std::vector<const std::pair<const std::string, model::Op>*> running;
  for (const auto& at : walk_.state().ops) {
    if (at.second.view.generation > 0) touched.push_back(&at);
    if (at.second.view.status == OpStatus::running) running.push_back(&at);
  }
  model::WorkerHandle by{dice_.of(temper_.workers), any_op(), 0};
  if (touched.empty() || dice_.chance(2)) return by;
  const bool living = !running.empty() && dice_.chance(75);
  const auto& [id, op] = *(living ? dice_.of(running) : dice_.of(touched));
  by.op = id;
  if (living) {
    if (const std::string* holder = walk_.handles().holder(id, op.view.generation);
        holder != nullptr && dice_.chance(85)) {
      by.worker = *holder;
      const std::int64_t count = walk_.handles().count(by.worker, id);
      if (count > 1 && dice_.chance(15)) by.handle = dice_.between(1, count - 1);
      return by;
    }
  }
  // Somebody who holds any handle of it at all.
  std::vector<std::string> holders;
  for (const std::string& worker : temper_.workers) {
    if (walk_.handles().count(worker, id) > 0) holders.push_back(worker);
  }
  if (holders.empty()) return by;
  by.worker = dice_.of(holders);
  by.handle = dice_.between(0, walk_.handles().count(by.worker, id) - 1);
  return by;
}

model::Action StepDrawer::heartbeat() {
  if (const auto beyond = temper_.outside ? past_the_deadline() : std::nullopt) return *beyond;
  return model::Heartbeat{handle(), duration()};
}

model::Action StepDrawer::checkpoint() {
  model::Checkpoint checkpoint;
  checkpoint.by = handle();
  checkpoint.step = dice_.of<const char*>({"s1", "s1", "s2"});
  checkpoint.payload = dice_.of<const char*>({"1", "1", "2"});
  return checkpoint;
}

model::Action StepDrawer::complete() {
  // Now and then it is too late first.
  if (temper_.outside && dice_.chance(40)) {
    if (const auto wait_us = until_late_receipt()) return model::Advance{*wait_us};
    if (const auto beyond = past_the_deadline()) return *beyond;
  }
  model::Complete complete;
  complete.by = handle();
  if (temper_.outside) complete.by = holder_of_receipt().value_or(complete.by);
  complete.result = dice_.of<const char*>({"null", "1", "2"});
  if (dice_.chance(10)) {
    complete.completed_at_us =
        std::max<std::int64_t>(0, walk_.time_us() - dice_.between(0, config_.lease_us));
  }
  if (dice_.chance(15)) complete.artifacts.push_back({"report", dice_.chance(50) ? "x" : "y"});
  if (dice_.chance(5)) complete.artifacts.push_back({dice_.chance(90) ? "notes" : "report", "z"});
  if (dice_.chance(15)) complete.emit = graphs_.emitted(complete.by.op, walk_.time_us());
  return complete;
}

model::Action StepDrawer::fail() {
  model::Fail fail;
  fail.by = handle();
  fail.kind =
      dice_.of({model::FailKind::retryable, model::FailKind::retryable, model::FailKind::permanent,
                model::FailKind::permanent, model::FailKind::unknown});
  if (dice_.chance(40)) fail.error = "bad page";
  if (!may_say_refused(fail.by)) fail.kind = model::FailKind::unknown;
  return fail;
}

model::Action StepDrawer::retry() {
  model::Retry retry;
  retry.op = any_op();
  std::vector<const std::pair<const std::string, model::Op>*> failed;
  for (const auto& at : walk_.state().ops) {
    if (at.second.view.status == OpStatus::failed) failed.push_back(&at);
  }
  if (failed.empty() || dice_.chance(10)) return retry;
  const auto& [id, op] = *dice_.of(failed);
  retry.op = id;
  const bool past = op.deadline_us && *op.deadline_us <= walk_.time_us();
  if (dice_.chance(past ? 70 : 15)) {
    retry.deadline_us =
        walk_.time_us() + dice_.of<std::int64_t>({0, 1, config_.lease_us, 3 * config_.lease_us});
  }
  return retry;
}

void StepDrawer::boundaries(std::vector<std::int64_t>& moments) const {
  moments.clear();
  for (const auto& [id, op] : walk_.state().ops) {
    if (op.view.lease) moments.push_back(op.view.lease->expires_us);
    if (op.view.next_attempt_us) moments.push_back(*op.view.next_attempt_us);
    if (op.deadline_us && !model::is_done(op.view.status)) moments.push_back(*op.deadline_us);
  }
  for (const auto& [key, queue] : walk_.state().queues) {
    if (queue.burst <= 0 || queue.tokens >= 1'000'000 || queue.rate_per_s <= 0) continue;
    const std::int64_t wait_us =
        (1'000'000 - queue.tokens + queue.rate_per_s - 1) / queue.rate_per_s;
    moments.push_back(saturating_add(queue.last_refill_us, wait_us));
  }
  boundaries_outside(moments);
}

std::int64_t StepDrawer::until_boundary(bool may_go_back) {
  boundaries(moments_);
  constexpr std::int64_t far_us = std::numeric_limits<std::int64_t>::max() / 8;
  const std::int64_t now_us = walk_.time_us();
  std::erase_if(moments_, [&](std::int64_t moment) {
    return moment > far_us || (!may_go_back && moment < now_us);
  });
  if (moments_.empty()) return dice_.of<std::int64_t>({1, temper_.unit_us, config_.lease_us});
  const std::int64_t moment = dice_.of(moments_) + dice_.of<std::int64_t>({-1, 0, 0, 0, 1});
  return moment - now_us;
}

model::Action StepDrawer::advance() {
  const std::int64_t now_us = walk_.time_us();
  std::int64_t by_us = 0;
  if (temper_.outside) {
    if (const auto wait_us = until_late_receipt()) return model::Advance{*wait_us};
  }
  if (now_us > 0 && dice_.chance(temper_.back_percent)) {
    by_us = -std::min(now_us, dice_.of<std::int64_t>(
                                  {1, temper_.unit_us, config_.lease_us / 2, config_.lease_us}));
  } else if (dice_.chance(75)) {
    by_us = until_boundary(false);
  } else {
    by_us = dice_.of<std::int64_t>(
        {1, temper_.unit_us, config_.lease_us / 3, config_.lease_us, 2 * config_.lease_us});
  }
  if (by_us < -now_us) by_us = -now_us;
  // "Just before a boundary" may be just before now.
  if (temper_.outside && temper_.steady) by_us = std::max<std::int64_t>(0, by_us);
  return model::Advance{by_us};
}

model::Action StepDrawer::action(Deed deed) {
  switch (deed) {
    case Deed::create:
      return create();
    case Deed::queue:
      return queue();
    case Deed::refresh:
      return model::Refresh{};
    case Deed::lease:
      return lease();
    case Deed::heartbeat:
      return heartbeat();
    case Deed::checkpoint:
      return checkpoint();
    case Deed::complete:
      return complete();
    case Deed::fail:
      return fail();
    case Deed::retry:
      return retry();
    case Deed::cancel:
      return model::Cancel{any_workflow()};
    case Deed::snapshot:
      return model::Snapshot{any_workflow()};
    case Deed::page:
      return model::SnapshotsSince{dice_.chance(70) ? "r1" : "r2",
                                   dice_.of<std::int64_t>({1, 1, 2, 3})};
    case Deed::observe:
      return model::Observe{};
    case Deed::advance:
      return advance();
    case Deed::restart:
      return model::Restart{};
    case Deed::forget:
      return model::Forget{dice_.of(temper_.workers)};
    case Deed::context_put:
      return context_put();
    case Deed::context_revoke:
      return context_revoke();
    case Deed::request_approval:
      return request_approval();
    case Deed::decide:
      return decide();
    case Deed::dispatch:
      return dispatch();
    case Deed::call:
      return call();
    case Deed::deliver:
      return deliver();
    case Deed::reconcile:
      return reconcile();
    case Deed::close:
      return close();
  }
  return model::Refresh{};
}

}  // namespace leaseproof::properties
