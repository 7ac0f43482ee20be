// Checks that the runner hands each worker and the engine exactly what they hold or are told of the
// outside world, that the fair schedule settles what waits for it, and that what is drawn of it is
// honest. The service itself is outside_test.cpp's subject, the engine here is the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "properties/generators.hpp"
#include "properties/planted.hpp"
#include "properties/walk.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using model::Contract;
using model::FailKind;
using model::OpStatus;
using model::Outcome;
using model::ServiceMode;
using model::Word;

// What the top-level steps answered, and what was observed last.
struct Played {
  explicit Played(const std::vector<Step>& steps) : sut(clock) {
    RunnerOptions options;
    options.decode = sut.decoder();
    options.on_step = [this](std::size_t, const Step&, const Outcome& outcome,
                             const model::Observation&) { outcomes.push_back(outcome); };
    runner = std::make_unique<Runner>(sut, clock, std::move(options));
    const auto found = runner->run({}, steps, false);
    if (found) ADD_FAILURE() << found->invariant << " at " << found->step << ": " << found->why;
  }
  [[nodiscard]] Word word(std::size_t from_the_end) const {
    return outcomes.at(outcomes.size() - from_the_end).word;
  }
  [[nodiscard]] const model::OpView& op() const { return runner->observed().ops.at("a"); }

  SimClock clock;
  ModelSut sut;
  std::unique_ptr<Runner> runner;
  std::vector<Outcome> outcomes;
};

std::vector<Step> dispatched(Contract contract, std::vector<Step> more) {
  std::vector<Step> steps{ensure("w", {effect_op("a", contract)}), refresh(), lease("A"),
                          dispatch("A", "a")};
  for (Step& step : more) steps.push_back(std::move(step));
  return steps;
}

TEST(TheRunner, completes_with_the_receipt_that_the_worker_holds) {
  const Played without(dispatched(Contract::opaque, {complete("A", "a")}));
  EXPECT_EQ(without.word(1), Word::receipt_required);
  const Played with(dispatched(Contract::opaque, {call("A", "a"), complete("A", "a")}));
  EXPECT_EQ(with.op().status, OpStatus::succeeded);
  EXPECT_EQ(with.op().effect->receipt, "receipt-a-1");
  EXPECT_EQ(with.runner->observed().writes.begin()->second, 1);
}

TEST(TheRunner, keeps_permits_and_receipts_over_a_restart_and_not_over_a_death) {
  const Played restarted(
      dispatched(Contract::opaque, {restart(), call("A", "a"), restart(), complete("A", "a")}));
  EXPECT_EQ(restarted.word(1), Word::ok);
  const Played dead(dispatched(Contract::opaque, {forget("A"), call("A", "a")}));
  EXPECT_EQ(dead.word(1), Word::invalid);
}

TEST(TheRunner, lets_receipts_die_with_their_worker_however_it_dies) {
  const Step crash = with_fault(heartbeat("A", "a"), faults::Call::heartbeat, faults::Place::commit,
                                faults::Kind::crash);
  for (const Step& death : {forget("A"), crash}) {
    const Played played(dispatched(
        Contract::idempotent,
        {call("A", "a"), death, advance(lease_us), refresh(), lease("A"), complete("A", "a")}));
    EXPECT_EQ(played.word(1), Word::receipt_required);
  }
}

Step at_service(Step made, faults::Point point, std::vector<Step> meanwhile = {}) {
  StepFault& fault = made.fault.emplace();
  fault.plan.point = point;
  fault.plan.kind = meanwhile.empty() ? faults::Kind::crash : faults::Kind::interleave;
  fault.steps = std::move(meanwhile);
  return made;
}

TEST(TheRunner, lets_a_worker_die_on_either_side_of_its_call) {
  const std::vector<Step> after{advance(lease_us), refresh(), reconcile("a")};
  for (const auto point : {faults::effect_before_call, faults::effect_after_call}) {
    const bool sent = point == faults::effect_after_call;
    std::vector<Step> steps =
        dispatched(Contract::queryable, {at_service(call("A", "a"), point), complete("A", "a")});
    steps.insert(steps.end(), after.begin(), after.end());
    const Played played(steps);
    EXPECT_EQ(played.word(5), Word::crashed);
    EXPECT_EQ(played.word(4), Word::invalid) << "its handles outlived it";
    EXPECT_EQ(played.word(1), sent ? Word::confirmed : Word::unknown);
    EXPECT_EQ(played.runner->observed().writes.size(), sent ? 1U : 0U);
    EXPECT_EQ(played.runner->tally().fired[point][static_cast<std::size_t>(faults::Kind::crash)],
              1);
  }
}

