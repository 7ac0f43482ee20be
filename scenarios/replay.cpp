#include "scenarios/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "properties/judgement.hpp"
#include "properties/runner.hpp"
#include "scenarios/expectation.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/json.hpp"
#include "scenarios/points.hpp"

namespace leaseproof::scenarios {

using properties::Step;
using properties::Violation;

namespace {

bool has_effect_or_context(const model::Action& action) {
  const auto any = [](const std::vector<model::OpSpec>& ops) {
    return std::any_of(ops.begin(), ops.end(), [](const model::OpSpec& op) {
      return op.effect.has_value() || op.context.has_value();
    });
  };
  if (const auto* start = std::get_if<model::Start>(&action)) return any(start->ops);
  if (const auto* ensure = std::get_if<model::Ensure>(&action)) return any(ensure->ops);
  if (const auto* complete = std::get_if<model::Complete>(&action)) return any(complete->emit);
  return false;
}

std::string missing_part(const model::Action& action) {
  if (has_effect_or_context(action)) return "ops with effects or contexts";
  return std::visit(
      []<class A>(const A&) -> std::string {
        if constexpr (std::is_same_v<A, model::ContextPut> ||
                      std::is_same_v<A, model::ContextRevoke>) {
          return "contexts";
        } else if constexpr (std::is_same_v<A, model::RequestApproval> ||
                             std::is_same_v<A, model::Decide>) {
          return "approvals";
        } else if constexpr (std::is_same_v<A, model::Dispatch> || std::is_same_v<A, model::Call> ||
                             std::is_same_v<A, model::Deliver> ||
                             std::is_same_v<A, model::Reconcile> ||
                             std::is_same_v<A, model::Close>) {
          return "effects";
        } else {
          return "a call that this engine does not speak";
        }
      },
      action);
}

std::string unsupported_in(const std::vector<Step>& steps, std::vector<PlaceItem>& way,
                           const properties::Sut& sut) {
  way.push_back({"steps", 0});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    way.back().index = i;
    const Step& step = steps[i];
    const auto needs = [&](const std::string& what) {
      return fmt::format("{} '{}' needs {}", place_text(way), model::do_word(step.action), what);
    };
    if (!properties::takes_part(sut, step.action)) {
      return needs(missing_part(step.action));
    }
    if (!step.fault) continue;
    const faults::Plan& plan = step.fault->plan;
    if (const std::string what = beyond(plan, sut); !what.empty()) return needs(what);
    std::string inner = unsupported_in(step.fault->steps, way, sut);
    if (!inner.empty()) return inner;
  }
  way.pop_back();
  return {};
}

std::string beside_the_record(const Scenario& scenario, const std::optional<Violation>& seen) {
  if (!scenario.violation) return {};
  const std::string& recorded = scenario.violation->invariant;
  if (!seen) return fmt::format("the recorded violation of {} does not occur", recorded);
  if (seen->invariant == recorded)
    return fmt::format("the recorded violation of {} occurs", recorded);
  return fmt::format("the file records another violation, of {}", recorded);
}

}  // namespace

namespace {
bool any_needs_disk(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.fault && (faults::needs_disk(step.fault->plan.point, step.fault->plan.kind) ||
                          any_needs_disk(step.fault->steps));
  });
}
}  // namespace

bool needs_disk(const Scenario& scenario) { return any_needs_disk(scenario.steps); }

std::string unsupported(const Scenario& scenario, const properties::Sut& sut) {
  for (const model::Queue& queue : scenario.config.queues) {
    if (!sut.speaks(queue)) {
      return fmt::format("config, queue '{}' needs a call that this engine does not speak",
                         queue.queue);
    }
  }
  std::vector<PlaceItem> way;
  return unsupported_in(scenario.steps, way, sut);
}

Replay replay(const Scenario& scenario, const properties::Rig& rig) {
  Replay result;
  result.reason = unsupported(scenario, *rig.sut);
  if (!result.reason.empty()) {
    result.verdict = Verdict::unsupported;
    return result;
  }
  if (scenario.steps.empty()) {
    result.verdict = Verdict::not_followed;
    result.reason = "it has no steps, so nothing ran";
    return result;
  }

  CourseRecorder recorder(scenario.config);
  const properties::Runner* running = nullptr;
  properties::RunnerOptions options;
  options.check_expectation = check_expect;
  options.decode = decoder_for(*rig.sut);
  options.shows_fair_steps = true;
  options.on_call = [&recorder](const properties::CallSeen& seen) { recorder.see(seen); };
  options.on_step = [&](std::size_t, const Step&, const model::Outcome&,
                        const model::Observation&) {
    recorder.close(&running->observed(), running->state());
  };
  properties::Runner runner(*rig.sut, *rig.clock, std::move(options));
  running = &runner;
  runner.begin(scenario.config);
  recorder.begin(runner.observed());
  for (const Step& step : scenario.steps) {
    result.violation = runner.step(step);
    if (result.violation) break;
  }
  // Where nothing can be observed any more, the last step has not been closed.
  recorder.close(nullptr, runner.state());
  if (!result.violation) {
    std::string why = check_finally(scenario.finally, runner.observed());
    if (!why.empty()) {
      result.violation.emplace();
      result.violation->invariant = properties::as_expected;
      result.violation->step = scenario.steps.size();
      result.violation->why = std::move(why);
    }
  }
  if (!result.violation) {
    recorder.settle();
    result.violation = runner.finish();
    // A schedule that settled everything has nothing to tell.
    if (!result.violation) recorder.forget_fair_steps();
  }
  result.course = recorder.take();
  result.tally = runner.tally();

  result.reason = beside_the_record(scenario, result.violation);
  if (result.violation) result.verdict = Verdict::violation;
  return result;
}

}  // namespace leaseproof::scenarios
