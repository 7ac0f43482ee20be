#include "properties/goals.hpp"

#include <algorithm>
#include <variant>

#include "properties/goal_rows.hpp"
#include "properties/history.hpp"

namespace leaseproof::properties {

using faults::Kind;
using faults::Place;
using model::OpStatus;
using model::Word;

namespace {
template <class A>
bool is(const CallFact& call) {
  return std::holds_alternative<A>(call.action());
}
bool word_told(const CallFact& call, Word word) { return call.to_engine && call.told(word); }

bool under_newest(const CallFact& call) {
  return call.standing.held && call.standing.generation == call.given.lease_generation;
}

template <class A>
bool stale_refused(const CallFact& call, const Judgement&) {
  return told<A>(call, Word::lease_lost) && !under_newest(call);
}

template <Place place>
bool crashed_at(const CallFact& call, const Judgement&) {
  return call.fired > 0 && call.step->fault->plan.kind == Kind::crash &&
         faults::place_of(call.step->fault->plan.point) == place;
}
template <Place place>
bool interleaved_at(const CallFact& call, const Judgement&) {
  return call.fired > 0 && call.step->fault->plan.kind == Kind::interleave &&
         faults::place_of(call.step->fault->plan.point) == place;
}
bool busy_fired(const CallFact& call) {
  return call.fired > 0 && call.step->fault->plan.kind == Kind::busy;
}

bool went(const Judgement& judgement, OpStatus from, OpStatus to) {
  return std::any_of(judgement.ops->begin(), judgement.ops->end(), [&](const OpChange& change) {
    return change.before != nullptr && change.after != nullptr && change.before->status == from &&
           change.after->status == to;
  });
}

bool alone(const CallFact& call, const Judgement& judgement) {
  return judgement.only_call() == &call;
}

bool reopened_two_levels(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Retry>(call, Word::ok) || !alone(call, judgement)) return false;
  const auto reopened = [&](const std::string& op) {
    const OpChange* change = judgement.change_of(op);
    return change != nullptr && change->before != nullptr && change->after != nullptr &&
           change->before->status == OpStatus::blocked &&
           change->after->status == OpStatus::pending;
  };
  return std::any_of(judgement.ops->begin(), judgement.ops->end(), [&](const OpChange& change) {
    return change.facts != nullptr && reopened(*change.id) &&
           std::any_of(change.facts->spec.needs.begin(), change.facts->spec.needs.end(),
                       [&](const model::Need& need) { return need.required && reopened(need.op); });
  });
}

bool optional_need_failed(const CallFact& call, const Judgement& judgement) {
  const auto* leased = std::get_if<model::Leased>(&call.outcome.detail);
  if (leased == nullptr) return false;
  const OpFacts* facts = judgement.history->op(leased->op);
  return facts != nullptr && std::any_of(facts->spec.needs.begin(), facts->spec.needs.end(),
                                         [&](const model::Need& need) {
                                           const auto at = judgement.after->ops.find(need.op);
                                           return !need.required &&
                                                  at != judgement.after->ops.end() &&
                                                  model::is_stopping(at->second.status);
                                         });
}

bool lock_wait_crossed(const CallFact& call, const Judgement&) {
  return call.step->lock_wait_us > 0 && word_told(call, Word::lease_lost) && under_newest(call) &&
         call.standing.expires_us <= call.given.now_us &&
         call.standing.expires_us > call.given.now_us - call.step->lock_wait_us;
}

// A lease that found nothing, though an op of its queues was ready and due: for want of a slot, or
// of a token.
template <bool want_slot>
bool no_room(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Lease>(call, Word::none)) return false;
  const auto& lease = std::get<model::Lease>(call.action());
  return std::any_of(judgement.after->ops.begin(), judgement.after->ops.end(), [&](const auto& at) {
    const model::OpView& op = at.second;
    if (op.status != OpStatus::ready) return false;
    if (op.next_attempt_us && *op.next_attempt_us > call.given.now_us) return false;
    const OpFacts* facts = judgement.history->op(at.first);
    if (facts == nullptr) return false;
    if (lease.queue && *lease.queue != facts->spec.queue) return false;
    const QueueFacts& queue = *facts->queue;
    const bool full = queue.max_in_flight > 0 && queue.running >= queue.max_in_flight;
    return want_slot ? full : (!full && queue.burst > 0);
  });
}

bool refilled(const CallFact& call, const Judgement& judgement) {
  const auto* leased = std::get_if<model::Leased>(&call.outcome.detail);
  const OpFacts* facts = leased == nullptr ? nullptr : judgement.history->op(leased->op);
  return facts != nullptr && facts->queue->burst > 0 && facts->queue->grants > facts->queue->burst;
}