TEST(TheRunner, lets_others_act_on_either_side_of_a_call) {
  const Played slept(dispatched(
      Contract::opaque,
      {at_service(call("A", "a"), faults::effect_before_call, {advance(lease_us), refresh()})}));
  EXPECT_EQ(slept.word(1), Word::permit_expired);
  EXPECT_TRUE(slept.runner->observed().writes.empty());
  EXPECT_EQ(slept.op().status, OpStatus::reconciling);
  const Played overtaken(
      dispatched(Contract::queryable,
                 {at_service(call("A", "a"), faults::effect_after_call,
                             {complete("A", "a"), advance(lease_us), refresh(), reconcile("a")})}));
  EXPECT_EQ(overtaken.word(1), Word::receipt);
  EXPECT_EQ(overtaken.op().status, OpStatus::effect_confirmed)
      << "the receipt was used before it was heard";
}

TEST(TheRunner, counts_the_fault_of_a_call_that_is_never_made_as_not_fired) {
  std::vector<Step> steps{ensure("w", {effect_op("a", Contract::opaque)}), refresh(), lease("A"),
                          at_service(call("A", "a"), faults::effect_before_call)};
  const Played played(steps);
  EXPECT_EQ(played.word(1), Word::invalid);
  EXPECT_EQ(played.runner->tally().not_fired, 1);
}

// What is drawn next goes by the walk: it lets die who would die.
TEST(TheWalk, lets_nobody_die_of_a_call_that_is_never_made) {
  for (const bool made : {true, false}) {
    Walk walk{Config{}};
    Step send = call("A", "a");
    std::get<model::Call>(send.action).payload = made ? "\"p\"" : "\"q\"";
    for (const Step& step : dispatched(Contract::opaque, {})) walk.play(step);
    EXPECT_EQ(walk.play(at_service(send, faults::effect_before_call)).word,
              made ? Word::crashed : Word::invalid);
    EXPECT_EQ(walk.play(complete("A", "a")).word, made ? Word::invalid : Word::receipt_required);
  }
}

TEST(TheRunner, reconciles_with_what_the_service_answers) {
  const Step unknown = fail("A", "a", FailKind::unknown);
  const Played found(dispatched(
      Contract::queryable, {call("A", "a", ServiceMode::timeout_after), unknown, reconcile("a")}));
  EXPECT_EQ(found.op().status, OpStatus::effect_confirmed);
  EXPECT_EQ(found.op().effect->receipt, "receipt-a-1");
  const Played nothing(dispatched(Contract::queryable,
                                  {call("A", "a", ServiceMode::late), unknown, reconcile("a")}));
  EXPECT_EQ(nothing.word(1), Word::unknown);
  const Played later(dispatched(Contract::queryable, {call("A", "a", ServiceMode::late), unknown,
                                                      deliver("a"), reconcile("a")}));
  EXPECT_EQ(later.word(1), Word::confirmed);
}

TEST(TheRunner, judges_a_permit_by_its_holders_clock_and_the_write_by_the_common_one) {
  Step late = call("A", "a");
  late.skew_us = lease_us;
  const Played expired(dispatched(Contract::opaque, {late, call("A", "a")}));
  EXPECT_EQ(expired.word(2), Word::permit_expired);
  EXPECT_EQ(expired.word(1), Word::permit_expired);
  Step early = call("A", "a");
  early.skew_us = -1;
  const Played sent(dispatched(Contract::opaque, {advance(lease_us), early}));
  EXPECT_EQ(sent.word(1), Word::receipt);
}

TEST(TheRunner, sends_nothing_for_an_engine_that_does_not_dispatch) {
  struct Plain : ModelSut {
    using ModelSut::ModelSut;
    [[nodiscard]] bool speaks(const model::Action& action) const override {
      return !std::holds_alternative<model::Dispatch>(action);
    }
  };
  SimClock clock;
  const Plain plain(clock);
  const ModelSut whole(clock);
  for (const Step& step : {call("A", "a"), deliver("a")}) {
    EXPECT_EQ(Runner::first_unspoken(plain, {step}), 0U);
    EXPECT_FALSE(Runner::first_unspoken(whole, {step}));
  }
}

