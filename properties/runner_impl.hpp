// The rooms of the runner, for its own .cpp files: playing a step (runner_play.cpp), judging it
// (runner_judge.cpp), and letting everything settle (liveness.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/rules.hpp"
#include "properties/coverage.hpp"
#include "properties/handles.hpp"
#include "properties/history.hpp"
#include "properties/judgement.hpp"
#include "properties/outside.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {

inline bool at_committed(const StepFault& fault) {
  return faults::place_of(fault.plan.point) == faults::Place::committed ||
         fault.plan.point == faults::observer_notify;
}

struct Cursors {
  std::int64_t engine = 0;
  std::int64_t model = 0;
};

class Runner::Impl {
 public:
  Impl(Sut& sut, SimClock& clock, RunnerOptions options);

  void begin(const Config& config);
  std::optional<Violation> step(const Step& step);
  std::optional<Violation> finish(bool liveness);

  // One call with its fault, from the moment it is sent until its answer is in.
  struct Call {
    explicit Call(const Step& s) : step(s) {}
    const Step& step;
    model::Given given;
    std::int64_t base_us = 0;  // common time when it asked for the lock
    std::int64_t cursor_model = 0;
    bool locked_out = false;
    bool entered_late = false;  // interleaved steps ran after it had the lock
    std::optional<model::Outcome> expected;
    // Kept only where somebody wants to see the call.
    std::optional<model::State> before;
    std::optional<model::State> after;
    std::optional<Stood> stood;  // the op that it names, when the model was asked
    std::size_t fact = 0;        // its place among the calls of the step
    bool listed = false;
  };

  // Plays a step to its end; the answer stands in the fact at the index that it returns.
  std::size_t play(const Step& step, bool locked_out, std::int64_t depth);
  std::size_t play_harness(const Step& step, std::int64_t depth);
  std::size_t play_restart(const Step& step);
  std::size_t play_call(const Step& step, bool locked_out, std::int64_t depth);
  bool strikes(const Step& step, faults::Point point, bool locked_out, std::int64_t depth);
  std::size_t play_engine(const Step& step, bool locked_out, std::int64_t depth);
  void interleave(Call& call, std::int64_t depth);
  void set_moment(Call& call);
  void expect_model(Call& call);
  void ask_model(Call& call);
  void show(const CallFact& fact) const;
  void show(const CallFact& fact, const Call& call) const;
  // Where the op that the action names stands now, by the model.
  [[nodiscard]] Stood stood(const model::Action& action) const;
  void count_cell(const CallFact& fact, Stood stood);
  void equip(Call& call);
  void hear(const CallFact& fact);
  [[nodiscard]] const model::EffectSpec* effect_of(const model::Action& action) const;
  std::size_t list(Call& call, std::int64_t depth);
  // Whether the fault of the step fired; counted either way.
  bool count_fault(const Step& step, std::int64_t fired);
  void conclude(Call& call, Reply& reply);
  void conclude_locked_out(Call& call, CallFact& fact);
  void conclude_by_disk(Call& call, CallFact& fact);
  void conclude_restart(const CallFact& fact);
  void look_what_was_lost();
  [[nodiscard]] bool may_fall_back() const {
    return config_.synchronous == Synchronous::normal && sut_.has_disk();
  }
  void fall_back(const model::Observation& found);
  void reopen();
  std::optional<Violation> judge_loss();
  std::size_t answer(const Step& step, std::int64_t depth, model::Outcome outcome);

  const model::Observation& look(bool in_full);
  // Judges what the step did; the first row of the table that is violated wins.
  std::optional<Violation> judge(const Step& step);
  void find_changes(const model::Observation& after);
  void remember();
  void differ(const CallFact& fact, const model::Outcome& expected, std::string why);
  void check_expectation(const CallFact& fact);
  Violation violation(std::string_view name, std::string why);

  std::optional<Violation> settle();
  std::optional<Violation> settle_step(model::Action action);

  Sut& sut_;
  SimClock& clock_;
  RunnerOptions options_;
  Config config_;

  model::State state_;
  Handles handles_;
  std::unordered_map<std::string, Cursors> cursors_;
  Outside outside_;
  History history_;
  Tally tally_;
  CellCounts cells_;

  std::size_t index_ = 0;  // of the top-level step that is played
  std::int64_t until_full_ = 0;
  std::int64_t fresh_ids_ = 0;
  bool restart_due_ = false;
  bool reopened_ = false;  // before its answer was judged, to see what it left
  std::string damage_;     // what a fault at the disk left cannot be opened or is not sound
  // With `synchronous` normal a loss of power may take commits with it, the newest first: where the
  // model stood before each step, and whether some were taken, which ends the case.
  std::vector<model::State> past_;
  bool fell_back_ = false;
  std::optional<Violation> refused_;  // from `begin`, told with the first step

  // Of the step that is played.
  std::vector<CallFact> calls_;
  std::vector<OpChange> op_changes_;
  std::vector<WorkflowChange> workflow_changes_;
  std::vector<JournalEvent> events_;
  const model::Observation* after_ = nullptr;
  model::Observation filled_;  // where the engine does not show all
  std::string difference_;
  std::string unexpected_;
  std::optional<model::Outcome> differing_expected_;
  std::optional<model::Outcome> differing_observed_;

  // What was observed last, for comparison with what comes next.
  model::Observation seen_;
  std::int64_t last_seq_ = 0;
  std::int64_t last_call_ = 0;

  // Scratch of the fair schedule.
  Step fair_step_;
};

}  // namespace leaseproof::properties
