// Checks that the rows about the outside world are able to fail: for each, an engine with one
// planted bug and a story in which exactly that row has to speak, with the model's comparison off;
// and that what no engine can be held to is not held against it.
#include <gtest/gtest.h>

#include <limits>

#include "properties/invariants.hpp"
#include "properties/planted.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using model::Action;
using model::ApprovalStatus;
using model::Contract;
using model::EffectStatus;
using model::FailKind;
using model::Given;
using model::OpStatus;
using model::Outcome;
using model::ServiceMode;
using model::State;
using model::Word;

constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

std::vector<Step> started(const model::OpSpec& spec, std::vector<Step> more) {
  std::vector<Step> steps{ensure("w", {spec}), refresh(), lease("A")};
  for (Step& step : more) steps.push_back(std::move(step));
  return steps;
}

// Up to a second lease, under which the approved op may be dispatched.
std::vector<Step> approved(std::vector<Step> more,
                           std::int64_t ttl_us = model::default_approval_ttl_us) {
  std::vector<Step> steps{request_approval("A", "a", ttl_us), approve("a"), lease("A")};
  for (Step& step : more) steps.push_back(std::move(step));
  return started(effect_op("a", Contract::queryable, true), std::move(steps));
}

template <class A>
Bug with_op(std::function<void(model::Op&)> bend, std::function<void(model::Op&)> back = {}) {
  return bending<A>([bend](State& state) { bend(state.ops.edit("a")); },
                    [back](State& state, const State&) {
                      if (back) back(state.ops.edit("a"));
                    });
}

std::vector<Planted> duplicates() {
  std::vector<Planted> all;
  Bug other_key = spoiling<model::Dispatch>([](State& after, const State&, Outcome& outcome) {
    auto* told = std::get_if<model::Dispatching>(&outcome.detail);
    if (told == nullptr) return;
    told->key += std::to_string(after.ops.edit("a").view.generation);
    after.ops.edit("a").view.effect->key = told->key;
  });
  all.push_back({"no_duplicate_effect", "the key holds the generation", other_key,
                 started(effect_op("a", Contract::idempotent),
                         {dispatch("A", "a"), call("A", "a", ServiceMode::timeout_after),
                          advance(lease_us), refresh(), lease("B"), dispatch("B", "a")})});
  Bug one_key = spoiling<model::Dispatch>([](State&, const State&, Outcome& outcome) {
    if (auto* told = std::get_if<model::Dispatching>(&outcome.detail)) told->key = "key";
  });
  all.push_back(
      {"no_duplicate_effect",
       "all ops have one key",
       one_key,
       {ensure("w", {effect_op("a", Contract::idempotent), effect_op("b", Contract::idempotent)}),
        refresh(), lease("A"), lease("A"), dispatch("A", "a"), dispatch("A", "b")}});

  model::OpSpec urgent = effect_op("a", Contract::queryable);
  urgent.deadline_us = 5;
  Step checkpoint = step(model::Checkpoint{{"A", "a", 0}, "s", "1"});
  Step again = step(model::Retry{"a", 10 * lease_us});
  all.push_back(
      {"no_duplicate_effect", "a close does not wait for an open permit",
       with_op<model::Close>([](model::Op& op) { op.call_before_us = 0; }),
       started(urgent, {dispatch("A", "a"), advance(5), checkpoint, close("a", false),
                        call("A", "a"), again, lease("B"), dispatch("B", "a"), call("B", "a")})});
  return all;
}

