#include "properties/runner.hpp"

#include <utility>

#include "properties/goals.hpp"
#include "properties/invariants.hpp"
#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

namespace {
// Whether those who act fairly find what they need: without, nothing settles and nothing is proved.
bool settles(const Sut& sut) {
  const bool works =
      sut.speaks(model::Refresh{}) && sut.speaks(model::Lease{}) && sut.speaks(model::Complete{});
  if (!works || !dispatches(sut)) return works;
  return sut.speaks(model::Fail{}) && sut.speaks(model::RequestApproval{}) &&
         sut.speaks(model::Decide{}) && sut.speaks(model::Reconcile{}) &&
         sut.speaks(model::Close{});
}

bool is_outside(const model::Action& action) {
  return std::holds_alternative<model::ContextPut>(action) ||
         std::holds_alternative<model::ContextRevoke>(action) ||
         std::holds_alternative<model::RequestApproval>(action) ||
         std::holds_alternative<model::Decide>(action) ||
         std::holds_alternative<model::Dispatch>(action) ||
         std::holds_alternative<model::Reconcile>(action) ||
         std::holds_alternative<model::Close>(action);
}

template <std::size_t... I>
bool speaks_all(const Sut& sut, std::index_sequence<I...> /*kinds of action*/) {
  const auto speaks = [&](const model::Action& action) {
    return is_harness(action) || (is_outside(action) && !dispatches(sut)) || sut.speaks(action);
  };
  return (speaks(std::variant_alternative_t<I, model::Action>{}) && ...);
}
bool speaks_all(const Sut& sut) {
  return speaks_all(sut, std::make_index_sequence<std::variant_size_v<model::Action>>{});
}

// Tells at which step it was that the engine gave up.
template <class Act>
auto at_step(std::size_t step, Act act) {
  try {
    return act();
  } catch (SutFailed& failed) {
    failed.step = step;
    throw;
  }
}
}  // namespace

Runner::Impl::Impl(Sut& sut, SimClock& clock, RunnerOptions options)
    : sut_(sut), clock_(clock), options_(std::move(options)) {
  tally_.goals.resize(goal_count);
  tally_.judged.resize(invariant_count);
  tally_.violated.resize(invariant_count);
  tally_.dispatches = dispatches(sut);
  tally_.disk = sut.has_disk();
  tally_.whole = speaks_all(sut);
  for (std::size_t point = 0; point < tally_.within_reach.size(); ++point) {
    for (std::size_t kind = 0; kind < tally_.within_reach[point].size(); ++kind) {
      tally_.within_reach[point][kind] =
          sut.can_be_hit(static_cast<faults::Point>(point), static_cast<faults::Kind>(kind));
    }
  }
}

void Runner::Impl::begin(const Config& config) {
  config_ = config;
  clock_.time_us = 0;
  clock_.skew_us = 0;
  clock_.last_read_us = 0;
  sut_.reset(config);

  state_ = model::State{};
  state_.settings.clock_slack_us = config.clock_slack_us;
  handles_.clear();
  outside_.clear(config.clock_slack_us);
  cursors_.clear();
  history_.clear();
  seen_ = model::Observation{};
  last_seq_ = 0;
  last_call_ = 0;
  index_ = 0;
  until_full_ = options_.full_observation_every;
  fresh_ids_ = 0;
  restart_due_ = false;
  damage_.clear();
  past_.clear();
  fell_back_ = false;
  refused_.reset();
  ++tally_.runs;

  for (const model::Queue& queue : config.queues) {
    Step step;
    step.action = queue;
    if (may_fall_back()) past_.push_back(state_);
    calls_.clear();
    play(step, false, 0);
    const bool refused = calls_.front().word() != model::Word::ok;
    const std::string why = calls_.front().outcome.why;
    std::optional<Violation> found = judge(step);
    if (!found && refused) {
      found =
          violation(as_expected, "the queue " + queue.queue + " of the config was refused: " + why);
    }
    if (found && !refused_) refused_ = std::move(found);
  }
}

std::optional<Violation> Runner::Impl::step(const Step& step) {
  if (refused_) {
    std::optional<Violation> found = std::move(refused_);
    refused_.reset();
    return found;
  }
  if (fell_back_) return std::nullopt;
  if (may_fall_back()) past_.push_back(state_);
  calls_.clear();
  const std::size_t top = play(step, false, 0);
  if (restart_due_ && !reopened_) reopen();
  restart_due_ = false;
  reopened_ = false;
  if (!damage_.empty()) return judge_loss();
  if (fell_back_) {
    if (options_.on_step) options_.on_step(index_, step, calls_[top].outcome, seen_);
    return std::nullopt;
  }
  std::optional<Violation> found = judge(step);
  if (options_.on_step) options_.on_step(index_, step, calls_[top].outcome, *after_);
  if (!found) ++index_;
  return found;
}

std::optional<Violation> Runner::Impl::finish(bool liveness) {
  if (refused_) return step(Step{});
  if (fell_back_) return std::nullopt;
  if (options_.decode && sut_.has_journal()) {
    events_.clear();
    sut_.journal(0, events_);
    const auto found = [&](std::string_view row, std::string why) {
      ++tally_.violated[*find_invariant(row)];
      after_ = &sut_.observe();
      return violation(row, std::move(why));
    };
    Readings expected;
    std::string why =
        replay_journal(events_, options_.decode, state_.settings, look(true), &expected);
    if (!why.empty()) return found("journal_is_truth", std::move(why));
    if (const auto seen = sut_.readings(expected)) {
      why = first_difference(expected, *seen);
      if (!why.empty()) return found("conforms_to_model", std::move(why));
    }
  }
  if (!liveness || !settles(sut_)) return std::nullopt;
  return settle();
}

Runner::Runner(Sut& sut, SimClock& clock, RunnerOptions options)
    : impl_(std::make_unique<Impl>(sut, clock, std::move(options))) {}
Runner::~Runner() = default;

void Runner::begin(const Config& config) {
  at_step(0, [&] { impl_->begin(config); });
}
std::optional<Violation> Runner::step(const Step& step) {
  return at_step(impl_->index_ + 1, [&] { return impl_->step(step); });
}
std::optional<Violation> Runner::finish(bool liveness) {
  return at_step(impl_->index_ + 1, [&] { return impl_->finish(liveness); });
}

std::optional<Violation> Runner::run(const Config& config, const std::vector<Step>& steps,
                                     bool liveness) {
  begin(config);
  for (const Step& step : steps) {
    std::optional<Violation> found = this->step(step);
    if (found) return found;
  }
  return finish(liveness);
}

const model::Observation& Runner::observed() const { return impl_->seen_; }
const model::State& Runner::state() const { return impl_->state_; }
const Tally& Runner::tally() const { return impl_->tally_; }
Tally& Runner::tally() { return impl_->tally_; }
std::vector<CellCount> Runner::take_cells() { return impl_->cells_.take(); }

std::optional<std::size_t> Runner::first_unspoken(const Sut& sut, const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (!takes_part(sut, step.action)) return i;
    if (step.fault && first_unspoken(sut, step.fault->steps)) return i;
  }
  return std::nullopt;
}

}  // namespace leaseproof::properties
