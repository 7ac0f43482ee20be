// The fair schedule of I3: once faults have stopped, workers, reviewers and operators that act
// fairly settle every op. They are honest: what a worker does not know it calls unknown, and the
// evidence of the operator is what stands in the service's ledger.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

using model::OpStatus;
using model::Word;

namespace {
constexpr std::int64_t fair_lease_us = 1'000'000;
// Beyond this an expiry or a due time is "never": waiting for it would leave no room to go on.
constexpr std::int64_t horizon_us = std::numeric_limits<std::int64_t>::max() / 4;
const std::string fair_worker = "fair";

const model::Actor fair_operator{"fair operator", {"operator"}, {}};

bool all_settled(const model::Observation& seen) {
  return std::all_of(seen.ops.begin(), seen.ops.end(),
                     [](const auto& at) { return model::is_settled(at.second.status); });
}

// When the last permit of a reconciling op is over for every clock.
std::int64_t permits_end(const Runner::Impl& run, const std::string& id) {
  const OpFacts* facts = run.history_.op(id);
  if (facts == nullptr || !facts->dispatch) return 0;
  std::int64_t ends_us = facts->dispatch->permit_ends_us;
  if (facts->dispatch->unclear) {
    // Only how long to wait is taken from the model here, not what has to come of it.
    const model::Op* op = model::find_op(run.state_, id);
    if (op != nullptr) ends_us = op->call_before_us;
  }
  return saturating_add(ends_us, run.config_.clock_slack_us);
}

// The next moment at which waiting alone changes something, after `now`: an expiry, a due time, the
// end of a permit, or, where a queue may lack a token, one token's time. After a token's time was
// waited for in vain, it is a slot that is missing, and only an expiry frees one.
std::int64_t next_moment(const Runner::Impl& run, bool tokens) {
  const std::int64_t now_us = run.clock_.time_us;
  std::int64_t next = horizon_us;
  for (const auto& [id, op] : run.seen_.ops) {
    if (op.lease && op.lease->expires_us > now_us) next = std::min(next, op.lease->expires_us);
    if (op.status == OpStatus::reconciling) {
      const std::int64_t ends_us = permits_end(run, id);
      if (ends_us > now_us) next = std::min(next, ends_us);
    }
    if (op.status != OpStatus::ready) continue;
    if (op.next_attempt_us && *op.next_attempt_us > now_us) {
      next = std::min(next, *op.next_attempt_us);
    }
    const OpFacts* facts = run.history_.op(id);
    if (tokens && facts != nullptr && facts->queue->burst > 0) {
      const std::int64_t rate = std::max<std::int64_t>(1, facts->queue->rate_per_s);
      next = std::min(next, now_us + 1'000'000 / rate + 1);
    }
  }
  return next;
}

// An op that is leased, put off, or may be sent for longer than time lasts proves nothing either
// way.
bool lasts_for_ever(const Runner::Impl& run) {
  return std::any_of(run.seen_.ops.begin(), run.seen_.ops.end(), [&](const auto& at) {
    return (at.second.lease && at.second.lease->expires_us >= horizon_us) ||
           (at.second.next_attempt_us && *at.second.next_attempt_us >= horizon_us) ||
           (at.second.status == OpStatus::reconciling && permits_end(run, at.first) >= horizon_us);
  });
}

// Within this many rounds everything settles: each round settles an op, uses up an attempt, or
// waits for a moment of which every op has two (a due time or a token, and an expiry). An effect
// adds a request, a decision and the end of a permit.
std::int64_t bound_of(const model::Observation& seen) {
  std::int64_t rounds = 8;
  for (const auto& [id, op] : seen.ops) rounds += op.effect ? 8 : 4;
  return rounds;
}

class FairSchedule {
 public:
  explicit FairSchedule(Runner::Impl& run) : run_(run) {}

  std::optional<Violation> settle();

 private:
  // The word of the answer; nothing is done any more once something was found.
  Word act(model::Action action);
  void wait();
  void look_after();
  void finish_held();
  void lease_all();
  void carry_out(const model::WorkerHandle& by);
  void send(const model::WorkerHandle& by);
  void give_up(const model::WorkerHandle& by);
  bool is_dispatching(const std::string& op) const;
  std::string payload_of(const std::string& op) const;

