// Checks that a state is a value: copies are independent, `==` and hash see every field that can
// differ within a run, and `step` is `apply` on a copy. Does not check any rule.
#include "model/state.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

Story rich_state() {
  Story story;
  story.tell(Queue{"default", "default", 9, 1, 9});
  story.tell(ContextPut{"memory", "null", 100});
  OpSpec spec = approval_spec("p");
  spec.context = "memory";
  story.begin_running(spec);
  story.request_approval("p");
  story.decide("p");
  story.lease();
  story.dispatch("p", 2);
  return story;
}

Immutable<WorkflowIdentity> identity(std::string package, std::string digest) {
  return Immutable<WorkflowIdentity>({std::move(package), std::move(digest)});
}

std::string digest_of(const State& state) { return state.workflows.at("w").identity->digest; }

TEST(State, a_copy_lives_a_life_of_its_own) {
  Story story = rich_state();
  Story copy = story;
  EXPECT_EQ(copy.state, story.state);
  copy.complete_with_receipt("p", 2);
  EXPECT_NE(copy.state, story.state);
  EXPECT_EQ(story.status("p"), OpStatus::running);
}

TEST(State, the_same_calls_make_equal_states_with_equal_hashes) {
  EXPECT_EQ(rich_state().state, rich_state().state);
  EXPECT_EQ(hash_value(rich_state().state), hash_value(rich_state().state));
}

TEST(State, every_field_bears_on_equality_and_hash) {
  const std::vector<std::function<void(State&)>> changes{
      [](State& s) { ++s.settings.clock_slack_us; },
      [](State& s) { ++s.last_seq; },
      [](State& s) { s.workflows["v"]; },
      [](State& s) { s.workflows["w"].identity = identity("other", digest_of(s)); },
      [](State& s) { s.workflows["w"].identity = identity("default", "other"); },
      [](State& s) { s.workflows["w"].cancel_requested = true; },
      [](State& s) { ++s.workflows["w"].counts[3]; },
      [](State& s) { ++s.workflows["w"].last_seq; },
      [](State& s) { s.ops["q"]; },
      [](State& s) { ++s.ops["p"].created_us; },
      [](State& s) { s.ops["p"].deadline_us = 1; },
      [](State& s) { ++s.ops["p"].context->revision; },
      [](State& s) { ++s.ops["p"].context->expires_us; },
      [](State& s) { ++s.ops["p"].completed_generation; },
      [](State& s) { ++s.ops["p"].approval_expires_us; },
      [](State& s) { s.ops["p"].unsure = true; },
      [](State& s) { s.ops["p"].dispatched_payload = "1"; },
      [](State& s) { ++s.ops["p"].dispatched_at_us; },
      [](State& s) { ++s.ops["p"].call_before_us; },
      [](State& s) { s.ops["p"].needed = true; },
      [](State& s) { s.ops["p"].required = true; },
      [](State& s) { s.ops["p"].view.workflow = "v"; },
      [](State& s) { s.ops["p"].view.status = OpStatus::failed; },
      [](State& s) { ++s.ops["p"].view.generation; },
      [](State& s) { ++s.ops["p"].view.attempts; },
      [](State& s) { s.ops["p"].view.next_attempt_us = 0; },
      [](State& s) { s.ops["p"].view.error = ""; },
      [](State& s) { s.ops["p"].view.lease->owner = "B"; },
      [](State& s) { ++s.ops["p"].view.lease->generation; },
      [](State& s) { ++s.ops["p"].view.lease->expires_us; },
      [](State& s) { s.ops["p"].view.result = ""; },
      [](State& s) { s.ops["p"].view.artifacts["n"] = ""; },
      [](State& s) { s.ops["p"].view.checkpoints["n"] = ""; },
      [](State& s) { ++s.ops["p"].view.approval->request_no; },
      [](State& s) { s.ops["p"].view.approval->status = ApprovalStatus::void_; },
      [](State& s) { s.ops["p"].view.approval->hash = ""; },
      [](State& s) { s.ops["p"].view.effect->status = EffectStatus::none; },
      [](State& s) { s.ops["p"].view.effect->key = ""; },
      [](State& s) { s.ops["p"].view.effect->receipt = ""; },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).max_in_flight;
      },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).rate_per_s;
      },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).burst;
      },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).tokens;
      },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).last_refill_us;
      },
      [](State& s) {
        ++s.queues.edit(SiteQueue{"default", "default"}).running;
      },
      [](State& s) { ++s.contexts["memory"].revision; },
      [](State& s) { ++s.contexts["memory"].expires_us; },
      [](State& s) { ++s.contexts["memory"].revoked_revision; }};
  const State original = rich_state().state;
  std::set<std::size_t> hashes{hash_value(original)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    State changed = original;
    changes[i](changed);
    EXPECT_NE(changed, original) << i;
    EXPECT_TRUE(hashes.insert(hash_value(changed)).second) << i;
  }
}

TEST(State, what_was_asked_for_is_compared_by_value) {
  State a = rich_state().state;
  State b = a;
  OpSpec spec = *b.ops["p"].spec;
  b.ops["p"].spec = Immutable<OpSpec>(spec);
  EXPECT_EQ(a, b);
  spec.max_attempts = 9;
  b.ops["p"].spec = Immutable<OpSpec>(spec);
  EXPECT_NE(a, b);
}

TEST(Step, is_apply_on_a_copy) {
  Story story = rich_state();
  const State before = story.state;
  const Action action = Cancel{"w"};
  const auto [after, outcome] = step(story.state, action, Given{});
  EXPECT_EQ(story.state, before);
  EXPECT_EQ(story.tell(action), outcome);
  EXPECT_EQ(story.state, after);
}

}  // namespace
}  // namespace leaseproof::model
