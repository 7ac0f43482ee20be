#include <algorithm>

#include "scenarios/guard_scene.hpp"

namespace leaseproof::scenarios {

namespace {
bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
}  // namespace

std::string forbidden(const Scene& scene) {
  const auto* decide = std::get_if<model::Decide>(&scene.action);
  if (decide == nullptr) {
    const auto* close = std::get_if<model::Close>(&scene.action);
    return fmt::format("{} has no operator role", close == nullptr ? "the actor" : close->actor.id);
  }
  const model::Actor& actor = decide->actor;
  if (!holds(actor.roles, "reviewer")) return actor.id + " has no reviewer role";
  const model::EffectSpec* effect = scene.effect();
  if (effect == nullptr) return scene.id + " has no effect to decide about";
  if (!holds(actor.scopes, effect->scope)) {
    return fmt::format("the scope '{}' is not among {}'s", effect->scope, actor.id);
  }
  return fmt::format("{} asked for it: a requester cannot decide about it", actor.id);
}

std::string request_state(const Scene& scene) {
  if (scene.request_no() == 0) return fmt::format("no approval of {} was asked for", scene.id);
  const std::string ends = told_time(scene.op->approval_expires_us);
  const bool over = scene.op->approval_expires_us <= scene.given.now_us;
  return fmt::format("request {} of {} is {} and {} at {}; it is {}", scene.request_no(), scene.id,
                     model::word(scene.op->view.approval->status), over ? "ended" : "ends", ends,
                     scene.now);
}

std::string already_decided(const Scene& scene) {
  if (scene.request_no() == 0) return request_state(scene);
  return fmt::format("request {} of {} is pending no more: it is {}", scene.request_no(), scene.id,
                     model::word(scene.op->view.approval->status));
}

std::string binding_mismatch(const Scene& scene) {
  return fmt::format(
      "what is dispatched now (payload, op, context, request number) is not the envelope that "
      "request {} of {} bound",
      scene.request_no(), scene.id);
}

std::string payload_conflict(const Scene& scene) {
  if (std::holds_alternative<model::Call>(scene.action)) {
    return fmt::format("under the key of {} the service holds a write of another payload",
                       scene.id);
  }
  return fmt::format("the effect of {} is dispatching with another payload already", scene.id);
}

std::string resend_closed(const Scene& scene) {
  const model::EffectSpec* effect = scene.effect();
  const std::string may = fmt::format("the first request of {} may have arrived, and ", scene.id);
  if (effect == nullptr) return may + "a second is not known to be safe";
  if (effect->approval) return may + "its approval was for one";
  if (effect->contract != model::Contract::idempotent) {
    return may + fmt::format("a service of contract {} does not deduplicate",
                             model::word(effect->contract));
  }
  return may + fmt::format(
                   "by the lease's end the service may have forgotten its key: first sent "
                   "at {}, kept for {}",
                   told_time(scene.op->dispatched_at_us), told_time(effect->retention_us));
}

std::string receipt_required(const Scene& scene) {
  const bool dispatched = scene.op != nullptr && scene.op->view.effect &&
                          scene.op->view.effect->status == model::EffectStatus::dispatching;
  if (!dispatched) return fmt::format("{} writes outside, and nothing was dispatched", scene.id);
  return fmt::format("{} writes outside, and {} holds no receipt of it", scene.id, scene.worker);
}

std::string permit_expired(const Scene& scene) {
  const properties::Permit* permit =
      scene.seen.outside.permit(scene.worker, scene.id, scene.given.lease_generation);
  if (permit == nullptr) return fmt::format("{} has no permit for {}", scene.worker, scene.id);
  return fmt::format("the permit for {} ended at {}, {}'s clock says {}; nothing was sent",
                     scene.id, told_time(permit->call_before_us), scene.worker, scene.now);
}

std::string timeout(const Scene& scene) {
  const auto* call = std::get_if<model::Call>(&scene.action);
  const std::string hears = fmt::format("{} cannot know whether it wrote: ", scene.worker);
  if (call != nullptr && call->service == model::ServiceMode::timeout_after) {
    return hears + "the service did, and its answer was lost";
  }
  if (call != nullptr && call->service == model::ServiceMode::late) {
    return hears + "the request is still on its way";
  }
  return hears + "the request was lost before the service wrote";
}

std::string not_proven(const Scene& scene) {
  const model::EffectSpec* effect = scene.effect();
  if (effect != nullptr && effect->contract == model::Contract::opaque) {
    return fmt::format("the service of {} is opaque: it answers no query", scene.id);
  }
  return fmt::format(
      "the service knows no write of {}, and that proves nothing: the request may be on its way",
      scene.id);
}

std::string permit_open(const Scene& scene) {
  if (scene.op == nullptr) return "a permit may still be used";
  return fmt::format("a permit for {} may be used until {}, and clocks may differ by {}; it is {}",
                     scene.id, told_time(scene.op->call_before_us),
                     told_time(scene.seen.before.settings.clock_slack_us), scene.now);
}

}  // namespace leaseproof::scenarios