std::vector<Planted> approvals() {
  std::vector<Planted> all;
  const auto plant = [&](const char* name, Bug bug, std::vector<Step> steps) {
    all.push_back({"approval_binds", name, std::move(bug), std::move(steps)});
  };
  Bug any_payload;
  any_payload.mishear = [](const State&, Action& action, Given&) {
    if (auto* dispatch = std::get_if<model::Dispatch>(&action)) dispatch->payload = "\"p\"";
  };
  plant("another payload is dispatched", any_payload, approved({dispatch("A", "a", "\"q\"")}));
  Bug anybody;
  anybody.mishear = [](const State&, Action& action, Given&) {
    if (auto* decide = std::get_if<model::Decide>(&action)) decide->actor.id = "rita";
  };
  plant("the requester approves", anybody,
        started(effect_op("a", Contract::queryable, true),
                {request_approval("A", "a"), approve("a", "paul")}));
  const auto never_expires = [](model::Op& op) { op.approval_expires_us = for_ever; };
  plant("an expired approval is good", with_op<model::Dispatch>(never_expires),
        approved({advance(5), dispatch("A", "a")}, 5));
  plant("an expired request is approved", with_op<model::Decide>(never_expires),
        started(effect_op("a", Contract::queryable, true),
                {request_approval("A", "a", 5), advance(5), approve("a")}));
  plant("an approval is used twice", with_op<model::Dispatch>([](model::Op& op) {
          op.view.approval->status = ApprovalStatus::approved;
        }),
        approved({dispatch("A", "a"), call("A", "a", ServiceMode::refuse),
                  fail("A", "a", FailKind::retryable), advance(lease_us), lease("B"),
                  dispatch("B", "a")}));
  plant("a dispatch needs no approval", with_op<model::Dispatch>([](model::Op& op) {
          op.view.approval = model::ApprovalView{1, ApprovalStatus::approved, ""};
          op.approval_expires_us = for_ever;
          model::OpSpec plain = *op.spec;
          plain.effect->approval = false;
          op.spec = model::Immutable<model::OpSpec>(std::move(plain));
        }),
        started(effect_op("a", Contract::queryable, true), {dispatch("A", "a")}));
  return all;
}

std::vector<Planted> unknowns() {
  std::vector<Planted> all;
  const auto plant = [&](const char* name, Bug bug, std::vector<Step> steps) {
    all.push_back({"unknown_never_resent", name, std::move(bug), std::move(steps)});
  };
  const model::OpSpec queryable = effect_op("a", Contract::queryable);
  const std::vector<Step> unknown =
      started(queryable, {dispatch("A", "a"), call("A", "a", ServiceMode::timeout_before),
                          fail("A", "a", FailKind::unknown)});
  const auto and_then = [&](Step last) {
    std::vector<Step> steps = unknown;
    steps.push_back(std::move(last));
    return steps;
  };
  plant("a queryable effect is dispatched twice", with_op<model::Dispatch>([](model::Op& op) {
          if (op.view.effect->status == EffectStatus::dispatching) {
            op.view.effect->status = EffectStatus::refused;
          }
        }),
        started(queryable, {dispatch("A", "a"), dispatch("A", "a")}));
  model::OpSpec forgetful = effect_op("a", Contract::idempotent);
  forgetful.effect->retention_us = 10;
  plant("an effect is dispatched again though its key may be forgotten",
        with_op<model::Dispatch>([](model::Op& op) { op.dispatched_at_us = for_ever / 2; },
                                 [](model::Op& op) { op.dispatched_at_us = 0; }),
        started(forgetful, {dispatch("A", "a"), dispatch("A", "a")}));
  Bug same_payload;
  same_payload.mishear = [](const State& state, Action& action, Given&) {
    auto* dispatch = std::get_if<model::Dispatch>(&action);
    if (dispatch == nullptr) return;
    const model::Op& op = state.ops.at("a");
    const bool second = op.view.effect->status == EffectStatus::dispatching;
    if (second) dispatch->payload = op.dispatched_payload;
  };
  plant("an effect is dispatched again with another payload", same_payload,
        started(effect_op("a", Contract::idempotent),
                {dispatch("A", "a"), dispatch("A", "a", "\"q\"")}));
  plant("a failure hides what is unknown",
        spoiling<model::Fail>(
            [](State& after, const State&, Outcome&) { set_status(after, "a", OpStatus::failed); }),
        unknown);
  plant("the second refusal counts for the first call",
        with_op<model::Fail>([](model::Op& op) { op.unsure = false; }),
        started(effect_op("a", Contract::idempotent),
                {dispatch("A", "a"), call("A", "a", ServiceMode::timeout_after), advance(lease_us),
                 refresh(), lease("B"), dispatch("B", "a"), call("B", "a", ServiceMode::refuse),
                 fail("B", "a", FailKind::permanent)}));
  plant("refresh gives up on what is unknown",
        spoiling<model::Refresh>([](State& after, const State&, Outcome&) {
          model::Op& op = after.ops.edit("a");
          if (op.view.status != OpStatus::reconciling) return;
          set_status(after, "a", OpStatus::failed);
          op.view.effect->status = EffectStatus::refused;
        }),
        and_then(refresh()));
  Bug easily_convinced;
  easily_convinced.mishear = [](const State&, Action& action, Given&) {
    if (auto* close = std::get_if<model::Close>(&action)) close->evidence = "said so";
  };
  std::vector<Step> closed = and_then(advance(lease_us));
  closed.push_back(close("a", false, ""));
  plant("a close needs no evidence", easily_convinced, closed);
  Bug inventive;
  inventive.mishear = [](const State&, Action& action, Given& given) {
    if (std::holds_alternative<model::Reconcile>(action)) given.found = "invented";
  };
  plant("a reconcile needs no receipt", inventive, and_then(reconcile("a")));
  return all;
}

}  // namespace

