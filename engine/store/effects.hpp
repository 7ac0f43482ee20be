// Effects: the durable marker before a write to the outside world, and what is known of the write
// afterwards (SEMANTICS 6).
//
// Promise: nothing here talks to the outside service. From `dispatching` on a write may exist, and
// only a receipt, a refusal or recorded evidence ends that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/store/ending.hpp"
#include "engine/store/write.hpp"
#include "engine/values/binding.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// An op's effect, and what its envelope is made of.
struct Effect {
  model::Contract contract = model::Contract::idempotent;
  bool approval = false;
  std::int64_t retention_us = 0;
  std::string target;
  std::string scope;
  std::string requester;
  model::EffectStatus status = model::EffectStatus::none;
  bool unsure = false;
  std::string payload_hash;
  std::int64_t dispatched_us = 0;
  std::int64_t call_before_us = 0;
  std::int64_t lease_expires_us = 0;
  std::string op;
  std::string kind;
  std::string input;
  std::string workflow;
  std::optional<std::int64_t> context_revision;
  std::optional<std::int64_t> context_expires_us;

  // SEMANTICS 1, resendable at `t_us`.
  [[nodiscard]] bool resendable_at(std::int64_t t_us, std::int64_t clock_slack_us) const;
  [[nodiscard]] std::string envelope(std::string_view payload, std::int64_t request_no) const;
};

// The op has an effect.
Effect effect_of(Write& write, std::int64_t op_row);

// SEMANTICS 6, dispatch: `dispatching` with key and `call_before_us`, or the word of the guard that
// refused. `payload` is canonical. `effect` is what was dispatched, for the permit.
model::Outcome dispatch(Write& write, std::string_view op, std::string_view token_hash,
                        std::string_view payload, Effect& effect);

// SEMANTICS 3, reconcile: `found` is the receipt that the service answered to a query for the key.
model::Outcome reconcile(Write& write, std::string_view op,
                         const std::optional<std::string>& found);

// SEMANTICS 3, close. The evidence stands in the event of the call.
model::Outcome close(Write& write, const model::Close& action);

}  // namespace leaseproof::engine::store
