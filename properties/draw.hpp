// Drawing a case: its configuration, its graphs, its steps. For the draw_*.cpp files and their
// tests.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
  forget,
  // From here on only for an engine that dispatches.
  context_put,
  context_revoke,
  request_approval,
  decide,
  dispatch,
  call,
  deliver,
  reconcile,
  close
};
inline constexpr std::size_t plain_deed_count = 16;
inline constexpr std::size_t deed_count = plain_deed_count + 9;

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
  bool outside = false;  // effects, approvals and contexts
  bool steady = false;   // clocks agree and never step back
};

// draw_step.cpp.
Temper draw_temper(Dice& dice, const Config& config, const DrawOptions& options);

// draw_graph.cpp: ops of a new workflow, with ids that nothing has yet.
class GraphDrawer {
 public:
  GraphDrawer(Dice& dice, const Config& config, std::int64_t unit_us);
  std::vector<model::OpSpec> workflow(std::int64_t now_us);
  // From now on ops may have effects, and contexts of the scopes that were put; a retention only
  // where clocks are steady.
  void draw_effects(bool steady) { effects_ = true, steady_ = steady; }
  void put_scope(const std::string& scope) { scopes_.push_back(scope); }
  // Ids that are given away already.
  void take_ids(const std::vector<model::OpSpec>& ops) {
    for (const model::OpSpec& op : ops) taken_.insert(op.id);
  }
  // What a completion emits; now and then something that must be refused.
  std::vector<model::OpSpec> emitted(const std::string& parent, std::int64_t now_us);

 private:
  model::OpSpec op(std::int64_t now_us);
  model::RetryPolicy growing(model::DelayPolicy policy);
  void effect(model::OpSpec& spec, std::int64_t now_us);
  std::string fresh_id();
  void shape(std::vector<model::OpSpec>& ops);
  void spoil(std::vector<model::OpSpec>& ops);

  Dice& dice_;
  const Config& config_;
  std::int64_t unit_us_;
  int next_id_ = 0;
  std::set<std::string> taken_;
  bool effects_ = false;
  bool steady_ = false;
  std::vector<std::string> scopes_;
};

// draw_action.cpp, draw_outside.cpp and draw_step.cpp: the next step, given where the walk stands.
class StepDrawer {
 public:
  StepDrawer(Dice& dice, const Config& config, const Temper& temper, const DrawOptions& options);
  // Draws a step and plays it on the walk, with what is interleaved into it.
  Step next(std::int64_t depth = 0, bool rival = false);
  // A step that somebody else made: what is drawn next fits where it leads (draw_continuation.cpp).
  void take(const Step& step);

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
  model::Action context_put();
  model::Action context_revoke();
  model::Action request_approval();
  model::Action decide();
  model::Action dispatch();
  model::Action call();
  model::Action deliver();
  model::Action reconcile();
  model::Action close();
  void weigh_outside(std::array<int, deed_count>& weights) const;
  void boundaries_outside(std::vector<std::int64_t>& moments) const;
  model::WorkerHandle handle_where(bool (*fits)(const model::Op&));
  std::string op_where(bool (*fits)(const model::Op&));
  [[nodiscard]] std::int64_t generation_of(const model::WorkerHandle& by) const;
  std::optional<model::WorkerHandle> holder_of_receipt();
  std::optional<std::int64_t> until_late_receipt();
  std::optional<model::Heartbeat> past_the_deadline();
  [[nodiscard]] bool may_say_refused(const model::WorkerHandle& by) const;
  std::string any_op();
  std::string any_workflow();
  std::int64_t duration();
  // How far the clock must move until a moment that matters, or just before or after it.
  std::int64_t until_boundary(bool may_go_back);
  void boundaries(std::vector<std::int64_t>& moments) const;
  void disturb(Step& step, std::int64_t depth);
  void draw_fault(Step& step, std::int64_t depth);
  void draw_call_fault(Step& step, std::int64_t depth);
  void draw_disk_fault(Step& step);
  void place_on_disk(StepFault& fault);
  [[nodiscard]] bool is_hunted(const model::Action& action, std::int64_t depth) const;
  void play(Step& step, std::int64_t depth);
  void take_in(const model::Action& action);
  // Others act while a call holds the write lock: they see the state before it, and change nothing
  // but the clock and the world outside.
  template <class Act>
  void locked_out(Act act) {
    Walk before = walk_;
    act();
    before.advance(walk_.time_us() - before.time_us());
    before.take_outside(walk_);
    walk_ = std::move(before);
  }
  Step canceled_meanwhile(const std::string& op_id);

  Dice& dice_;
  const Config& config_;
  const Temper& temper_;
  const DrawOptions& options_;
  GraphDrawer graphs_;
  Walk walk_;
  std::vector<Made> made_;
  std::map<std::string, std::string> asked_;  // op → the payload that approval was asked for
  std::vector<std::int64_t> moments_;
  int next_workflow_ = 0;
};

}  // namespace leaseproof::properties
