#include "scenarios/lab/heartbeat.hpp"

#include <algorithm>
#include <utility>

namespace leaseproof::scenarios::lab {

Heartbeat::Heartbeat(engine::Engine& engine, std::string token, std::string job,
                     std::int64_t lease_us)
    : engine_(&engine),
      token_(std::move(token)),
      action_{{{}, std::move(job), 0}, lease_us},
      ticker_([this] { return beat(); }) {}

std::int64_t Heartbeat::beat() {
  // The lease is fresh at first; a lost one is never asked for again, and the pause is of no
  // matter.
  if (begun_ && !lost_) {
    lost_ = engine_->heartbeat(token_, action_).word == model::Word::lease_lost;
  }
  begun_ = true;
  return std::max<std::int64_t>(action_.lease_us / 3, 1);
}

void Heartbeat::hold_us(engine::Clock& clock, std::int64_t duration_us,
                        const std::function<bool()>& stop) const {
  // Neither a signal nor a lost lease wakes anybody up, so both are looked for now and then.
  constexpr std::int64_t slice_us = 100'000;
  for (std::int64_t left_us = duration_us; left_us > 0; left_us -= slice_us) {
    if (lost() || (stop && stop())) return;
    clock.wait_us(std::min(left_us, slice_us));
  }
}

}  // namespace leaseproof::scenarios::lab
