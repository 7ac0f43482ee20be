#include "properties/history.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::OpStatus;
using model::Word;

void History::clear() {
  ops_.clear();
  workflows_.clear();
  queues_.clear();
  readers_.clear();
  contexts_.clear();
  granted_.clear();
  touched_.clear();
  untold_ = nullptr;
  latest_us_ = 0;
}

const OpFacts* History::op(const std::string& id) const {
  const auto at = ops_.find(id);
  return at == ops_.end() ? nullptr : &at->second;
}

const WorkflowFacts* History::workflow(const std::string& id) const {
  const auto at = workflows_.find(id);
  return at == workflows_.end() ? nullptr : &at->second;
}

const ReaderFacts* History::reader(const std::string& name) const {
  const auto at = readers_.find(name);
  return at == readers_.end() ? nullptr : &at->second;
}

void History::take(Judgement& judgement, std::vector<CallFact>& calls,
                   std::vector<OpChange>& changes) {
  untold_ = nullptr;
  for (QueueFacts* queue : granted_) queue->granted_now = false;
  granted_.clear();
  for (WorkflowFacts* workflow : touched_) workflow->seq_at_start = workflow->last_seq;
  touched_.clear();

  std::int64_t engine_calls = 0;
  bool unheard = false;
  for (const CallFact& call : calls) {
    if (!call.to_engine) continue;
    ++engine_calls;
    unheard = unheard || call.ended == Ended::unheard;
  }
  judgement.hazy = unheard && engine_calls > 1;

  for (CallFact& call : calls) {
    if (call.to_engine) take_call(call, judgement);
  }
  add_up(judgement, changes);
  if (judgement.hazy) {
    resync(changes);
    for (const CallFact& call : calls) resync_expiry(call, *judgement.after);
  }
  for (const CallFact& call : calls) take_page(call);
}

namespace {
Standing standing_of(const OpFacts& facts) {
  Standing standing;
  standing.op_known = true;
  standing.held = facts.held.has_value();
  if (facts.held) {
    standing.generation = facts.held->generation;
    standing.expires_us = facts.held->expires_us;
  }
  standing.deadline_us = facts.deadline_us;
  standing.claims = facts.claims;
  standing.max_attempts = facts.spec.max_attempts;
  standing.owner_shared = facts.shared_owner;
  standing.recovered = facts.recovered;
  if (facts.spec.effect) standing.effect = &*facts.spec.effect;
  standing.context_expires_us = facts.context_expires_us;
  standing.request = facts.request;
  standing.dispatch = facts.dispatch;
  return standing;
}
}  // namespace

void History::take_call(CallFact& call, const Judgement& judgement) {
  if (call.ended == Ended::undone) return;
  if (!call.locked_out) latest_us_ = std::max(latest_us_, call.given.now_us);
  const model::Action& action = call.action();
  if (const std::string* named = op_of(action)) {
    if (const auto at = ops_.find(*named); at != ops_.end()) {
      call.standing = standing_of(at->second);
    }
  }
  take_outside(call, judgement);
  if (handle_of(action) != nullptr) {
    take_worker_call(call, judgement);
  } else if (std::holds_alternative<model::Lease>(action)) {
    take_lease(call, judgement);
  } else if (std::holds_alternative<model::Refresh>(action)) {
    take_refresh(call);
  } else if (std::holds_alternative<model::Start>(action) ||
             std::holds_alternative<model::Ensure>(action)) {
    take_creation(call, judgement);
  } else if (std::holds_alternative<model::Retry>(action)) {
    take_retry(call, judgement);
  } else if (const auto* cancel = std::get_if<model::Cancel>(&action)) {
    if (call.ended == Ended::answered && call.word() != Word::ok) return;
    for (auto& [id, facts] : ops_) {
      if (facts.workflow == cancel->workflow) facts.held.reset();
    }
  } else if (const auto* limits = std::get_if<model::Queue>(&action)) {
    // Nobody heard whether an unheard call was refused; its shape tells (SEMANTICS 3, queue room).
    const bool sound = limits->max_in_flight >= 0 && limits->rate_per_s >= 0 &&
                       limits->burst >= 0 && (limits->burst == 0 || limits->rate_per_s >= 1);
    if (call.ended == Ended::answered ? call.word() != Word::ok : !sound) return;
    QueueFacts& queue = queues_[{limits->site, limits->queue}];
    queue.named = true;
    queue.max_in_flight = limits->max_in_flight;
    queue.rate_per_s = limits->rate_per_s;
    queue.burst = limits->burst;
    queue.grants = 0;
  }
}

