#include <algorithm>
#include <utility>
#include <variant>

#include "properties/draw.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

// What later draws go by, apart from the walk.
void StepDrawer::take_in(const model::Action& action) {
  if (const auto* ensure = std::get_if<model::Ensure>(&action)) {
    graphs_.take_ids(ensure->ops);
    made_.push_back({*ensure, false});
  } else if (const auto* start = std::get_if<model::Start>(&action)) {
    graphs_.take_ids(start->ops);
    const bool by_start = start->workflow.has_value();
    made_.push_back(
        {{start->workflow, start->package, "null", start->input, start->ops}, by_start});
  } else if (const auto* complete = std::get_if<model::Complete>(&action)) {
    graphs_.take_ids(complete->emit);
  } else if (const auto* put = std::get_if<model::ContextPut>(&action)) {
    graphs_.put_scope(put->scope);
  } else if (const auto* request = std::get_if<model::RequestApproval>(&action)) {
    asked_[request->by.op] = request->payload;
  }
}

void StepDrawer::take(const Step& step) {
  take_in(step.action);
  if (!step.fault || step.fault->plan.kind != faults::Kind::interleave) {
    walk_.play(step);
    return;
  }
  const std::optional<faults::Place> place = faults::place_of(step.fault->plan.point);
  const bool acted =
      place == faults::Place::committed || step.fault->plan.point == faults::effect_after_call;
  const bool locked = place == faults::Place::write || place == faults::Place::commit;
  Step bare = step;
  bare.fault.reset();
  if (acted) walk_.play(bare);
  for (const Step& inner : step.fault->steps) {
    if (locked) {
      locked_out([&] { take(inner); });
    } else {
      take(inner);
    }
  }
  if (!acted) walk_.play(bare);
}

namespace {
void add_workers(const std::vector<Step>& steps, std::vector<std::string>& workers) {
  for (const Step& step : steps) {
    const std::string* worker = worker_of(step.action);
    if (worker != nullptr && std::count(workers.begin(), workers.end(), *worker) == 0) {
      workers.push_back(*worker);
    }
    if (step.fault) add_workers(step.fault->steps, workers);
  }
}
}  // namespace

Case continue_case(Case begun, std::size_t more, std::uint64_t seed, const DrawOptions& options) {
  Dice dice{rc::Random(seed)};
  Temper temper = draw_temper(dice, begun.config, options);
  std::vector<std::string> workers;
  add_workers(begun.steps, workers);
  for (const std::string& other : temper.workers) {
    const bool enough = workers.size() >= temper.workers.size();
    if (!enough && std::count(workers.begin(), workers.end(), other) == 0) workers.push_back(other);
  }
  temper.workers = std::move(workers);
  StepDrawer drawer(dice, begun.config, temper, options);
  for (const Step& step : begun.steps) drawer.take(step);
  for (std::size_t i = 0; i < more; ++i) begun.steps.push_back(drawer.next());
  return begun;
}

}  // namespace leaseproof::properties
