// The calls around the world outside: contexts, approvals, dispatch, reconciliation.
#include <optional>
#include <utility>
#include <variant>

#include "engine/engine.hpp"
#include "engine/refusals.hpp"
#include "engine/store/approvals.hpp"
#include "engine/store/contexts.hpp"
#include "engine/store/effects.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine {

using model::Outcome;
using store::Write;

namespace {

Complaint check_actor(const model::Actor& actor) {
  if (auto why = check_name("actor.id", actor.id)) return why;
  for (const auto& role : actor.roles) {
    if (auto why = check_name("actor.roles", role)) return why;
  }
  for (const auto& scope : actor.scopes) {
    if (auto why = check_name("actor.scopes", scope)) return why;
  }
  return std::nullopt;
}

}  // namespace

Outcome Engine::put_context(model::ContextPut action) {
  const auto why = first_complaint([&] { return check_name("scope", action.scope); },
                                   [&] { return make_canonical("payload", action.payload); },
                                   [&] { return check_least("ttl_us", action.ttl_us, 1); });
  if (why) return Outcome::invalid(*why);
  const model::Action call = std::move(action);
  return run(faults::Call::context_put, call, {}, [&](Write& write) -> Outcome {
    const auto& a = std::get<model::ContextPut>(call);
    if (auto end = check_end(write, "the context", a.ttl_us)) return Outcome::invalid(*end);
    return store::put_context(write, a);
  });
}

Outcome Engine::revoke_context(const model::ContextRevoke& action) {
  if (const auto why = check_name("scope", action.scope)) return Outcome::invalid(*why);
  return run(faults::Call::context_revoke, action, {},
             [&](Write& write) { return store::revoke_context(write, action.scope); });
}

Outcome Engine::request_approval(std::string_view token, model::RequestApproval action) {
  const auto why = first_complaint([&] { return check_name("op", action.by.op); },
                                   [&] { return make_canonical("payload", action.payload); },
                                   [&] { return check_least("ttl_us", action.ttl_us, 1); });
  if (why) return Outcome::invalid(*why);
  const std::string token_hash = sha256_hex(token);
  const model::Action call = std::move(action);
  return run(faults::Call::request_approval, call, token_hash, [&](Write& write) -> Outcome {
    const auto& a = std::get<model::RequestApproval>(call);
    if (auto end = check_end(write, "the request", a.ttl_us)) return Outcome::invalid(*end);
    return store::request_approval(write, a.by.op, token_hash, a.payload, a.ttl_us);
  });
}

Outcome Engine::decide(const model::Decide& action) {
  const auto why = first_complaint([&] { return check_name("op", action.op); },
                                   [&] { return check_actor(action.actor); });
  if (why) return Outcome::invalid(*why);
  return run(faults::Call::decide, action, {},
             [&](Write& write) { return store::decide(write, action); });
}

Dispatched Engine::dispatch(std::string_view token, model::Dispatch action) {
  const auto why = first_complaint([&] { return check_name("op", action.by.op); },
                                   [&] { return make_canonical("payload", action.payload); });
  if (why) return {Outcome::invalid(*why), std::nullopt};
  const std::string token_hash = sha256_hex(token);
  const model::Action call = std::move(action);
  const auto& a = std::get<model::Dispatch>(call);
  store::Effect effect;
  Dispatched answer;
  answer.outcome = run(faults::Call::dispatch, call, token_hash, [&](Write& write) {
    return store::dispatch(write, a.by.op, token_hash, a.payload, effect);
  });
  if (const auto* given = std::get_if<model::Dispatching>(&answer.outcome.detail)) {
    answer.permit = effects::Permit(given->key, a.payload, given->call_before_us, effect.contract,
                                    effect.retention_us, permits_.of_lease(token_hash));
  }
  return answer;
}

Outcome Engine::reconcile(const model::Reconcile& action, const std::optional<std::string>& found) {
  const auto why =
      first_complaint([&] { return check_name("op", action.op); },
                      [&] { return found ? check_name("found", *found) : std::nullopt; });
  if (why) return Outcome::invalid(*why);
  return run(
      faults::Call::reconcile, action, {},
      [&](Write& write) { return store::reconcile(write, action.op, found); }, found);
}

Outcome Engine::close(const model::Close& action) {
  const auto why = first_complaint([&] { return check_name("op", action.op); },
                                   [&] { return check_utf8("evidence", action.evidence); },
                                   [&] { return check_actor(action.actor); });
  if (why) return Outcome::invalid(*why);
  return run(faults::Call::close, action, {},
             [&](Write& write) { return store::close(write, action); });
}

}  // namespace leaseproof::engine