bool emitted_op_done(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Complete>(call, Word::ok)) return false;
  const OpFacts* facts = judgement.history->op(handle_of(call.action())->op);
  return facts != nullptr && !facts->parent.empty();
}

bool lease_failed_candidate(const CallFact& call, const Judgement& judgement, bool deadline) {
  if (!is<model::Lease>(call) || !alone(call, judgement)) return false;
  return std::any_of(judgement.ops->begin(), judgement.ops->end(), [&](const OpChange& change) {
    if (change.after == nullptr || change.after->status != OpStatus::failed) return false;
    if (change.facts == nullptr) return false;
    const bool past = change.facts->deadline_us && *change.facts->deadline_us <= call.given.now_us;
    return past == deadline;
  });
}

bool deadline_in_refresh(const CallFact& call, const Judgement& judgement) {
  if (!told<model::Refresh>(call, Word::ok)) return false;
  return std::any_of(judgement.ops->begin(), judgement.ops->end(), [&](const OpChange& change) {
    return change.before != nullptr && change.before->status == OpStatus::running &&
           change.after != nullptr && change.after->status == OpStatus::failed &&
           change.facts != nullptr && change.facts->deadline_us &&
           *change.facts->deadline_us <= call.given.now_us &&
           change.after->attempts < change.facts->spec.max_attempts;
  });
}

bool overflow_refused(const CallFact& call, const Judgement&) {
  if (!word_told(call, Word::invalid)) return false;
  std::int64_t duration_us = 0;
  if (const auto* lease = std::get_if<model::Lease>(&call.action())) duration_us = lease->lease_us;
  if (const auto* beat = std::get_if<model::Heartbeat>(&call.action())) {
    duration_us = beat->lease_us;
  }
  std::int64_t sum = 0;
  return __builtin_add_overflow(duration_us, call.given.now_us, &sum);
}

// Two workflows on one page whose last changes bear the same microsecond.
bool same_microsecond(const CallFact& call, const Judgement& judgement) {
  const auto* page = std::get_if<model::Page>(&call.outcome.detail);
  if (page == nullptr) return false;
  const WorkflowFacts* before = nullptr;
  for (const std::string& id : page->workflows) {
    const WorkflowFacts* facts = judgement.history->workflow(id);
    if (before != nullptr && facts != nullptr && before->last_at_us == facts->last_at_us) {
      return true;
    }
    before = facts;
  }
  return false;
}

using C = const CallFact&;
using J = const Judgement&;
}  // namespace