void History::take_creation(CallFact& call, const Judgement& judgement) {
  const auto* start = std::get_if<model::Start>(&call.action());
  const auto* ensure = std::get_if<model::Ensure>(&call.action());
  if (start == nullptr && ensure == nullptr) return;
  const std::optional<std::string>& asked = start != nullptr ? start->workflow : ensure->workflow;
  const std::string& package = start != nullptr ? start->package : ensure->package;
  std::optional<std::string> identity;
  if (ensure != nullptr) identity = ensure->identity;

  std::string id;
  if (asked) {
    id = *asked;
  } else if (const auto* told = std::get_if<model::Identified>(&call.outcome.detail)) {
    id = told->workflow;
  } else if (start != nullptr) {
    id = call.given.fresh_id;
  } else {
    // Nobody heard the id, but its ops show it.
    const OpChange* made =
        ensure->ops.empty() ? nullptr : judgement.change_of(ensure->ops.front().id);
    if (made != nullptr && made->before == nullptr) id = made->after->workflow;
  }
  const auto known = workflows_.find(id);
  call.standing.workflow_known = known != workflows_.end();
  if (call.standing.workflow_known) {
    call.standing.same_package = known->second.package == package;
    call.standing.same_identity = known->second.identity == identity;
    return;
  }
  const bool created = call.ended == Ended::unheard ? judgement.after->workflows.contains(id)
                                                    : call.word() == Word::created;
  if (!created) return;
  make_workflow(id, package, std::move(identity));
  make_ops(id, start != nullptr ? start->ops : ensure->ops, {}, call.given.now_us);
}

void History::make_workflow(const std::string& id, const std::string& package,
                            std::optional<std::string> identity) {
  WorkflowFacts& facts = workflows_[id];
  facts.package = package;
  facts.identity = std::move(identity);
}

QueueFacts* History::queue_of(const model::OpSpec& spec) {
  return &queues_[{spec.site, spec.queue}];
}

void History::make_ops(const std::string& workflow, const std::vector<model::OpSpec>& specs,
                       const std::string& parent, std::int64_t now_us) {
  for (const model::OpSpec& spec : specs) {
    OpFacts& facts = ops_[spec.id];
    facts.spec = spec;
    facts.workflow = workflow;
    facts.parent = parent;
    facts.made_us = now_us;
    facts.deadline_us = spec.deadline_us;
    facts.queue = queue_of(spec);
    const auto context = spec.context ? contexts_.find(*spec.context) : contexts_.end();
    if (context != contexts_.end()) facts.context_expires_us = context->second;
  }
}

void History::grant(OpFacts& facts, const model::Lease& lease, std::int64_t generation,
                    std::int64_t now_us) {
  const std::string& owner = lease.owner ? *lease.owner : lease.worker;
  facts.shared_owner = facts.shared_owner || (facts.newest && facts.newest->owner == owner);
  facts.held = Grant{generation, saturating_add(now_us, lease.lease_us), owner};
  facts.newest = facts.held;
  facts.recovered = false;
  ++facts.claims;
  ++facts.grants;
  QueueFacts& queue = *facts.queue;
  queue.first_now_us = queue.grants == 0 ? now_us : std::min(queue.first_now_us, now_us);
  queue.last_now_us = queue.grants == 0 ? now_us : std::max(queue.last_now_us, now_us);
  ++queue.grants;
  queue.granted_now = true;
  granted_.push_back(&queue);
}

void History::take_lease(CallFact& call, const Judgement& judgement) {
  const auto& lease = std::get<model::Lease>(call.action());
  if (const auto* told = std::get_if<model::Leased>(&call.outcome.detail)) {
    const auto at = ops_.find(told->op);
    if (at == ops_.end()) return;
    call.standing = standing_of(at->second);
    grant(at->second, lease, told->generation, call.given.now_us);
    return;
  }
  if (call.ended != Ended::unheard || judgement.hazy) return;
  // Nobody heard which op it was, so nobody holds the token; the op itself shows it.
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr || change.after->status != OpStatus::running) continue;
    if (change.before != nullptr && change.before->generation == change.after->generation) continue;
    const auto at = ops_.find(*change.id);
    if (at == ops_.end()) continue;
    call.standing = standing_of(at->second);
    grant(at->second, lease, change.after->generation, call.given.now_us);
  }
}

void History::take_worker_call(CallFact& call, const Judgement& judgement) {
  const auto at = ops_.find(handle_of(call.action())->op);
  if (at == ops_.end()) return;
  OpFacts& facts = at->second;
  if (!acted(call, judgement)) return;

  const bool prolongs = std::holds_alternative<model::Heartbeat>(call.action());
  const bool keeps =
      prolongs ||
      (std::holds_alternative<model::Checkpoint>(call.action()) && call.told(Word::ok)) ||
      call.told(Word::dispatching);
  if (prolongs) {
    if (facts.held) {
      facts.held->expires_us =
          saturating_add(call.given.now_us, std::get<model::Heartbeat>(call.action()).lease_us);
    }
    return;
  }
  if (keeps) return;
  if (call.ended == Ended::unheard) {
    const OpChange* change = judgement.change_of(at->first);
    if (change != nullptr && change->after != nullptr && change->after->lease) return;
  }
  facts.held.reset();
  const auto* complete = std::get_if<model::Complete>(&call.action());
  if (complete == nullptr || complete->emit.empty()) return;
  if (call.told(Word::ok) ||
      (call.ended == Ended::unheard && judgement.after->ops.contains(complete->emit.front().id))) {
    make_ops(facts.workflow, complete->emit, at->first, call.given.now_us);
  }
}