  Runner::Impl& run_;
  std::optional<Violation> found_;
  bool moved_ = false;
  bool waited_ = false;
};

Word FairSchedule::act(model::Action action) {
  if (found_) return Word::invalid;
  found_ = run_.settle_step(std::move(action));
  return run_.calls_.front().word();
}

bool FairSchedule::is_dispatching(const std::string& op) const {
  const auto& effect = run_.seen_.ops.at(op).effect;
  return effect && effect->status == model::EffectStatus::dispatching;
}

// What was asked for, or what is under way.
std::string FairSchedule::payload_of(const std::string& op) const {
  const OpFacts& facts = *run_.history_.op(op);
  const auto& request = facts.request;
  if (facts.dispatch && facts.dispatch->open && !facts.dispatch->unclear) {
    return facts.dispatch->payload;
  }
  const bool asked = request && request->approved && !request->over && !request->unclear;
  return asked ? request->payload : std::string("\"fair\"");
}

void FairSchedule::give_up(const model::WorkerHandle& by) {
  const model::OpView& op = run_.seen_.ops.at(by.op);
  if (!found_ && op.lease) act(model::Fail{by, model::FailKind::unknown, std::nullopt});
}

// With a permit in hand.
void FairSchedule::send(const model::WorkerHandle& by) {
  if (act(model::Call{by, model::ServiceMode::ok, std::nullopt}) != Word::receipt) {
    return give_up(by);
  }
  model::Complete complete;
  complete.by = by;
  act(std::move(complete));
}

// A worker sees its op through.
void FairSchedule::carry_out(const model::WorkerHandle& by) {
  const OpFacts* facts = run_.history_.op(by.op);
  const bool effect = facts != nullptr && facts->spec.effect;
  if (!effect || (is_dispatching(by.op) && run_.outside_.receipt(by.worker, by.op))) {
    model::Complete complete;
    complete.by = by;
    act(std::move(complete));
    return;
  }
  const std::int64_t generation = run_.seen_.ops.at(by.op).generation;
  const bool unknown = is_dispatching(by.op);
  if (unknown && run_.outside_.permit(by.worker, by.op, generation) != nullptr) return send(by);
  const Word word = act(model::Dispatch{by, payload_of(by.op)});
  if (word == Word::dispatching) return send(by);
  if (word == Word::approval_required && !unknown) {
    act(model::RequestApproval{by, payload_of(by.op)});
    return;
  }
  give_up(by);
}

// Reviewers decide, what is on its way arrives, and operators find out what became of the rest.
void FairSchedule::look_after() {
  std::vector<std::string> waiting;
  std::vector<std::string> unknown;
  std::vector<std::string> late;
  for (const auto& [id, op] : run_.seen_.ops) {
    if (op.status == OpStatus::waiting_approval) waiting.push_back(id);
    if (op.status == OpStatus::reconciling) unknown.push_back(id);
  }
  for (const auto& [key, record] : run_.outside_.records()) {
    late.insert(late.end(), record.late.size(), record.op);
  }
  for (const std::string& op : late) act(model::Deliver{op});
  for (const std::string& op : waiting) {
    const OpFacts* facts = run_.history_.op(op);
    if (facts == nullptr || !facts->spec.effect) continue;
    const bool asked_herself = facts->spec.effect->requester == "fair reviewer";
    model::Decide decide;
    decide.op = op;
    decide.actor = {
        asked_herself ? "another" : "fair reviewer", {"reviewer"}, {facts->spec.effect->scope}};
    moved_ = act(std::move(decide)) == Word::ok || moved_;
  }
  for (const std::string& op : unknown) {
    Word word = act(model::Reconcile{op});
    if (word == Word::unknown) {
      const bool happened = run_.outside_.writes(op) > 0;
      word = act(model::Close{op, happened, "the service's ledger", fair_operator});
    }
    moved_ = word == Word::confirmed || word == Word::ok || moved_;
  }
}

// Workers that still hold a living lease finish their work.
void FairSchedule::finish_held() {
  std::vector<model::WorkerHandle> held;
  for (const auto& [id, op] : run_.seen_.ops) {
    if (!op.lease || op.lease->expires_us <= run_.clock_.time_us) continue;
    const std::string* worker = run_.handles_.holder(id, op.generation);
    if (worker != nullptr) held.push_back({*worker, id, 0});
  }
  moved_ = moved_ || !held.empty();
  for (const model::WorkerHandle& by : held) {
    if (!found_) carry_out(by);
  }
}

void FairSchedule::lease_all() {
  while (!found_) {
    model::Lease lease;
    lease.worker = fair_worker;
    lease.lease_us = fair_lease_us;
    act(std::move(lease));
    if (found_) return;
    const auto* leased = std::get_if<model::Leased>(&run_.calls_.front().outcome.detail);
    if (leased == nullptr) return;
    moved_ = true;
    carry_out({fair_worker, std::string(leased->op), 0});
  }
}

void FairSchedule::wait() {
  std::int64_t next = next_moment(run_, !std::exchange(waited_, true));
  if (next >= horizon_us) next = next_moment(run_, true);
  if (next < horizon_us) act(model::Advance{next - run_.clock_.time_us});
}

std::optional<Violation> FairSchedule::settle() {
  // Skewed callers may have dated a due time or a refill ahead of the common clock.
  const std::int64_t latest_us = run_.history_.latest_us();
  if (latest_us > run_.clock_.time_us && latest_us < horizon_us) {
    act(model::Advance{latest_us - run_.clock_.time_us});
  }
  const std::int64_t bound = bound_of(run_.seen_);
  for (std::int64_t round = 0; !found_; ++round) {
    act(model::Refresh{});
    if (found_ || all_settled(run_.seen_)) break;
    if (round == bound && lasts_for_ever(run_)) break;
    if (round == bound) {
      return run_.violation(settles_fairly,
                            fmt::format("after {} fair rounds not every op is settled", bound));
    }
    moved_ = false;
    look_after();
    finish_held();
    lease_all();
    if (found_) break;
    if (moved_ || all_settled(run_.seen_)) {
      waited_ = false;
    } else {
      wait();
    }
  }
  return found_;
}
}  // namespace

std::optional<Violation> Runner::Impl::settle_step(model::Action action) {
  fair_step_ = Step{};
  fair_step_.action = std::move(action);
  // The schedule is not part of the steps of the run: what it finds, it finds after the last one.
  const std::size_t last = index_;
  std::optional<Violation> found = step(fair_step_);
  index_ = last;
  return found;
}

std::optional<Violation> Runner::Impl::settle() {
  if (options_.shows_fair_steps) return FairSchedule(*this).settle();
  const auto on_step = std::exchange(options_.on_step, {});
  const auto on_call = std::exchange(options_.on_call, {});
  std::optional<Violation> found = FairSchedule(*this).settle();
  options_.on_step = on_step;
  options_.on_call = on_call;
  return found;
}

}  // namespace leaseproof::properties
