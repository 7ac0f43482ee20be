#include "scenarios/guard.hpp"

#include <optional>
#include <variant>

#include "model/queue_room.hpp"
#include "scenarios/guard_scene.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios {

using model::Word;

namespace {

// own(op, token, now): the conditions one after the other, the first that does not hold.
std::string lease_lost(const Scene& scene) {
  const std::int64_t held = scene.given.lease_generation;
  if (scene.op == nullptr || !scene.op->view.lease) {
    return fmt::format("{} has no lease, it is {}; what {} holds is of generation {}", scene.id,
                       scene.status(), scene.worker, held);
  }
  const model::LeaseView& lease = *scene.op->view.lease;
  if (lease.generation != held) {
    return fmt::format("the newest lease of {} is {}'s, generation {}; {} holds generation {}",
                       scene.id, lease.owner, lease.generation, scene.worker, held);
  }
  if (lease.expires_us <= scene.given.now_us) {
    return fmt::format("{}'s lease of {} ended at {}; it is {}", scene.worker, scene.id,
                       told_time(lease.expires_us), scene.now);
  }
  return fmt::format(
      "{}'s lease of {}, generation {}, is the newest and runs until {}: nothing in "
      "the state before accounts for it",
      scene.worker, scene.id, held, told_time(lease.expires_us));
}

std::string deadline(const Scene& scene) {
  const auto* retry = std::get_if<model::Retry>(&scene.action);
  std::optional<std::int64_t> until = scene.op == nullptr ? std::nullopt : scene.op->deadline_us;
  if (retry != nullptr && retry->deadline_us) until = retry->deadline_us;
  if (!until) return fmt::format("{} has no deadline", scene.id);
  return fmt::format("the deadline of {} was {}; it is {}", scene.id, told_time(*until), scene.now);
}

std::string context_invalid(const Scene& scene) {
  if (scene.op == nullptr || !scene.op->context) return scene.id + " has no context";
  const auto& pinned = *scene.op->context;
  const std::string which = fmt::format("the context '{}' of {}, revision {},",
                                        *scene.op->spec->context, scene.id, pinned.revision);
  const auto context = scene.seen.before.contexts.find(*scene.op->spec->context);
  const bool revoked = context != scene.seen.before.contexts.end() &&
                       context->second.revoked_revision >= pinned.revision;
  if (revoked) return which + " is revoked";
  return fmt::format("{} ended at {}; it is {}", which, told_time(pinned.expires_us), scene.now);
}

std::string attempts(const Scene& scene) {
  if (scene.op == nullptr) return {};
  return fmt::format("{} of {} attempts of {} are used up", scene.op->view.attempts,
                     scene.op->spec->max_attempts, scene.id);
}

// What keeps each ready op from being leased.
std::string nothing_to_lease(const Scene& scene) {
  std::string why;
  for (const auto& [id, op] : scene.seen.before.ops) {
    if (op.view.status != model::OpStatus::ready) continue;
    why += why.empty() ? "" : "; ";
    const model::QueueState* queue = model::find_queue(scene.seen.before, op);
    if (op.view.next_attempt_us && *op.view.next_attempt_us > scene.given.now_us) {
      why += fmt::format("{} is due at {}", id, told_time(*op.view.next_attempt_us));
    } else if (queue != nullptr && !model::has_room(*queue, scene.given.now_us)) {
      const bool full = queue->max_in_flight > 0 && queue->running >= queue->max_in_flight;
      why += fmt::format("the queue {}/{} of {} has no {}", op.spec->site, op.spec->queue, id,
                         full ? "room" : "token");
    } else {
      why += fmt::format("{} is not to be had: another queue, or its deadline or attempts are over",
                         id);
    }
  }
  return why.empty() ? "no op is ready" : why;
}

std::string failed(const Scene& scene) {
  const auto* fail = std::get_if<model::Fail>(&scene.action);
  if (fail == nullptr || scene.op == nullptr) return {};
  if (fail->kind == model::FailKind::permanent) return scene.worker + " says it is permanent";
  if (scene.op->view.attempts >= scene.op->spec->max_attempts) return attempts(scene);
  return fmt::format("the next attempt of {} would not begin before its deadline", scene.id);
}

std::string busy(const Scene& scene) {
  if (scene.seen.fact.locked_out) return "another call holds the write lock";
  return "the lock was not to be had, all tries are used; nothing changed";
}

std::string crashed(const Scene& scene) {
  switch (scene.seen.fact.ended) {
    case properties::Ended::unheard:
      return "the process died after COMMIT: the change stands, nobody heard of it";
    case properties::Ended::undone:
      return "the process died before COMMIT: nothing of the call stands";
    case properties::Ended::answered:
      break;
  }
  return std::holds_alternative<model::Call>(scene.action)
             ? "the process died at its call to the service"
             : "the process died";
}

std::string sentence(const Scene& scene, const model::Outcome& outcome) {
  const std::string& id = scene.id;
  switch (outcome.word) {
    case Word::ok:
    case Word::created:
    case Word::leased:
    case Word::extended:
    case Word::waiting:
    case Word::dispatching:
    case Word::receipt:
    case Word::retry_scheduled:
    case Word::confirmed:
      return {};
    case Word::attached:
      return "the workflow exists with this package and identity";
    case Word::exists:
      return "a workflow of this id exists";
    case Word::identity_conflict:
      return "the workflow exists with another package or identity";
    case Word::none:
      return nothing_to_lease(scene);
    case Word::lease_lost:
      return lease_lost(scene);
    case Word::checkpoint_conflict:
      return fmt::format("this step of {} is stored with another payload", id);
    case Word::deadline_exceeded:
    case Word::deadline_passed:
      return deadline(scene);
    case Word::context_invalid:
      return context_invalid(scene);
    case Word::approval_exists:
    case Word::approval_required:
    case Word::approval_expired_before_dispatch:
    case Word::expired:
      return request_state(scene);
    case Word::effect_dispatched:
      return fmt::format("the effect of {} is dispatching: to ask now would be too late", id);
    case Word::not_needed:
      return id + " needs no approval";
    case Word::deadline_or_attempt_budget:
      return attempts(scene) + ": none is left for the run after the decision";
    case Word::forbidden:
      return forbidden(scene);
    case Word::wrong_hash:
      return fmt::format("the hash is not that of request {} of {}", scene.request_no(), id);
    case Word::already_decided:
      return already_decided(scene);
    case Word::binding_mismatch:
      return binding_mismatch(scene);
    case Word::payload_conflict:
      return payload_conflict(scene);
    case Word::resend_closed:
      return resend_closed(scene);
    case Word::timeout:
      return timeout(scene);
    case Word::refused:
      return "the service refused the request and wrote nothing";
    case Word::permit_expired:
      return permit_expired(scene);
    case Word::permit_used:
      return fmt::format("a permit for {} sends once: its service does not deduplicate", id);
    case Word::already_completed:
      return fmt::format("the lease that {} holds completed {} before; nothing changes",
                         scene.worker, id);
    case Word::receipt_required:
      return receipt_required(scene);
    case Word::failed:
      return failed(scene);
    case Word::reconciling:
      return fmt::format("the effect of {} is dispatching: whether it was written is unknown", id);
    case Word::not_failed:
      return fmt::format("{} is {}, and only what failed can be retried", id, scene.status());
    case Word::workflow_canceled:
      return fmt::format("the workflow of {} was asked to cancel", id);
    case Word::already_settled:
      return "every op of the workflow is settled and none is blocked";
    case Word::unknown:
      return not_proven(scene);
    case Word::not_reconciling:
      return fmt::format("{} is {}, not reconciling", id, scene.status());
    case Word::evidence_required:
      return "it comes without evidence";
    case Word::permit_open:
      return permit_open(scene);
    case Word::invalid:
      return outcome.why.empty() ? "the call is not of a shape or state that can be judged" : "";
    case Word::not_found:
      return scene.op != nullptr ? request_state(scene) : "nothing of this name exists";
    case Word::busy:
      return busy(scene);
    case Word::storage_error:
      return std::holds_alternative<model::Restart>(scene.action)
                 ? "the disk failed while the engine was opened again"
                 : "the disk failed before COMMIT: nothing changed";
    case Word::commit_unknown:
      return "COMMIT failed, and whether it stands could not be read back";
    case Word::crashed:
      return crashed(scene);
  }
  return {};
}

}  // namespace

std::string guard(const properties::CallSeen& seen, const model::Outcome& outcome) {
  return printable(sentence(Scene(seen), outcome));
}

}  // namespace leaseproof::scenarios