void History::take_refresh(CallFact& call) {
  if (call.ended == Ended::answered && call.word() != Word::ok) return;
  for (auto& [id, facts] : ops_) {
    if (!facts.held || facts.held->expires_us > call.given.now_us) continue;
    ++call.standing.expired_leases;
    facts.held.reset();
    facts.recovered = true;
  }
}

void History::take_retry(CallFact& call, const Judgement& judgement) {
  const auto& retry = std::get<model::Retry>(call.action());
  const auto at = ops_.find(retry.op);
  if (at == ops_.end()) return;
  if (call.ended == Ended::answered) {
    if (call.word() != Word::ok) return;
  } else if (judgement.hazy) {
    // Another call of the step may have failed the op before: then nothing shows. Whoever judges
    // has to allow for both.
    at->second.claims = 0;
    auto& deadline_us = at->second.deadline_us;
    if (retry.deadline_us && deadline_us) deadline_us = std::max(*deadline_us, *retry.deadline_us);
    return;
  } else if (judgement.change_of(retry.op) == nullptr) {
    return;
  }
  at->second.claims = 0;
  if (retry.deadline_us) at->second.deadline_us = retry.deadline_us;
}

void History::add_up(const Judgement& judgement, std::vector<OpChange>& changes) {
  for (OpChange& change : changes) {
    const auto at = ops_.find(*change.id);
    if (at == ops_.end()) continue;
    OpFacts& facts = at->second;
    change.facts = &facts;
    const bool was_running = change.before != nullptr && change.before->status == OpStatus::running;
    const bool is_running = change.after != nullptr && change.after->status == OpStatus::running;
    facts.queue->running += static_cast<int>(is_running) - static_cast<int>(was_running);
    const auto workflow = workflows_.find(facts.workflow);
    if (workflow == workflows_.end()) continue;
    auto& counts = workflow->second.counts;
    if (change.before != nullptr) --counts[static_cast<std::size_t>(change.before->status)];
    if (change.after != nullptr) ++counts[static_cast<std::size_t>(change.after->status)];
  }
  for (const JournalEvent& event : *judgement.events) {
    const auto workflow = workflows_.find(event.workflow);
    if (workflow == workflows_.end()) continue;
    workflow->second.last_seq = event.seq;
    workflow->second.last_at_us = event.at_us;
    touched_.push_back(&workflow->second);
  }
}

void History::resync(std::vector<OpChange>& changes) {
  for (OpChange& change : changes) {
    const auto at = ops_.find(*change.id);
    if (at == ops_.end() || change.after == nullptr) continue;
    at->second.claims = change.after->attempts;
    resync_outside(at->second, *change.after);
    if (change.after->lease) {
      at->second.held = Grant{change.after->generation, change.after->lease->expires_us,
                              change.after->lease->owner};
      at->second.newest = at->second.held;
    } else {
      at->second.held.reset();
    }
  }
}

// One call shortened a lease and another, unheard, brought it back: no change is seen at all.
void History::resync_expiry(const CallFact& call, const model::Observation& after) {
  const model::WorkerHandle* by = handle_of(call.action());
  if (by == nullptr) return;
  const auto at = ops_.find(by->op);
  const auto seen = after.ops.find(by->op);
  if (at == ops_.end() || seen == after.ops.end() || !at->second.held || !seen->second.lease)
    return;
  at->second.held->expires_us = seen->second.lease->expires_us;
}

void History::take_page(const CallFact& call) {
  const auto* asked = std::get_if<model::SnapshotsSince>(&call.action());
  if (asked == nullptr || !call.told(Word::ok)) return;
  const auto* page = std::get_if<model::Page>(&call.outcome.detail);
  if (page == nullptr) return;
  ReaderFacts& reader = readers_[asked->reader];
  reader.paged = reader.paged || page->more;
  for (const std::string& id : page->workflows) {
    const auto workflow = workflows_.find(id);
    if (workflow != workflows_.end()) reader.told[id] = workflow->second.last_seq;
  }
  if (page->more) return;
  for (const auto& [id, facts] : workflows_) {
    const auto told = reader.told.find(id);
    const std::int64_t last_told = told == reader.told.end() ? 0 : told->second;
    if (facts.seq_at_start <= last_told) continue;
    if (untold_ == nullptr || id < *untold_) untold_ = &id;
  }
}

}  // namespace leaseproof::properties
