// Asks the outside service, again and again, about writes of which nobody knows whether they exist.
//
// Promise: `Reconciler` does one bounded pass a call at its host's pace, `BackgroundReconciler`
// does them on a thread of the scheduler. They only ever read from the service: a write that is not
// found stays unknown, because absence is no proof, and the pauses between two questions about it
// grow. `opaque` services cannot be asked and wait for a person.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/effects/service.hpp"
#include "engine/engine.hpp"
#include "engine/scheduler/ticker.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine {

// The pause after the n-th question that found nothing: `base_us` · 2ⁿ⁻¹, at most `cap_us`.
struct ReconcilerPauses {
  std::int64_t base_us = 1'000'000;
  std::int64_t cap_us = 300'000'000;
};

class Reconciler {
 public:
  // All three must outlive the reconciler.
  Reconciler(Engine& engine, effects::Service& service, Clock& clock, ReconcilerPauses pauses = {});

  struct Pass {
    model::Outcome outcome;  // `ok`, or why the engine could not be read
    std::int64_t asked = 0;
    std::int64_t confirmed = 0;
    // When the next question is due, or nothing when no question is open.
    std::optional<std::int64_t> next_us;
  };
  // Asks about each op whose question is due now.
  Pass pass();

 private:
  struct Question {
    std::int64_t asked = 0;
    std::int64_t due_us = 0;
  };
  [[nodiscard]] std::int64_t pause_us(std::int64_t asked) const;

  Engine* engine_;
  effects::Service* service_;
  Clock* clock_;
  ReconcilerPauses pauses_;
  std::map<std::string, Question> questions_;  // by op
};

class BackgroundReconciler {
 public:
  // Looks for new unknown writes at least every `idle_us`. All three must outlive the reconciler,
  // and the service is asked from its thread.
  BackgroundReconciler(Engine& engine, effects::Service& service, Clock& clock,
                       ReconcilerPauses pauses = {}, std::int64_t idle_us = 1'000'000);
  // There may be something to ask about now; for an observer of the engine.
  void wake() { ticker_.wake(); }

 private:
  Reconciler reconciler_;
  Ticker ticker_;  // last: its thread uses the reconciler
};

}  // namespace leaseproof::engine
