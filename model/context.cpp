// context_put and context_revoke (SEMANTICS 2).
#include "model/change.hpp"
#include "model/judge.hpp"

namespace leaseproof::model {

Outcome judge(State& state, const ContextPut& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  ContextState& context = state.contexts[call.scope];
  ++context.revision;
  context.expires_us = given.now_us + call.ttl_us;
  record_unowned(state);
  return Word::ok;
}

Outcome judge(State& state, const ContextRevoke& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  const auto context = state.contexts.ref(call.scope);
  if (!context) return Word::not_found;
  if (context->revoked_revision == context->revision) return Word::ok;
  context.edit().revoked_revision = context->revision;
  record_unowned(state);
  return Word::ok;
}

}  // namespace leaseproof::model
