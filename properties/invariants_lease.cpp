#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "properties/history.hpp"
#include "properties/invariant_rows.hpp"

namespace leaseproof::properties {

using model::OpStatus;
using model::Word;

namespace {
__extension__ using Wide = __int128;

std::string judge_worker_call(const CallFact& call, const Judgement& judgement) {
  if (!acted(call, judgement)) return {};
  const model::WorkerHandle& by = *handle_of(call.action());
  const Standing& standing = call.standing;
  const auto verb = model::do_word(call.action());
  if (!standing.held) {
    return fmt::format("{} of {} by {} changed it, though no lease of it is held", verb, by.op,
                       by.worker);
  }
  if (standing.generation != call.given.lease_generation) {
    return fmt::format(
        "{} of {} by {} under generation {} changed it, though generation {} holds it", verb, by.op,
        by.worker, call.given.lease_generation, standing.generation);
  }
  if (standing.expires_us <= call.given.now_us) {
    return fmt::format("{} of {} by {} changed it at {}, though its lease expired at {}", verb,
                       by.op, by.worker, call.given.now_us, standing.expires_us);
  }
  return {};
}

// Whether some worker call of the step, or a lease, may account for a change of this op.
bool accounted(const OpChange& change, const Judgement& judgement) {
  for (const CallFact& call : *judgement.calls) {
    if (!call.to_engine || call.ended == Ended::undone) continue;
    const model::WorkerHandle* by = handle_of(call.action());
    if (by == nullptr) return true;
    if (!acted(call, judgement)) continue;
    if (by->op == *change.id) return true;
    if (change.before == nullptr && std::holds_alternative<model::Complete>(call.action())) {
      return true;
    }
  }
  return false;
}
}  // namespace

std::string judge_no_stale_commit(const Judgement& judgement) {
  if (judgement.hazy) return {};
  for (const CallFact& call : *judgement.calls) {
    if (call.to_engine) {
      std::string why = judge_worker_call(call, judgement);
      if (!why.empty()) return why;
    }
  }
  for (const OpChange& change : *judgement.ops) {
    if (!accounted(change, judgement)) {
      return fmt::format("{} changed, though no call of this step was allowed to change it",
                         *change.id);
    }
  }
  return {};
}

std::string judge_lease_iff_running(const Judgement& judgement) {
  for (const OpChange& change : *judgement.ops) {
    const model::OpView* op = change.after;
    if (op == nullptr) continue;
    const bool running = op->status == OpStatus::running;
    if (running != op->lease.has_value()) {
      return fmt::format("{} is {} and has {} lease", *change.id, model::word(op->status),
                         running ? "no" : "a");
    }
    if (running && op->lease->generation != op->generation) {
      return fmt::format("{} is at generation {}, its lease at {}", *change.id, op->generation,
                         op->lease->generation);
    }
  }
  return {};
}

std::string judge_queue_caps(const Judgement& judgement) {
  const bool limits_moved = std::any_of(
      judgement.calls->begin(), judgement.calls->end(),
      [](const CallFact& call) { return std::holds_alternative<model::Queue>(call.action()); });
  for (const auto& [key, queue] : judgement.history->queues()) {
    if (queue.named) {
      const auto view = judgement.after->queues.find(key);
      if (view != judgement.after->queues.end() && view->second.running != queue.running) {
        return fmt::format("queue {}/{} says that {} ops run, but {} do", key.first, key.second,
                           view->second.running, queue.running);
      }
    }
    if (!queue.granted_now) continue;
    // A cap lowered below what runs already is no violation until something more is granted.
    if (queue.max_in_flight > 0 && queue.running > queue.max_in_flight && !limits_moved) {
      return fmt::format("queue {}/{} runs {} ops, its cap is {}", key.first, key.second,
                         queue.running, queue.max_in_flight);
    }
    if (queue.burst <= 0) continue;
    constexpr Wide micro = 1'000'000;
    const Wide room = Wide{queue.burst} * micro +
                      Wide{queue.rate_per_s} * (Wide{queue.last_now_us} - queue.first_now_us);
    if (Wide{queue.grants} * micro > room) {
      return fmt::format(
          "queue {}/{} granted {} leases between {} and {}, with burst {} and rate {}", key.first,
          key.second, queue.grants, queue.first_now_us, queue.last_now_us, queue.burst,
          queue.rate_per_s);
    }
  }
  return {};
}

namespace {
std::string judge_new_work(const CallFact& call) {
  const Standing& standing = call.standing;
  const std::int64_t now_us = call.given.now_us;
  const model::Action& action = call.action();
  if (!standing.op_known) return {};
  const bool past = standing.deadline_us && *standing.deadline_us <= now_us;
  const auto* leased = std::get_if<model::Leased>(&call.outcome.detail);
  if (std::holds_alternative<model::Lease>(action)) {
    const std::string_view op = leased == nullptr ? std::string_view("an op") : leased->op;
    if (standing.claims >= standing.max_attempts) {
      return fmt::format("{} was leased for the {}th time, its max_attempts is {}", op,
                         standing.claims + 1, standing.max_attempts);
    }
    if (past) {
      return fmt::format("{} was leased at {}, its deadline is {}", op, now_us,
                         *standing.deadline_us);
    }
    return {};
  }
  const bool sends =
      std::holds_alternative<model::Dispatch>(action) && call.told(Word::dispatching);
  const bool asks =
      std::holds_alternative<model::RequestApproval>(action) && call.told(Word::waiting);
  const bool stores = (std::holds_alternative<model::Checkpoint>(action) ||
                       (std::holds_alternative<model::Complete>(action) && !call.given.receipt)) &&
                      call.told(Word::ok);
  if ((stores || sends || asks) && past) {
    return fmt::format("{} of {} was accepted at {}, its deadline is {}", model::do_word(action),
                       handle_of(action)->op, now_us, *standing.deadline_us);
  }
  const auto* scheduled = std::get_if<model::RetryScheduled>(&call.outcome.detail);
  if (scheduled != nullptr) {
    if (standing.claims >= standing.max_attempts) {
      return fmt::format("a retry of {} was scheduled after {} of {} attempts",
                         handle_of(action)->op, standing.claims, standing.max_attempts);
    }
    if (standing.deadline_us && *standing.deadline_us <= scheduled->next_attempt_us) {
      return fmt::format("a retry of {} was scheduled for {}, its deadline is {}",
                         handle_of(action)->op, scheduled->next_attempt_us, *standing.deadline_us);
    }
  }
  if (const auto* retry = std::get_if<model::Retry>(&action); retry && call.told(Word::ok)) {
    const auto& deadline = retry->deadline_us ? retry->deadline_us : standing.deadline_us;
    if (deadline && *deadline <= now_us) {
      return fmt::format("{} was reopened at {}, its deadline is {}", retry->op, now_us, *deadline);
    }
  }
  return {};
}
}  // namespace

std::string judge_budgets(const Judgement& judgement) {
  if (judgement.hazy) return {};
  for (const CallFact& call : *judgement.calls) {
    if (!call.to_engine || call.ended == Ended::undone) continue;
    std::string why = judge_new_work(call);
    if (!why.empty()) return why;
  }
  for (const OpChange& change : *judgement.ops) {
    if (change.after == nullptr || change.facts == nullptr) continue;
    if (change.after->attempts != change.facts->claims) {
      return fmt::format("{} counts {} attempts, but was claimed {} times", *change.id,
                         change.after->attempts, change.facts->claims);
    }
  }
  return {};
}

namespace {
std::string judge_recovery(const CallFact& call, const Judgement& judgement) {
  const std::int64_t now_us = call.given.now_us;
  std::int64_t expired = 0;
  for (const auto& [id, op] : judgement.before->ops) {
    if (!op.lease) continue;
    const bool over = op.lease->expires_us <= now_us;
    if (over) ++expired;
    const OpChange* change = judgement.change_of(id);
    const bool kept = change == nullptr || (change->after != nullptr && change->after->lease);
    if (over == kept) {
      return fmt::format("refresh at {} {} the lease of {}, which expires at {}", now_us,
                         kept ? "kept" : "took", id, op.lease->expires_us);
    }
  }
  const auto* counts = std::get_if<model::Refreshed>(&call.outcome.detail);
  if (counts == nullptr) return {};
  // Twice: by the expiries that are stored, and by those that the callers were promised.
  for (const std::int64_t due : {expired, call.standing.expired_leases}) {
    if (counts->recovered != due) {
      return fmt::format("refresh at {} says that it recovered {} leases, but {} had expired",
                         now_us, counts->recovered, due);
    }
  }
  return {};
}
}  // namespace

std::string judge_time_is_numeric(const Judgement& judgement) {
  const CallFact* call = judgement.only_call();
  if (call == nullptr || call->ended == Ended::undone || call->locked_out) return {};
  if (std::holds_alternative<model::Refresh>(call->action())) {
    if (call->ended == Ended::answered && call->word() != Word::ok) return {};
    return judge_recovery(*call, judgement);
  }
  const auto* leased = std::get_if<model::Leased>(&call->outcome.detail);
  if (leased == nullptr) return {};
  const auto before = judgement.before->ops.find(leased->op);
  if (before == judgement.before->ops.end()) return {};
  const auto& due = before->second.next_attempt_us;
  if (due && *due > call->given.now_us) {
    return fmt::format("{} was leased at {}, it is due at {}", leased->op, call->given.now_us,
                       *due);
  }
  return {};
}

}  // namespace leaseproof::properties
