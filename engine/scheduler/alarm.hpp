// How a thread waits for a moment of the injected clock, and how others end its wait.
//
// Promise: the one way in which the scheduler waits for time. The system's alarms wait for as long
// as the clock says; a test puts its own in their place and lets time pass by hand.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "engine/values/clock.hpp"

namespace leaseproof::engine {

// Never, as a moment.
inline constexpr std::int64_t never_us = std::numeric_limits<std::int64_t>::max();

// One thread waits, any may wake it.
class Alarm {
 public:
  Alarm() = default;
  virtual ~Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Returns once the clock shows `due_us`, or at a `wake`, also one that came before; now and then
  // without either, as where a wall clock is set. The caller looks at its clock again.
  virtual void wait_until(std::int64_t due_us) = 0;
  virtual void wake() = 0;
};

class Alarms {
 public:
  Alarms() = default;
  virtual ~Alarms() = default;
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  virtual std::shared_ptr<Alarm> make() = 0;
};

class SystemAlarms final : public Alarms {
 public:
  // The clock must outlive every wait.
  explicit SystemAlarms(Clock& clock) : clock_(&clock) {}
  std::shared_ptr<Alarm> make() override;

 private:
  Clock* clock_;
};

}  // namespace leaseproof::engine
