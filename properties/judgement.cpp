#include "properties/judgement.hpp"

#include <type_traits>
#include <variant>

namespace leaseproof::properties {

using model::Word;

const model::WorkerHandle* handle_of(const model::Action& action) {
  return std::visit(
      [](const auto& a) -> const model::WorkerHandle* {
        if constexpr (requires { a.by; }) {
          return &a.by;
        } else {
          return nullptr;
        }
      },
      action);
}

const std::string* worker_of(const model::Action& action) {
  if (const auto* lease = std::get_if<model::Lease>(&action)) return &lease->worker;
  const model::WorkerHandle* handle = handle_of(action);
  return handle == nullptr ? nullptr : &handle->worker;
}

bool is_read(const model::Action& action) {
  return std::holds_alternative<model::Observe>(action) ||
         std::holds_alternative<model::Snapshot>(action) ||
         std::holds_alternative<model::SnapshotsSince>(action);
}

bool is_harness(const model::Action& action) {
  return std::holds_alternative<model::Advance>(action) ||
         std::holds_alternative<model::Restart>(action) ||
         std::holds_alternative<model::Forget>(action);
}

bool acted(const CallFact& call, const Judgement& judgement) {
  const model::WorkerHandle* handle = handle_of(call.action());
  if (handle == nullptr || call.ended == Ended::undone) return false;
  if (call.ended == Ended::unheard) return judgement.change_of(handle->op) != nullptr;
  switch (call.word()) {
    case Word::extended:
    case Word::ok:
    case Word::retry_scheduled:
    case Word::failed:
    case Word::reconciling:
    case Word::waiting:
    case Word::dispatching:
    case Word::deadline_exceeded:
    case Word::context_invalid:
    case Word::deadline_or_attempt_budget:
    case Word::binding_mismatch:
    case Word::approval_expired_before_dispatch:
    case Word::payload_conflict:
    case Word::resend_closed:
      return true;
    default:
      return false;
  }
}

}  // namespace leaseproof::properties
