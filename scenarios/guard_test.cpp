// Checks the sentence for each refusal: that it names the condition of SEMANTICS that did not hold.
// That engines refuse where they must is the business of the invariants.
#include "scenarios/guard.hpp"

#include <gtest/gtest.h>

#include <string>

#include "properties/judgement.hpp"
#include "properties/model_sut.hpp"
#include "properties/story.hpp"

namespace leaseproof::scenarios {
namespace {

using namespace properties::story;
using model::Contract;
using properties::Config;
using properties::Step;

// "lease_lost: why" of the last call of the steps, on the model as an engine.
std::string last(const std::vector<Step>& steps, const Config& config = {}) {
  properties::SimClock clock;
  properties::ModelSut sut(clock);
  std::string told;
  properties::RunnerOptions options;
  options.on_call = [&told](const properties::CallSeen& seen) {
    if (seen.fact.depth > 0) return;
    told = std::string(model::word(seen.fact.word())) + ": " + guard(seen, seen.fact.outcome);
  };
  properties::Runner runner(sut, clock, std::move(options));
  const auto violation = runner.run(config, steps, false);
  EXPECT_FALSE(violation) << violation->invariant << " " << violation->why;
  return told;
}

std::vector<Step> after(std::vector<Step> steps, const std::vector<Step>& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}
std::vector<Step> leased(model::OpSpec spec = op("a")) {
  return {ensure("w", {std::move(spec)}), refresh(), lease("A")};
}
std::vector<Step> taken_over() {
  return after(leased(), {advance(31'000'000), refresh(), lease("B")});
}
std::vector<Step> asked() {
  return after(leased(effect_op("p", Contract::idempotent, true)), {request_approval("A", "p")});
}
std::vector<Step> dispatched(Contract contract = Contract::idempotent) {
  return after(leased(effect_op("p", contract)), {dispatch("A", "p")});
}
Step checkpoint(const std::string& payload) {
  return step(model::Checkpoint{{"A", "a", 0}, "s", payload});
}

TEST(Guard, what_did_what_was_asked_needs_no_reason) {
  EXPECT_EQ(last(leased()), "leased: ");
  EXPECT_EQ(last(after(leased(), {complete("A", "a")})), "ok: ");
}

TEST(Guard, a_lost_lease_names_the_first_condition_of_ownership_that_does_not_hold) {
  EXPECT_EQ(last(after(taken_over(), {complete("A", "a")})),
            "lease_lost: the newest lease of a is B's, generation 2; A holds generation 1");
  EXPECT_EQ(last(after(leased(), {advance(30'000'000), complete("A", "a")})),
            "lease_lost: A's lease of a ended at 30 s; it is 30 s");
  EXPECT_EQ(last(after(leased(), {advance(30'000'000), refresh(), heartbeat("A", "a")})),
            "lease_lost: a has no lease, it is ready; what A holds is of generation 1");
}

TEST(Guard, deadline_and_context_name_the_moment) {
  model::OpSpec spec = op("a");
  spec.deadline_us = 1'000'000;
  EXPECT_EQ(last(after(leased(spec), {advance(2'000'000), complete("A", "a")})),
            "deadline_exceeded: the deadline of a was 1 s; it is 2 s");
  model::OpSpec pinned = op("a");
  pinned.context = "team";
  const Step put = step(model::ContextPut{"team", "1", 1'000'000});
  EXPECT_EQ(last(after({put}, after(leased(pinned), {advance(1'000'000), checkpoint("1")}))),
            "context_invalid: the context 'team' of a, revision 1, ended at 1 s; it is 1 s");
  EXPECT_EQ(last(after({put}, after(leased(pinned),
                                    {step(model::ContextRevoke{"team"}), checkpoint("1")}))),
            "context_invalid: the context 'team' of a, revision 1, is revoked");
}

TEST(Guard, where_nothing_can_be_leased_each_ready_op_says_why) {
  EXPECT_EQ(last({lease("A")}), "none: no op is ready");
  EXPECT_EQ(last(after(leased(), {fail("A", "a", model::FailKind::retryable), lease("A")})),
            "none: a is due at 2 s");
  EXPECT_EQ(last({queue(1), ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B")}),
            "none: the queue default/default of b has no room");
  EXPECT_EQ(
      last({queue(0, 1, 1), ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B")}),
      "none: the queue default/default of b has no token");
}

TEST(Guard, the_ends_of_a_failure_are_told_apart) {
  EXPECT_EQ(last(after(leased(), {fail("A", "a")})), "failed: A says it is permanent");
  model::OpSpec once = op("a");
  once.max_attempts = 1;
  EXPECT_EQ(last(after(leased(once), {fail("A", "a", model::FailKind::retryable)})),
            "failed: 1 of 1 attempts of a are used up");
  model::OpSpec soon = op("a");
  soon.deadline_us = 1'000'000;
  EXPECT_EQ(last(after(leased(soon), {fail("A", "a", model::FailKind::retryable)})),
            "failed: the next attempt of a would not begin before its deadline");
  EXPECT_EQ(last(after(dispatched(Contract::opaque), {fail("A", "p", model::FailKind::unknown)})),
            "reconciling: the effect of p is dispatching: whether it was written is unknown");
}

TEST(Guard, operators_are_told_what_stands_in_their_way) {
  EXPECT_EQ(last(after(leased(), {retry("a")})),
            "not_failed: a is running, and only what failed can be retried");
  EXPECT_EQ(last(after(leased(), {fail("A", "a"), cancel("w")})),
            "already_settled: every op of the workflow is settled and none is blocked");
  EXPECT_EQ(last(after(leased(), {reconcile("a")})),
            "not_reconciling: a is running, not reconciling");
  EXPECT_EQ(last(after(leased(effect_op("p", Contract::idempotent, true)), {approve("p")})),
            "not_found: no approval of p was asked for");
  EXPECT_EQ(last({retry("a")}), "not_found: nothing of this name exists");
  EXPECT_EQ(last({ensure("w", {op("a")}), ensure("w", {op("a")}, "\"two\"")}),
            "identity_conflict: the workflow exists with another package or identity");
}

TEST(Guard, a_decision_names_what_the_actor_or_the_request_lacks) {
  Step nobody = approve("p", "rita");
  std::get<model::Decide>(nobody.action).actor.roles.clear();
  EXPECT_EQ(last(after(asked(), {nobody})), "forbidden: rita has no reviewer role");
  Step outsider = approve("p", "rita");
  std::get<model::Decide>(outsider.action).actor.scopes = {"other"};
  EXPECT_EQ(last(after(asked(), {outsider})), "forbidden: the scope 'team' is not among rita's");
  EXPECT_EQ(last(after(asked(), {approve("p", "paul")})),
            "forbidden: paul asked for it: a requester cannot decide about it");
  Step stale = approve("p", "rita");
  std::get<model::Decide>(stale.action).stale_hash = true;
  EXPECT_EQ(last(after(asked(), {stale})), "wrong_hash: the hash is not that of request 1 of p");
  EXPECT_EQ(last(after(asked(), {approve("p"), approve("p")})),
            "already_decided: request 1 of p is pending no more: it is approved");
  EXPECT_EQ(last(after(asked(), {advance(120'000'000), approve("p")})),
            "expired: request 1 of p is pending and ended at 120 s; it is 120 s");
}

TEST(Guard, a_dispatch_names_the_request_that_it_lacks) {
  const auto effect = [] { return effect_op("p", Contract::idempotent, true); };
  EXPECT_EQ(last(after(leased(effect()), {dispatch("A", "p")})),
            "approval_required: no approval of p was asked for");
  const auto approved = after(asked(), {approve("p"), lease("A")});
  EXPECT_EQ(
      last(after(approved, {dispatch("A", "p", "\"other\"")})),
      "binding_mismatch: what is dispatched now (payload, op, context, request number) is not "
      "the envelope that request 1 of p bound");
  EXPECT_EQ(last(after(approved, {request_approval("A", "p")})),
            "approval_exists: request 1 of p is approved and ends at 120 s; it is 0 s");
  EXPECT_EQ(last(after(dispatched(Contract::queryable), {dispatch("A", "p")})),
            "resend_closed: the first request of p may have arrived, and a service of contract "
            "queryable does not deduplicate");
  EXPECT_EQ(last(after(dispatched(), {dispatch("A", "p", "\"other\"")})),
            "payload_conflict: the effect of p is dispatching with another payload already");
}

TEST(Guard, what_is_known_of_the_outside_is_told) {
  EXPECT_EQ(last(after(dispatched(), {call("A", "p", model::ServiceMode::timeout_after)})),
            "timeout: A cannot know whether it wrote: the service did, and its answer was lost");
  EXPECT_EQ(last(after(dispatched(), {call("A", "p", model::ServiceMode::late)})),
            "timeout: A cannot know whether it wrote: the request is still on its way");
  EXPECT_EQ(
      last(after(dispatched(), {call("A", "p", model::ServiceMode::timeout_before)})),
      "timeout: A cannot know whether it wrote: the request was lost before the service wrote");
  EXPECT_EQ(
      last(after(dispatched(), {advance(31'000'000), call("A", "p")})),
      "permit_expired: the permit for p ended at 30 s, A's clock says 31 s; nothing was sent");
  EXPECT_EQ(last(after(dispatched(), {complete("A", "p")})),
            "receipt_required: p writes outside, and A holds no receipt of it");
  EXPECT_EQ(last(after(leased(effect_op("p", Contract::opaque)), {complete("A", "p")})),
            "receipt_required: p writes outside, and nothing was dispatched");
  const auto lost =
      after(dispatched(Contract::queryable), {fail("A", "p", model::FailKind::unknown)});
  EXPECT_EQ(last(after(lost, {reconcile("p")})),
            "unknown: the service knows no write of p, and that proves nothing: the request may be "
            "on its way");
  EXPECT_EQ(last(after(lost, {close("p", false)})),
            "permit_open: a permit for p may be used until 30 s, and clocks may differ by 0 s; it "
            "is 0 s");
}

TEST(Guard, a_fault_is_told_by_what_stands_after_it) {
  using faults::Kind;
  using faults::Place;
  const auto complete_with = [](Place place, Kind kind, std::int64_t times = 1) {
    return after(leased(),
                 {with_fault(complete("A", "a"), faults::Call::complete, place, kind, times)});
  };
  EXPECT_EQ(last(complete_with(Place::commit, Kind::crash)),
            "crashed: the process died before COMMIT: nothing of the call stands");
  EXPECT_EQ(last(complete_with(Place::committed, Kind::crash)),
            "crashed: the process died after COMMIT: the change stands, nobody heard of it");
  EXPECT_EQ(last(complete_with(Place::begin, Kind::busy, 3)),
            "busy: the lock was not to be had, all tries are used; nothing changed");
}

}  // namespace
}  // namespace leaseproof::scenarios