TEST(FairSchedule, settles_requests_dispatches_and_what_is_unknown) {
  Step put = step(model::ContextPut{"c", "1", 100 * lease_us});
  const auto at = [](std::string id, Contract contract, bool approval) {
    model::OpSpec spec = effect_op(std::move(id), contract, approval);
    spec.context = "c";
    return spec;
  };
  SimClock clock;
  ModelSut sut(clock);
  Runner runner(sut, clock);
  const auto found = runner.run(
      {}, {put,
           ensure("w", {at("a", Contract::idempotent, true), at("b", Contract::queryable, false),
                        at("c", Contract::opaque, false), at("d", Contract::opaque, true),
                        at("e", Contract::queryable, false), at("f", Contract::idempotent, false)}),
           refresh(), lease("A"), lease("A"), lease("A"), lease("A"), lease("A"), lease("A"),
           request_approval("A", "a"), dispatch("A", "b"), call("A", "b", ServiceMode::late),
           dispatch("A", "c"), call("A", "c", ServiceMode::timeout_after),
           fail("A", "c", FailKind::unknown), dispatch("A", "e"), dispatch("A", "f"),
           call("A", "f", ServiceMode::timeout_after), forget("A")});
  ASSERT_FALSE(found) << found->invariant << ": " << found->why;
  const auto status = [&](const char* id) { return runner.observed().ops.at(id).status; };
  EXPECT_EQ(status("a"), OpStatus::succeeded);
  EXPECT_EQ(status("b"), OpStatus::effect_confirmed);
  EXPECT_EQ(status("c"), OpStatus::effect_confirmed);
  EXPECT_EQ(status("d"), OpStatus::succeeded);
  EXPECT_EQ(status("e"), OpStatus::failed);
  EXPECT_EQ(status("f"), OpStatus::succeeded);
}

// The second dispatch went unheard and changed nothing that can be observed, but the time from
// which on an operator may close the op.
TEST(FairSchedule, waits_for_a_permit_that_nobody_heard_of) {
  model::OpSpec spec = effect_op("a", Contract::idempotent);
  spec.deadline_us = 3 * lease_us;
  Config config;
  config.clock_slack_us = 1;
  SimClock clock;
  ModelSut sut(clock);
  Runner runner(sut, clock);
  const auto found =
      runner.run(config, {ensure("w", {spec}), refresh(), lease("A"), dispatch("A", "a"),
                          advance(lease_us), refresh(), lease("B", 2 * lease_us),
                          with_fault(dispatch("B", "a"), faults::Call::dispatch,
                                     faults::Place::committed, faults::Kind::crash)});
  EXPECT_FALSE(found) << found->why;
}

TEST(FairSchedule, finds_an_engine_that_never_lets_go_of_what_is_unknown) {
  Bug bug;
  bug.instead = [](model::State&, const model::Action& action,
                   const model::Given&) -> std::optional<Outcome> {
    if (std::holds_alternative<model::Close>(action)) return Word::permit_open;
    return std::nullopt;
  };
  SimClock clock;
  ModelSut sut(clock, bug);
  RunnerOptions options;
  options.compare_with_model = false;
  Runner runner(sut, clock, options);
  const auto found =
      runner.run({}, dispatched(Contract::opaque, {fail("A", "a", FailKind::unknown)}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->invariant, settles_fairly);
}

// A drawn worker does not lie, and drawn evidence is true; a rival step between the drawing and the
// lock is what the ledger's own memory is for.
TEST(Generators, draw_honest_workers_and_true_evidence) {
  std::int64_t closed = 0;
  std::int64_t failed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    DrawOptions options;
    options.faults = false;
    const Case drawn = draw_case(seed, options);
    Walk walk(drawn.config);
    for (const Step& step : drawn.steps) {
      const Word word = walk.play(step).word;
      const std::string* op = op_of(step.action);
      if (op == nullptr) continue;
      ASSERT_FALSE(walk.outside().is_misled(*op)) << "seed " << seed << ", op " << *op;
      if (std::holds_alternative<model::Close>(step.action) && word == Word::ok) ++closed;
      if (std::holds_alternative<model::Fail>(step.action) && word == Word::failed) ++failed;
    }
  }
  EXPECT_GT(closed, 50);
  EXPECT_GT(failed, 50);
}

TEST(Generators, draw_nothing_of_the_outside_world_for_an_engine_that_does_not_dispatch) {
  DrawOptions options;
  options.speaks = [](const model::Action& action) {
    return !std::holds_alternative<model::Dispatch>(action);
  };
  const auto plain = [](const std::vector<model::OpSpec>& ops) {
    return std::none_of(ops.begin(), ops.end(),
                        [](const model::OpSpec& op) { return op.effect || op.context; });
  };
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Step& step : draw_case(seed, options).steps) {
      if (const auto* ensure = std::get_if<model::Ensure>(&step.action)) {
        EXPECT_TRUE(plain(ensure->ops));
      }
      const auto word = model::do_word(step.action);
      for (const char* never : {"context_put", "context_revoke", "request_approval", "approve",
                                "reject", "dispatch", "call", "deliver", "reconcile", "close"}) {
        EXPECT_NE(word, never);
      }
    }
  }
}

}  // namespace
}  // namespace leaseproof::properties
