// The model walked along while a case is drawn, so that what is drawn next fits where it stands.
//
// Promise: a good guess, not a verdict: it plays faults by their rule in TRACE 3, and takes for
// granted that a point is reached exactly if something changed. Nothing judges by it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/rules.hpp"
#include "properties/handles.hpp"
#include "properties/outside.hpp"
#include "properties/step.hpp"

namespace leaseproof::properties {

class Walk {
 public:
  explicit Walk(const Config& config);

  // Plays a step without its interleaved steps.
  model::Outcome play(const Step& step);
  void advance(std::int64_t by_us) { time_us_ += by_us; }
  // What happened outside while the engine stood still for everybody else.
  void take_outside(const Walk& other) { outside_ = other.outside_; }

  [[nodiscard]] const model::State& state() const { return state_; }
  [[nodiscard]] std::int64_t time_us() const { return time_us_; }
  [[nodiscard]] const Handles& handles() const { return handles_; }
  [[nodiscard]] const Outside& outside() const { return outside_; }

 private:
  model::Outcome play_harness(const Step& step);
  // The process of the step's worker dies.
  void bury(const Step& step);

  model::State state_;
  Handles handles_;
  Outside outside_;
  std::unordered_map<std::string, std::int64_t> cursors_;
  std::int64_t time_us_ = 0;
  std::int64_t busy_tries_ = 3;
};

}  // namespace leaseproof::properties
