// Keeps a lease alive while its worker is busy elsewhere, and tells when it is lost.
//
// Promise: extends the lease every third of its length, from the constructor to the destructor, on
// the one thread of the lab, and does nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "engine/engine.hpp"
#include "engine/scheduler/ticker.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::scenarios::lab {

class Heartbeat {
 public:
  // `engine` must outlive the heartbeat; `lease_us` ≥ 3.
  Heartbeat(engine::Engine& engine, std::string token, std::string job, std::int64_t lease_us);

  // The engine answered `lease_lost`: nothing more may be done under this token. A busy database is
  // no answer, and is asked again.
  [[nodiscard]] bool lost() const { return lost_; }

  // Holds the lease for so long, or until it is lost or `stop` answers true.
  void hold_us(engine::Clock& clock, std::int64_t duration_us,
               const std::function<bool()>& stop) const;

 private:
  // The pause until the next one.
  std::int64_t beat();

  engine::Engine* engine_;
  std::string token_;
  model::Heartbeat action_;
  bool begun_ = false;
  std::atomic<bool> lost_ = false;
  engine::Ticker ticker_;  // last: it uses all the others
};

}  // namespace leaseproof::scenarios::lab