std::vector<Planted> planted_outside() {
  std::vector<Planted> all = duplicates();
  for (Planted& plant : approvals()) all.push_back(std::move(plant));
  for (Planted& plant : unknowns()) all.push_back(std::move(plant));
  return all;
}

namespace {
TEST(OutsideInvariants, each_row_finds_the_bug_that_is_planted_for_it) {
  for (const Planted& plant : planted_outside()) {
    const Found found = run_planted(plant, true);
    ASSERT_TRUE(found.violation) << plant.bug_name << " was not found";
    EXPECT_EQ(found.violation->invariant, plant.invariant)
        << plant.bug_name << ": " << found.violation->why;
    EXPECT_EQ(found.times, 1) << plant.bug_name;
  }
}

TEST(OutsideInvariants, the_same_stories_are_clean_without_the_bugs) {
  for (const Planted& plant : planted_outside()) {
    const auto found = run_planted(plant, false).violation;
    EXPECT_FALSE(found) << plant.bug_name << ": " << found->invariant << ": " << found->why;
  }
}

std::optional<Violation> run(const std::vector<Step>& steps) {
  SimClock clock;
  ModelSut sut(clock);
  return Runner(sut, clock).run({}, steps);
}

TEST(OutsideInvariants, a_worker_who_lies_about_a_refusal_is_not_held_against_the_engine) {
  const auto found = run(started(effect_op("a", Contract::queryable),
                                 {dispatch("A", "a"), call("A", "a", ServiceMode::timeout_after),
                                  fail("A", "a", FailKind::retryable), advance(lease_us),
                                  lease("B"), dispatch("B", "a"), call("B", "a")}));
  EXPECT_FALSE(found) << found->why;
}

TEST(OutsideInvariants, a_retention_promises_nothing_where_clocks_disagree) {
  model::OpSpec forgetful = effect_op("a", Contract::idempotent);
  forgetful.effect->retention_us = 10;
  Step slow = call("A", "a");
  slow.skew_us = -10;
  const auto found =
      run(started(forgetful, {dispatch("A", "a"), call("A", "a"), advance(10), slow}));
  EXPECT_FALSE(found) << found->why;
}

TEST(OutsideInvariants, evidence_that_is_not_true_is_not_held_against_the_engine) {
  const auto found =
      run(started(effect_op("a", Contract::queryable),
                  {dispatch("A", "a"), call("A", "a", ServiceMode::late),
                   fail("A", "a", FailKind::unknown), advance(lease_us), close("a", false),
                   retry("a"), lease("B"), dispatch("B", "a"), call("B", "a"), deliver("a")}));
  EXPECT_FALSE(found) << found->why;
}

}  // namespace
}  // namespace leaseproof::properties
