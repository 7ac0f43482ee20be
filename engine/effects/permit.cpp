#include "engine/effects/permit.hpp"

#include <utility>

#include "faults/point.hpp"

namespace leaseproof::engine::effects {

using model::Word;

PermitEnd OpenPermits::of_lease(const std::string& token_hash) {
  const std::lock_guard lock(mutex_);
  std::erase_if(held_, [](const auto& at) { return at.second.expired(); });
  auto& held = held_[token_hash];
  PermitEnd end = held.lock();
  if (end == nullptr) held = end = std::make_shared<std::atomic<bool>>(false);
  return end;
}

void OpenPermits::end(const std::string& token_hash) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(token_hash);
  if (held == held_.end()) return;
  if (const PermitEnd end = held->second.lock()) *end = true;
  held_.erase(held);
}

Permit::Permit(std::string key, std::string payload, std::int64_t call_before_us,
               model::Contract contract, std::int64_t retention_us, PermitEnd ended)
    : key_(std::move(key)),
      payload_(std::move(payload)),
      call_before_us_(call_before_us),
      contract_(contract),
      retention_us_(retention_us),
      ended_(std::move(ended)) {}

model::Outcome Permit::call(Service& service, Clock& clock) {
  faults::hit(faults::effect_before_call);
  expired_ = expired_ || clock.now_us() >= call_before_us_;
  if (expired_) return Word::permit_expired;
  const bool once = contract_ != model::Contract::idempotent;
  if (*ended_ || (once && sent_)) return Word::permit_used;
  sent_ = true;
  model::Outcome answer = service.write({key_, payload_, contract_, retention_us_});
  faults::hit(faults::effect_after_call);
  return answer;
}

}  // namespace leaseproof::engine::effects
