// The closed sets of words that engine, model, traces and external engines share.
//
// Promise: each enumerator is spelled as the word that is stored and sent as JSON; `word` and
// `from_word` are total and inverse to each other. A trailing underscore (`void_`, `throw_`) only
// steps around a C++ keyword and is not part of the word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace leaseproof::model {

// SEMANTICS 1, op status.
enum class OpStatus : std::uint8_t {
  pending,
  ready,
  running,
  waiting_approval,
  reconciling,
  succeeded,
  effect_confirmed,
  failed,
  blocked,
  canceled
};
// SEMANTICS 1, workflow status: derived from the ops, never stored.
enum class WorkflowStatus : std::uint8_t { running, succeeded, failed, canceled };
enum class ApprovalStatus : std::uint8_t {
  pending,
  approved,
  rejected,
  expired,
  void_,
  spent,
  canceled
};
enum class EffectStatus : std::uint8_t { none, dispatching, confirmed, refused };
// SEMANTICS 1, effect contract: what the outside service promises about an operation key.
enum class Contract : std::uint8_t { idempotent, queryable, opaque };
enum class FailKind : std::uint8_t { retryable, permanent, unknown };
// SEMANTICS 3, delay before the next attempt.
enum class DelayPolicy : std::uint8_t { fixed, linear, exponential, full_jitter };
// TRACE 2, `call`: what the outside service does with the request.
enum class ServiceMode : std::uint8_t { ok, timeout_before, timeout_after, refuse, late };

// TRACE 2, last column: every word that a call can answer.
enum class Word : std::uint8_t {
  ok,
  created,
  attached,
  exists,
  identity_conflict,
  leased,
  none,
  extended,
  lease_lost,
  checkpoint_conflict,
  deadline_exceeded,
  context_invalid,
  waiting,
  approval_exists,
  effect_dispatched,
  not_needed,
  deadline_or_attempt_budget,
  forbidden,
  wrong_hash,
  already_decided,
  expired,
  dispatching,
  approval_required,
  binding_mismatch,
  approval_expired_before_dispatch,
  payload_conflict,
  resend_closed,
  receipt,
  timeout,
  refused,
  permit_expired,
  permit_used,
  already_completed,
  receipt_required,
  retry_scheduled,
  failed,
  reconciling,
  not_failed,
  workflow_canceled,
  deadline_passed,
  already_settled,
  confirmed,
  unknown,
  not_reconciling,
  evidence_required,
  permit_open,
  invalid,
  not_found,
  busy,
  storage_error,
  commit_unknown,
  crashed
};

template <class E>
struct Words;

template <>
struct Words<OpStatus> {
  static constexpr std::array<std::string_view, 10> all{
      "pending",          "ready",  "running", "waiting_approval", "reconciling", "succeeded",
      "effect_confirmed", "failed", "blocked", "canceled"};
};
template <>
struct Words<WorkflowStatus> {
  static constexpr std::array<std::string_view, 4> all{"running", "succeeded", "failed",
                                                       "canceled"};
};
template <>
struct Words<ApprovalStatus> {
  static constexpr std::array<std::string_view, 7> all{"pending", "approved", "rejected", "expired",
                                                       "void",    "spent",    "canceled"};
};
template <>
struct Words<EffectStatus> {
  static constexpr std::array<std::string_view, 4> all{"none", "dispatching", "confirmed",
                                                       "refused"};
};
template <>
struct Words<Contract> {
  static constexpr std::array<std::string_view, 3> all{"idempotent", "queryable", "opaque"};
};
template <>
struct Words<FailKind> {
  static constexpr std::array<std::string_view, 3> all{"retryable", "permanent", "unknown"};
};
template <>
struct Words<DelayPolicy> {
  static constexpr std::array<std::string_view, 4> all{"fixed", "linear", "exponential",
                                                       "full_jitter"};
};
template <>
struct Words<ServiceMode> {
  static constexpr std::array<std::string_view, 5> all{"ok", "timeout_before", "timeout_after",
                                                       "refuse", "late"};
};
template <>
struct Words<Word> {
  static constexpr std::array<std::string_view, 52> all{"ok",
                                                        "created",
                                                        "attached",
                                                        "exists",
                                                        "identity_conflict",
                                                        "leased",
                                                        "none",
                                                        "extended",
                                                        "lease_lost",
                                                        "checkpoint_conflict",
                                                        "deadline_exceeded",
                                                        "context_invalid",
                                                        "waiting",
                                                        "approval_exists",
                                                        "effect_dispatched",
                                                        "not_needed",
                                                        "deadline_or_attempt_budget",
                                                        "forbidden",
                                                        "wrong_hash",
                                                        "already_decided",
                                                        "expired",
                                                        "dispatching",
                                                        "approval_required",
                                                        "binding_mismatch",
                                                        "approval_expired_before_dispatch",
                                                        "payload_conflict",
                                                        "resend_closed",
                                                        "receipt",
                                                        "timeout",
                                                        "refused",
                                                        "permit_expired",
                                                        "permit_used",
                                                        "already_completed",
                                                        "receipt_required",
                                                        "retry_scheduled",
                                                        "failed",
                                                        "reconciling",
                                                        "not_failed",
                                                        "workflow_canceled",
                                                        "deadline_passed",
                                                        "already_settled",
                                                        "confirmed",
                                                        "unknown",
                                                        "not_reconciling",
                                                        "evidence_required",
                                                        "permit_open",
                                                        "invalid",
                                                        "not_found",
                                                        "busy",
                                                        "storage_error",
                                                        "commit_unknown",
                                                        "crashed"};
};

// The stored and JSON spelling of an enumerator.
template <class E>
constexpr std::string_view word(E value) {
  return Words<E>::all[static_cast<std::size_t>(value)];
}

// The enumerator spelled `text`, or nothing when the word is not in the set.
template <class E>
constexpr std::optional<E> from_word(std::string_view text) {
  for (std::size_t i = 0; i < Words<E>::all.size(); ++i) {
    if (Words<E>::all[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

inline constexpr std::size_t op_status_count = Words<OpStatus>::all.size();

// SEMANTICS 1: done, stopping, settled.
constexpr bool is_done(OpStatus s) {
  return s == OpStatus::succeeded || s == OpStatus::effect_confirmed;
}
constexpr bool is_stopping(OpStatus s) {
  return s == OpStatus::failed || s == OpStatus::blocked || s == OpStatus::canceled;
}
constexpr bool is_settled(OpStatus s) { return is_done(s) || is_stopping(s); }

static_assert(word(Word::crashed) == "crashed");
static_assert(word(Word::not_found) == "not_found");
static_assert(from_word<ApprovalStatus>("void") == ApprovalStatus::void_);
static_assert(!from_word<OpStatus>("done"));

}  // namespace leaseproof::model
