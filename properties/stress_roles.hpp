// Who takes part in a stress: workers, and the one process that brings workflows and decides.
//
// Promise: for the rooms of `stress` alone. Each runs in a process of its own and leaves its record
// line by line, one write a line, so that a kill loses no line that was begun.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.hpp"
#include "engine/values/clock.hpp"
#include "faults/draw.hpp"
#include "faults/process.hpp"
#include "properties/stress.hpp"

namespace leaseproof::properties {

// A system clock that is off, and now and then slow: between its look and its answer others have
// the time for calls of their own, unless a lock keeps them out.
class OffClock final : public engine::Clock {
 public:
  OffClock(engine::Clock& system, std::int64_t off_us) : system_(&system), off_us_(off_us) {}
  std::int64_t now_us() override {
    constexpr std::int64_t looks = 32;
    constexpr std::int64_t slow_us = 3'000;
    const std::int64_t now_us = system_->now_us() + off_us_;
    if (++looks_ % looks == 0) system_->wait_us(slow_us);
    return now_us;
  }
  void wait_us(std::int64_t duration_us) override { system_->wait_us(duration_us); }

 private:
  engine::Clock* system_;
  std::int64_t off_us_;
  std::atomic<std::int64_t> looks_ = 0;
};

class StressLog {
 public:
  // `name` has one writer at a time; it goes on where another process ended.
  StressLog(const StressPlan& plan, std::string_view name);
  ~StressLog();
  StressLog(const StressLog&) = delete;
  StressLog& operator=(const StressLog&) = delete;
  void line(std::string_view text) const;

 private:
  int file_ = -1;
};

// The numbers that follow from a seed and a name alone.
class Lots {
 public:
  Lots(std::uint64_t seed, std::string_view name);
  // In [0, below); `below` ≥ 1.
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(draw_.below(static_cast<std::uint64_t>(below)));
  }
  bool chance(std::int64_t percent) { return draw(100) < percent; }

 private:
  faults::Draw draw_;
};

std::filesystem::path service_of(const StressPlan& plan);
engine::Options engine_options(const StressPlan& plan, engine::Clock& clock);

// Lines: "a CALL VERB" a commit that was acknowledged; "e CALL VERB" the same, but another
// connection did not see it then; "r OP" a run; "o N" so many runs at once; "w" that no run began
// for a while, though fewer ran than there are workers and ops were ready; "l OP" a lease that was
// lost. Ends when the parent says a word.
inline constexpr char says_ready = 'r';
inline constexpr char says_unable = 'u';
void work(const StressPlan& plan, int worker, std::int64_t life, const faults::Child::Line& line);

// Ends by itself: `says_settled` once every op is, or `says_unsettled` when the time for that is
// over.
inline constexpr char says_settled = 's';
inline constexpr char says_unsettled = 'n';
void bring_work(const StressPlan& plan, const faults::Child::Line& line);

}  // namespace leaseproof::properties
