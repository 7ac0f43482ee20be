// Runs one interleaving against a system under test, with the model in step and every invariant
// judged after every step.
//
// Promise: the runner owns what is outside an engine (clock, handles, cursors, the outside
// service), so that the same steps mean the same on every `Sut`; it adds no rule of its own. Same
// steps, same verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/state.hpp"
#include "model/vocabulary.hpp"
#include "properties/coverage.hpp"
#include "properties/journal_replay.hpp"
#include "properties/step.hpp"
#include "properties/sut.hpp"
#include "properties/tally.hpp"
#include "properties/violation.hpp"

namespace leaseproof::properties {

struct CallFact;
class Outside;

// A call, or a move of the harness, once its answer is in. All references die with the callback.
struct CallSeen {
  const CallFact& fact;
  std::int64_t common_us;  // where the common clock stood at the moment that it was judged by
  // The model on either side of it, for who wants to know why.
  const model::State& before;
  const model::State& after;
  const Outside& outside;
  const model::Outcome* expected;  // what the model answers; null where it was not asked
};

struct RunnerOptions {
  // Compare every reply and every observed field with the model. Off only where a test wants to
  // know whether the invariants alone would have noticed.
  bool compare_with_model = true;
  // Every n-th step, and at the end of a run, the state is read back in full.
  std::int64_t full_observation_every = 16;
  // Checks `Step::expect`; answers an empty text or the sentence that says what differs. The codec
  // gives it, because expectations are JSON.
  std::function<std::string(const Step&, const model::Outcome&)> check_expectation;
  // Called after each top-level step, before it is judged: what a table of steps prints.
  std::function<void(std::size_t, const Step&, const model::Outcome&, const model::Observation&)>
      on_step;
  // Called for each call and each move of the harness, the interleaved ones too, and before the one
  // that they were interleaved into.
  std::function<void(const CallSeen&)> on_call;
  // Whether both are called for the steps of the fair schedule too.
  bool shows_fair_steps = false;
  // Turns one event of the journal back into the call that it records; without it the journal is
  // not replayed in `finish`. The codec gives it, because details are JSON.
  JournalDecoder decode;
};

class Runner {
 public:
  Runner(Sut& sut, SimClock& clock, RunnerOptions options = {});
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Empties the engine, sends the queues of the config. A refused queue is a violation of the first
  // step that follows.
  void begin(const Config& config);
  // One step, with its fault and its interleaved steps, then the judgement.
  std::optional<Violation> step(const Step& step);
  // Faults have stopped: the journal is judged as a whole, then workers and operators act fairly
  // until every op is settled, within a bound that depends on the number of ops and attempts.
  std::optional<Violation> finish(bool liveness = true);
  // begin, each step, finish; stops at the first violation.
  std::optional<Violation> run(const Config& config, const std::vector<Step>& steps,
                               bool liveness = true);

  [[nodiscard]] const model::Observation& observed() const;
  [[nodiscard]] const model::State& state() const;
  [[nodiscard]] const Tally& tally() const;
  [[nodiscard]] Tally& tally();
  // The cells that its runs reached since this was asked last. Runs go on counting until then.
  std::vector<CellCount> take_cells();
  // The first step that the engine takes no part in, or nothing. Checked before a run (TRACE 5).
  [[nodiscard]] static std::optional<std::size_t> first_unspoken(const Sut& sut,
                                                                 const std::vector<Step>& steps);

  // The rooms behind it (runner_impl.hpp).
  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace leaseproof::properties