std::array<Goal, plain_goal_count> plain_goals() {
  return {{
      {"takeover", "An op whose lease expired is leased anew.",
       [](C c, J) { return c.told(Word::leased) && c.standing.recovered; }},
      {"stale_heartbeat_refused", "A heartbeat under an old lease answers lease_lost.",
       stale_refused<model::Heartbeat>},
      {"stale_checkpoint_refused", "A checkpoint under an old lease answers lease_lost.",
       stale_refused<model::Checkpoint>},
      {"stale_complete_refused", "A completion under an old lease answers lease_lost.",
       stale_refused<model::Complete>},
      {"stale_fail_refused", "A failure under an old lease answers lease_lost.",
       stale_refused<model::Fail>},
      {"refused_exactly_at_expiry", "A commit in the microsecond of expiry is refused.",
       [](C c, J) {
         return word_told(c, Word::lease_lost) && under_newest(c) &&
                c.standing.expires_us == c.given.now_us;
       }},
      {"accepted_just_before_expiry", "A commit one microsecond before expiry is accepted.",
       [](C c, J j) {
         return c.ended == Ended::answered && acted(c, j) && under_newest(c) &&
                c.standing.expires_us - 1 == c.given.now_us;
       }},
      {"reopened_two_levels", "A retry reopens blocked ops through two levels.",
       reopened_two_levels},
      {"optional_need_failed", "An op runs although an optional need of it is stopping.",
       optional_need_failed},
      {"clock_steps_back", "The clock steps back.",
       [](C c, J) {
         return told<model::Advance>(c, Word::ok) && std::get<model::Advance>(c.action()).by_us < 0;
       }},
      {"skewed_caller", "A caller with a skewed clock changes an op.",
       [](C c, J j) {
         return c.step->skew_us != 0 && (acted(c, j) || word_told(c, Word::leased));
       }},
      {"lock_wait_crosses_expiry", "A call waits for the lock until its lease is over.",
       lock_wait_crossed},
      {"queue_at_cap", "A due op is not leased because its queue is at its cap.", no_room<true>},
      {"bucket_empty", "A due op is not leased because its queue has no token.", no_room<false>},
      {"bucket_refilled", "A queue grants more leases than its burst, after a refill.", refilled},
      {"last_attempt", "An op is leased for its last attempt.",
       [](C c, J) {
         return c.told(Word::leased) && c.standing.max_attempts > 1 &&
                c.standing.claims + 1 == c.standing.max_attempts;
       }},
      {"crash_at_begin", "A process dies before BEGIN.", crashed_at<Place::begin>},
      {"crash_at_write", "A process dies after its first changed row.", crashed_at<Place::write>},
      {"crash_at_commit", "A process dies just before COMMIT.", crashed_at<Place::commit>},
      {"crash_at_committed", "A process dies just after COMMIT.", crashed_at<Place::committed>},
      {"unheard_lease", "A lease is granted that nobody heard of.",
       [](C c, J j) {
         return is<model::Lease>(c) && c.ended == Ended::unheard && !j.ops->empty();
       }},
      {"unheard_completion_asked_again", "A worker asks again and is told already_completed.",
       [](C c, J) { return told<model::Complete>(c, Word::already_completed); }},
      {"busy_survived", "A call meets a busy database and succeeds on a later try.",
       [](C c, J) { return busy_fired(c) && c.word() != Word::busy; }, false, true},
      {"busy_exhausted", "A call meets a busy database on every try.",
       [](C c, J) { return busy_fired(c) && c.word() == Word::busy; }, false, true},
      {"locked_out", "An interleaved call is told busy because another holds the write lock.",
       [](C c, J) { return c.locked_out && c.word() == Word::busy; }, false, true},
      {"read_in_between", "A read is interleaved into a call that changes something.",
       [](C c, J j) {
         return c.depth > 0 && is_read(c.action()) && c.told(Word::ok) && !j.ops->empty();
       }},
      {"interleaved_at_begin", "Calls run between the begin of another and its lock.",
       interleaved_at<Place::begin>},
      {"interleaved_at_write", "Calls run while another has written.", interleaved_at<Place::write>,
       false, true},
      {"interleaved_at_commit", "Calls run while another is about to commit.",
       interleaved_at<Place::commit>, false, true},
      {"interleaved_at_committed", "Calls run before another hears that it committed.",
       interleaved_at<Place::committed>},
      {"nested_interleaving", "A call is interleaved into an interleaved call.",
       [](C c, J) { return c.depth >= 2; }},
      {"lost_to_an_interleaved_call", "A worker loses its lease between its begin and its lock.",
       [](C c, J) {
         return c.fired > 0 && c.step->fault->plan.kind == Kind::interleave &&
                word_told(c, Word::lease_lost);
       }},
      {"attached", "An ensure attaches.", [](C c, J) { return word_told(c, Word::attached); }},
      {"identity_conflict", "An ensure meets another identity.",
       [](C c, J) { return word_told(c, Word::identity_conflict); }},
      {"exists", "A start meets its id.", [](C c, J) { return word_told(c, Word::exists); }},
      {"racing_ensure", "An ensure is interleaved into another of the same workflow.",
       [](C c, J j) {
         return is<model::Ensure>(c) && c.depth > 0 && c.told(Word::created) &&
                std::any_of(j.calls->begin(), j.calls->end(), [&](C other) {
                  return &other != &c && is<model::Ensure>(other) && other.told(Word::attached);
                });
       }},
      {"emitted_op_done", "An emitted op is completed.", emitted_op_done},
      {"bad_emit_refused", "A completion with a bad emitted op is invalid and keeps its lease.",
       [](C c, J) {
         return told<model::Complete>(c, Word::invalid) && under_newest(c) &&
                !std::get<model::Complete>(c.action()).emit.empty();
       }},
      {"canceled_running", "A running op is canceled.",
       [](C c, J j) {
         return told<model::Cancel>(c, Word::ok) && went(j, OpStatus::running, OpStatus::canceled);
       }},
      {"canceled_blocked", "A blocked op is canceled.",
       [](C c, J j) {
         return told<model::Cancel>(c, Word::ok) && went(j, OpStatus::blocked, OpStatus::canceled);
       }},
      {"already_settled", "A finished workflow refuses to be canceled.",
       [](C c, J) { return word_told(c, Word::already_settled); }},
      {"retry_after_cancel_refused", "A retry in a canceled workflow is refused.",
       [](C c, J) { return word_told(c, Word::workflow_canceled); }},
      {"retry_not_failed", "A retry of an op that has not failed is refused.",
       [](C c, J) { return word_told(c, Word::not_failed); }},
      {"retry_deadline_passed", "A retry whose deadline has passed is refused.",
       [](C c, J) { return word_told(c, Word::deadline_passed); }},
      {"retry_with_new_deadline", "A retry sets a new deadline.",
       [](C c, J) {
         return told<model::Retry>(c, Word::ok) &&
                std::get<model::Retry>(c.action()).deadline_us.has_value();
       }},
      {"checkpoint_conflict", "A checkpoint is refused because its step holds another payload.",
       [](C c, J) { return word_told(c, Word::checkpoint_conflict); }},
      {"checkpoint_repeated", "A checkpoint is repeated and changes nothing.",
       [](C c, J j) {
         return told<model::Checkpoint>(c, Word::ok) && alone(c, j) && j.ops->empty();
       }},
      {"retry_scheduled", "A failure schedules a retry.",
       [](C c, J) { return word_told(c, Word::retry_scheduled); }},
      {"attempts_used_up", "A retryable failure ends an op whose attempts are used up.",
       [](C c, J) {
         return told<model::Fail>(c, Word::failed) &&
                std::get<model::Fail>(c.action()).kind != model::FailKind::permanent &&
                c.standing.claims >= c.standing.max_attempts;
       }},
      {"deadline_in_worker_call", "A worker call ends an op whose deadline has passed.",
       [](C c, J) { return word_told(c, Word::deadline_exceeded); }},
      {"deadline_in_lease", "A lease fails a candidate whose deadline has passed.",
       [](C c, J j) { return lease_failed_candidate(c, j, true); }},
      {"deadline_in_refresh", "Refresh fails an op whose lease and deadline are over.",
       deadline_in_refresh},
      {"shared_owner_old_handle", "An old handle is refused though its owner name holds the op.",
       [](C c, J) {
         return word_told(c, Word::lease_lost) && c.standing.held && c.standing.owner_shared &&
                !under_newest(c);
       }},
      {"page_with_more", "A reader's page says that there is more.",
       [](C c, J) {
         const auto* page = std::get_if<model::Page>(&c.outcome.detail);
         return page != nullptr && page->more;
       }},
      {"page_read_to_end", "A reader that met a page with more reads to the end.",
       [](C c, J j) {
         const auto* asked = std::get_if<model::SnapshotsSince>(&c.action());
         const auto* page = std::get_if<model::Page>(&c.outcome.detail);
         if (asked == nullptr || page == nullptr || page->more) return false;
         const ReaderFacts* reader = j.history->reader(asked->reader);
         return reader != nullptr && reader->paged;
       }},
      {"same_microsecond", "A page tells two workflows that changed in the same microsecond.",
       same_microsecond},
      {"recovered_to_ready", "Refresh makes an op ready whose lease expired.",
       [](C c, J j) {
         return told<model::Refresh>(c, Word::ok) && went(j, OpStatus::running, OpStatus::ready);
       }},
      {"recovered_to_failed", "Refresh fails an op whose lease expired on its last attempt.",
       [](C c, J j) {
         return told<model::Refresh>(c, Word::ok) && went(j, OpStatus::running, OpStatus::failed);
       }},
      {"overflow_refused", "A duration that leaves 64 bits is invalid.", overflow_refused},
      {"restart", "The engine is closed and opened again.",
       [](C c, J) { return told<model::Restart>(c, Word::ok); }},
      {"forget", "A worker's process dies between calls.",
       [](C c, J) { return told<model::Forget>(c, Word::ok); }},
  }};
}

