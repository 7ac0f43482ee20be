#include "properties/readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "model/sha256.hpp"
#include "properties/journal_replay.hpp"

namespace leaseproof::properties {

namespace {

// The ops in the order of everything.
std::vector<const model::Op*> by_age(const model::State& state) {
  std::vector<const model::Op*> ops;
  for (const auto& [id, op] : state.ops) ops.push_back(&op);
  std::stable_sort(ops.begin(), ops.end(), [](const model::Op* a, const model::Op* b) {
    return a->created_us < b->created_us;
  });
  return ops;
}

// By each moment at which a workflow last changed, and one after all.
std::map<std::int64_t, std::int64_t> cursors_of(const std::vector<JournalEvent>& events) {
  std::map<std::string, const JournalEvent*> last;
  for (const JournalEvent& event : events) {
    if (!event.workflow.empty()) last[event.workflow] = &event;
  }
  std::map<std::int64_t, std::int64_t> cursors;
  const std::int64_t behind_all = events.empty() ? 0 : events.back().seq;
  cursors[std::numeric_limits<std::int64_t>::max()] = behind_all;
  for (const auto& [workflow, event] : last) {
    std::int64_t first = behind_all + 1;
    for (const auto& [other, its] : last) {
      if (its->at_us >= event->at_us) first = std::min(first, its->seq);
    }
    cursors[event->at_us] = first - 1;
  }
  return cursors;
}

void keep_earlier(std::optional<std::int64_t>& earliest, std::int64_t moment_us) {
  earliest = earliest ? std::min(*earliest, moment_us) : moment_us;
}

std::optional<std::int64_t> first_expiry(const model::State& state) {
  std::optional<std::int64_t> earliest;
  for (const auto& [id, op] : state.ops) {
    if (op.view.lease) keep_earlier(earliest, op.view.lease->expires_us);
    if (op.view.approval && op.view.approval->status == model::ApprovalStatus::pending) {
      keep_earlier(earliest, op.approval_expires_us);
    }
  }
  return earliest;
}

// SEMANTICS 3, queue room; from when on the queue has room, or nothing while only a running op can
// make some.
std::optional<std::int64_t> room_us(const model::QueueState& queue) {
  constexpr std::int64_t token = 1'000'000;
  if (queue.max_in_flight > 0 && queue.running >= queue.max_in_flight) return std::nullopt;
  std::int64_t gained_us = 0;
  if (queue.burst > 0 && queue.tokens < token) {
    const std::int64_t missing = token - queue.tokens;
    const std::int64_t takes_us =
        missing / queue.rate_per_s + (missing % queue.rate_per_s == 0 ? 0 : 1);
    if (__builtin_add_overflow(queue.last_refill_us, takes_us, &gained_us)) return std::nullopt;
  }
  return gained_us;
}

std::map<model::SiteQueue, std::int64_t> queues_due(const model::State& state) {
  std::map<model::SiteQueue, std::int64_t> due;
  for (const auto& [id, op] : state.ops) {
    if (op.view.status != model::OpStatus::ready) continue;
    const std::int64_t moment_us = op.view.next_attempt_us.value_or(0);
    const auto [at, made] = due.try_emplace({op.spec->site, op.spec->queue}, moment_us);
    if (!made) at->second = std::min(at->second, moment_us);
  }
  for (const auto& [name, queue] : state.queues) {
    const auto waiting = due.find(name);
    if (waiting == due.end()) continue;
    const auto room = room_us(queue);
    if (!room) {
      due.erase(waiting);
    } else {
      waiting->second = std::max(waiting->second, *room);
    }
  }
  for (auto& [name, due_us] : due) due_us = std::max<std::int64_t>(due_us, 0);
  return due;
}

}  // namespace

void Witness::take(const DecodedCall& call, const model::State& after) {
  if (const auto* put = std::get_if<model::ContextPut>(&call.action)) {
    contexts_[{put->scope, after.contexts.at(put->scope).revision}] = put->payload;
  }
  for (const auto& [id, op] : after.ops) {
    if (!op.view.approval) continue;
    const model::ApprovalView& approval = *op.view.approval;
    auto& requests = requests_[id];
    if (requests.empty() || requests.back().number != approval.request_no) {
      // SEMANTICS 1: a new request makes an older `approved` one `expired`.
      if (!requests.empty() && requests.back().status == model::ApprovalStatus::approved) {
        requests.back().status = model::ApprovalStatus::expired;
      }
      Readings::Request& made = requests.emplace_back();
      made.op = id;
      made.number = approval.request_no;
      made.hash = approval.hash;
      made.requester = op.spec->effect->requester;
      made.expires_us = op.approval_expires_us;
      if (const auto* request = std::get_if<model::RequestApproval>(&call.action)) {
        made.payload = request->payload;
      }
    }
    Readings::Request& newest = requests.back();
    const auto* decide = std::get_if<model::Decide>(&call.action);
    if (decide != nullptr && decide->op == id && newest.status != approval.status) {
      newest.decided_by = decide->actor.id;
      newest.decided_us = call.given.now_us;
    }
    newest.status = approval.status;
  }
}

Readings Witness::expected(const model::State& state,
                           const std::vector<JournalEvent>& events) const {
  Readings all;
  for (const auto& [id, op] : state.ops) {
    Readings::Work& work = all.work[id];
    work.workflow = op.view.workflow;
    work.kind = op.spec->kind;
    work.input = op.spec->input;
    work.max_attempts = op.spec->max_attempts;
    work.deadline_us = op.deadline_us;
    work.status = op.view.status;
    work.generation = op.view.generation;
    work.attempts = op.view.attempts;
    work.checkpoints = op.view.checkpoints;
    if (op.context) {
      const auto put = contexts_.find({*op.spec->context, op.context->revision});
      if (put != contexts_.end()) work.context = put->second;
    }
    if (op.view.effect && op.view.effect->status != model::EffectStatus::none) {
      work.dispatched_hash = model::sha256_hex(op.dispatched_payload);
    }
  }
  for (const model::Op* op : by_age(state)) {
    if (op->view.status == model::OpStatus::waiting_approval) ++all.waiting_approval;
    if (op->view.status == model::OpStatus::reconciling) {
      ++all.reconciling;
      all.unknown.push_back(
          {op->spec->id, op->view.effect->key.value_or(""), op->spec->effect->contract});
    }
    const auto requests = requests_.find(op->spec->id);
    if (requests == requests_.end()) continue;
    all.requests.insert(all.requests.end(), requests->second.begin(), requests->second.end());
  }
  all.cursors = cursors_of(events);
  all.expiry_us = first_expiry(state);
  all.due_queues = queues_due(state);
  return all;
}

std::string first_difference(const Readings& expected, const Readings& seen) {
  if (expected.waiting_approval != seen.waiting_approval ||
      expected.reconciling != seen.reconciling) {
    return fmt::format(
        "a person is told of {} ops that wait for approval and {} that are reconciling; there are "
        "{} and {}",
        seen.waiting_approval, seen.reconciling, expected.waiting_approval, expected.reconciling);
  }
  for (const auto& [op, work] : expected.work) {
    const auto told = seen.work.find(op);
    if (told == seen.work.end() || !(told->second == work)) {
      return fmt::format("a worker is told something else about op {} than it was made with", op);
    }
  }
  if (expected.expiry_us != seen.expiry_us || expected.due_queues != seen.due_queues) {
    return fmt::format(
        "who waits is told of {} queues and of a first expiry at {}, which are not the {} and {}",
        seen.due_queues.size(), seen.expiry_us.value_or(-1), expected.due_queues.size(),
        expected.expiry_us.value_or(-1));
  }
  if (!(expected.requests == seen.requests)) {
    return fmt::format("a reviewer sees {} requests that are not the {} that were made",
                       seen.requests.size(), expected.requests.size());
  }
  if (!(expected.unknown == seen.unknown)) {
    return fmt::format("the reconciler is told of {} effects that are not the {} unknown ones",
                       seen.unknown.size(), expected.unknown.size());
  }
  for (const auto& [since_us, cursor] : expected.cursors) {
    const auto told = seen.cursors.find(since_us);
    const std::int64_t stands = told == seen.cursors.end() ? -1 : told->second;
    if (stands == cursor) continue;
    return fmt::format("a reader from {} on stands at {}, which is not {}", since_us, stands,
                       cursor);
  }
  return {};
}

}  // namespace leaseproof::properties
