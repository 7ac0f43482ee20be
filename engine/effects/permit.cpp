#include "engine/effects/permit.hpp"

#include <utility>

#include "faults/point.hpp"

namespace leaseproof::engine::effects {

using model::Word;

Permit::Permit(std::string key, std::string payload, std::int64_t call_before_us,
               model::Contract contract, std::int64_t retention_us)
    : key_(std::move(key)),
      payload_(std::move(payload)),
      call_before_us_(call_before_us),
      contract_(contract),
      retention_us_(retention_us) {}

model::Outcome Permit::call(Service& service, Clock& clock) {
  faults::hit(faults::effect_before_call);
  expired_ = expired_ || clock.now_us() >= call_before_us_;
  if (expired_) return Word::permit_expired;
  const bool once = contract_ != model::Contract::idempotent;
  if (ended_ || (once && sent_)) return Word::permit_used;
  sent_ = true;
  model::Outcome answer = service.write({key_, payload_, contract_, retention_us_});
  faults::hit(faults::effect_after_call);
  return answer;
}

}  // namespace leaseproof::engine::effects
