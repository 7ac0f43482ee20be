// Drawing a case: its configuration, its graphs, its steps. For the draw_*.cpp files and their
// tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case.hpp"
#include "properties/dice.hpp"
#include "properties/generators.hpp"
#include "properties/walk.hpp"

namespace leaseproof::properties {

// The kinds of action that a case draws from, each switched on or off for the whole case.
enum class Deed : std::uint8_t {
  create,
  queue,
  refresh,
  lease,
  heartbeat,
  checkpoint,
  complete,
  fail,
  retry,
  cancel,
  snapshot,
  page,
  observe,
  advance,
  restart,
  forget
};
inline constexpr std::size_t deed_count = 16;

// What holds for a whole case.
struct Temper {
  std::array<bool, deed_count> on{};
  std::vector<std::string> workers;
  std::string shared_owner;  // not empty: the first two workers go by this name
  std::int64_t unit_us = 1;  // what short durations are multiples of
  std::uint64_t fault_percent = 0;
  std::uint64_t skew_percent = 0;
  std::uint64_t wait_percent = 0;
  std::uint64_t back_percent = 0;  // of advances: the clock steps back
  std::size_t length = 10;
};

// draw_graph.cpp: ops of a new workflow, with ids that nothing has yet.
class GraphDrawer {
 public:
  GraphDrawer(Dice& dice, const Config& config, std::int64_t unit_us);
  std::vector<model::OpSpec> workflow(std::int64_t now_us);
  // What a completion emits; now and then something that must be refused.
  std::vector<model::OpSpec> emitted(const std::string& parent, std::int64_t now_us);

 private:
  model::OpSpec op(std::int64_t now_us);
  std::string fresh_id();
  void shape(std::vector<model::OpSpec>& ops);
  void spoil(std::vector<model::OpSpec>& ops);

  Dice& dice_;
  const Config& config_;
  std::int64_t unit_us_;
  int next_id_ = 0;
};

// draw_action.cpp and draw_step.cpp: the next step, given where the walk stands.
class StepDrawer {
 public:
  StepDrawer(Dice& dice, const Config& config, const Temper& temper, const DrawOptions& options);
  // Draws a step and plays it on the walk, with what is interleaved into it.
  Step next(std::int64_t depth = 0, bool rival = false);

 private:
  struct Made {
    model::Ensure ensure;
    bool by_start = false;
  };

  Deed deed(bool rival);
  model::Action action(Deed deed);
  model::Action create();
  model::Action queue();
  model::Action lease();
  model::Action retry();
  model::Action advance();
  model::WorkerHandle handle();
  model::Action heartbeat();
  model::Action checkpoint();
  model::Action complete();
  model::Action fail();
  std::string any_op();
  std::string any_workflow();
  std::int64_t duration();
  // How far the clock must move until a moment that matters, or just before or after it.
  std::int64_t until_boundary(bool may_go_back);
  void boundaries(std::vector<std::int64_t>& moments) const;
  void disturb(Step& step, std::int64_t depth);
  bool draw_fault(Step& step, std::int64_t depth);
  void play(Step& step, std::int64_t depth);

  Dice& dice_;
  const Config& config_;
  const Temper& temper_;
  const DrawOptions& options_;
  GraphDrawer graphs_;
  Walk walk_;
  std::vector<Made> made_;
  std::vector<std::int64_t> moments_;
  int next_workflow_ = 0;
};

// The point of the registry that the first hit of this action's call comes by, or nothing.
std::optional<faults::Call> fault_call(const model::Action& action);

}  // namespace leaseproof::properties