namespace {
std::array<Goal, goal_count> all_goals() {
  std::array<Goal, goal_count> all{};
  const auto plain = plain_goals();
  const auto outside = outside_goals();
  std::copy(outside.begin(), outside.end(), std::copy(plain.begin(), plain.end(), all.begin()));
  return all;
}
}  // namespace

bool is_asked_for(const Goal& goal, const Tally& tally) {
  constexpr faults::Point held_up = faults::point_of(faults::Call::refresh, Place::write);
  const bool locks = tally.within_reach[held_up][static_cast<std::size_t>(Kind::interleave)];
  return tally.whole && (tally.dispatches || !goal.of_dispatch) && (locks || !goal.of_lock);
}

const std::array<Goal, goal_count> goals = all_goals();

std::size_t goals_asked_for(const Tally& tally) {
  return static_cast<std::size_t>(std::count_if(
      goals.begin(), goals.end(), [&](const Goal& goal) { return is_asked_for(goal, tally); }));
}

void count_goals(const Judgement& judgement, Tally& tally) {
  for (const CallFact& call : *judgement.calls) {
    for (std::size_t i = 0; i < goals.size(); ++i) {
      if (goals[i].reached(call, judgement)) ++tally.goals[i];
    }
  }
}

std::vector<std::string> unreached(const Tally& tally, bool with_faults) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!is_asked_for(goals[i], tally)) continue;
    if (i >= tally.goals.size() || tally.goals[i] == 0) names.emplace_back(goals[i].name);
  }
  if (!with_faults) return names;
  for (const Hunt& hunt : unfired(tally)) {
    names.push_back(std::string(faults::point_names[hunt.point]) + " " +
                    std::string(faults::kind_words[static_cast<std::size_t>(hunt.kind)]));
  }
  return names;
}

}  // namespace leaseproof::properties
