// A `Sut` over the model itself, for tests: what the runner and the invariants do can be tested
// without an engine, and bugs can be planted one at a time.
//
// Promise: hits the fault points of the registry as an engine does (begin on each try, write after
// a change, commit, committed), refuses writers while one holds the lock, and keeps a journal.
// Without a planted bug no invariant may find anything in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rules.hpp"
#include "properties/journal_replay.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

// Hooks for planting a bug; each may be empty.
struct Bug {
  // Before the rules: may change the call as the engine understands it.
  std::function<void(const model::State&, model::Action&, model::Given&)> mishear;
  // Instead of the rules, where it answers something.
  std::function<std::optional<model::Outcome>(model::State&, const model::Action&,
                                              const model::Given&)>
      instead;
  // After the rules, inside the same transaction.
  std::function<void(model::State& after, const model::State& before, const model::Action&,
                     const model::Given&, model::Outcome&)>
      spoil;
  // What is observed.
  std::function<void(model::Observation&)> misreport;
  // What the journal says of one call.
  std::function<void(std::vector<JournalEvent>&)> misrecord;
  // Reads the clock before it waits for the lock.
  bool early_clock = false;
  // Loses what was committed when the process dies just after COMMIT.
  bool forgets_commit = false;
};

class ModelSut : public Sut {
 public:
  explicit ModelSut(SimClock& clock, Bug bug = {}) : clock_(clock), bug_(std::move(bug)) {}

  void reset(const Config& config) override;
  Reply apply(const CallFrame& frame) override;
  Reopened restart(const StepFault* /*fault*/) override {
    ++restarts_;
    return {};
  }
  const model::Observation& observe() override;
  const model::Observation& observe_in_full() override { return observe(); }
  void journal(std::int64_t after, std::vector<JournalEvent>& out) override;
  [[nodiscard]] bool speaks(const model::Action& action) const override;
  [[nodiscard]] std::string_view name() const override { return "model"; }

  [[nodiscard]] std::int64_t restarts() const { return restarts_; }
  // Turns an event of this engine's journal back into its call.
  [[nodiscard]] JournalDecoder decoder();

 private:
  model::Outcome transaction(const CallFrame& frame, std::optional<faults::Call> call,
                             Reply& reply);
  model::Outcome run(model::State& state, const CallFrame& frame, model::Given& given);
  void record(const model::State& before, const model::State& after, const model::Action& action,
              const model::Given& given, const model::Outcome& outcome, const model::Trail& trail);

  SimClock& clock_;
  Bug bug_;
  model::State durable_;
  std::int64_t busy_tries_ = 3;
  bool locked_ = false;
  std::int64_t calls_ = 0;
  std::int64_t restarts_ = 0;
  std::vector<JournalEvent> journal_;
  std::vector<DecodedCall> recorded_;  // `detail` of a call's first event is an index into it
  model::Observation observed_;
  bool stale_ = true;
};

}  // namespace leaseproof::properties
