#include "properties/judgement.hpp"

#include <string_view>
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

const std::string* op_of(const model::Action& action) {
  return std::visit(
      [](const auto& a) -> const std::string* {
        if constexpr (requires { a.by; }) {
          return &a.by.op;
        } else if constexpr (requires { a.op; }) {
          return &a.op;
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

namespace {
bool is_outside(const model::Action& action) {
  return std::holds_alternative<model::Call>(action) ||
         std::holds_alternative<model::Deliver>(action);
}
}  // namespace

bool is_harness(const model::Action& action) {
  return is_outside(action) || std::holds_alternative<model::Advance>(action) ||
         std::holds_alternative<model::Restart>(action) ||
         std::holds_alternative<model::Forget>(action);
}

bool takes_part(const Sut& sut, const model::Action& action) {
  if (is_outside(action)) return dispatches(sut);
  return is_harness(action) || sut.speaks(action);
}

bool dispatches(const Sut& sut) { return sut.speaks(model::Dispatch{}); }

std::optional<faults::Call> fault_call(const model::Action& action) {
  const bool decides = std::holds_alternative<model::Decide>(action);
  const std::string_view name = decides ? model::Decide::name : model::do_word(action);
  for (std::size_t call = 0; call < faults::call_count; ++call) {
    const std::string_view point = faults::point_names[call * faults::place_count];
    // "engine/<call>/begin"
    if (point.substr(7, point.size() - 7 - 6) == name) return static_cast<faults::Call>(call);
  }
  return std::nullopt;
}

bool acted(const CallFact& call, const Judgement& judgement) {
  const model::WorkerHandle* handle = handle_of(call.action());
  if (handle == nullptr || !call.to_engine || call.ended == Ended::undone) return false;
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
