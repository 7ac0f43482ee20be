// Checks start and ensure: which word, which id, and what a new op begins as. Does not check ops
// that a completion emits; completion_test.cpp does.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

Start start(std::optional<std::string> workflow, std::vector<OpSpec> ops = {}) {
  Start call;
  call.workflow = std::move(workflow);
  call.ops = std::move(ops);
  return call;
}

Ensure ensure(std::string identity, std::string package = "default",
              std::optional<std::string> workflow = "w") {
  Ensure call;
  call.workflow = std::move(workflow);
  call.package = std::move(package);
  call.identity = std::move(identity);
  return call;
}

TEST(Identity, a_new_op_is_pending_and_untouched) {
  Story story;
  story.now_us = 7;
  const Outcome outcome = story.ensure({op_spec("a")});
  EXPECT_EQ(outcome, Outcome(Word::created, Identified{"w"}));
  OpView fresh;
  fresh.workflow = "w";
  EXPECT_EQ(story.op("a").view, fresh);
  EXPECT_EQ(story.op("a").created_us, 7);
}

TEST(Identity, an_op_with_an_effect_begins_with_none) {
  Story story;
  story.ensure({effect_spec("e", Contract::opaque)});
  EXPECT_EQ(story.op("e").view.effect, EffectView{});
}

TEST(Identity, start_takes_a_fresh_id_when_none_is_given) {
  Story story;
  Given given;
  given.fresh_id = "uuid-1";
  EXPECT_EQ(story.tell(start({}), given), Outcome(Word::created, Identified{"uuid-1"}));
}

TEST(IdentityDeathTest, start_without_any_id_breaks_a_promise) {
  Story story;
  EXPECT_DEATH(story.tell(start({})), "is given a fresh one");
}

TEST(Identity, start_never_attaches) {
  Story story;
  story.tell(start("w"));
  const State before = story.state;
  EXPECT_EQ(story.tell(start("w")), Outcome(Word::exists));
  EXPECT_EQ(story.state, before);
}

TEST(Identity, ensure_makes_its_id_of_package_and_digest) {
  Story story;
  const std::string digest = "990c8d863d9c01836db2352f94eae509db759e0dd7b1cc0b105eab0fd4befd7f";
  EXPECT_EQ(story.tell(ensure(R"({"input":"digest-1"})", "ocr", {})),
            Outcome(Word::created, Identified{"ocr-" + digest}));
}

TEST(Identity, ensure_attaches_only_to_the_same_package_and_identity) {
  Story story;
  story.tell(ensure("{}"));
  const State before = story.state;
  EXPECT_EQ(story.tell(ensure("{}")), Outcome(Word::attached, Identified{"w"}));
  EXPECT_EQ(story.tell(ensure("1")), Outcome(Word::identity_conflict));
  EXPECT_EQ(story.tell(ensure("{}", "other")), Outcome(Word::identity_conflict));
  EXPECT_EQ(story.state, before);
}

TEST(Identity, ensure_never_attaches_to_what_start_made) {
  Story story;
  story.tell(start("w"));
  EXPECT_EQ(story.tell(ensure("{}")), Outcome(Word::identity_conflict));
}

TEST(Identity, an_attaching_ensure_does_not_look_at_what_the_database_has) {
  Story story;
  story.ensure({op_spec("a")});
  OpSpec unknown_scope = op_spec("b");
  unknown_scope.context = "never put";
  EXPECT_EQ(story.ensure({op_spec("a"), unknown_scope}).word, Word::attached);
}

TEST(Identity, a_bad_graph_is_invalid_even_where_the_workflow_exists) {
  Story story;
  story.ensure({op_spec("a")});
  EXPECT_EQ(story.ensure({op_spec("b", {requires_op("x")})}).word, Word::invalid);
  EXPECT_EQ(story.tell(start("w", {op_spec("b"), op_spec("b")})).word, Word::invalid);
  EXPECT_EQ(story.tell(start("w", {op_spec("b", {requires_op("b")})})).word, Word::invalid);
}

TEST(Identity, an_op_id_is_taken_in_the_whole_database) {
  Story story;
  story.ensure({op_spec("a")});
  const State before = story.state;
  const Outcome outcome = story.ensure({op_spec("b"), op_spec("a")}, "v");
  EXPECT_EQ(outcome.word, Word::invalid);
  EXPECT_EQ(outcome.why, "op \"a\" exists already");
  EXPECT_EQ(story.state, before);
}

TEST(Identity, a_scope_that_was_never_put_is_invalid) {
  Story story;
  OpSpec spec = op_spec("a");
  spec.context = "memory";
  EXPECT_EQ(story.ensure({spec}).word, Word::invalid);
  EXPECT_EQ(story.state, State{});
  story.tell(ContextPut{"memory", "null", 50});
  EXPECT_EQ(story.ensure({spec}).word, Word::created);
  EXPECT_EQ(story.op("a").context, (PinnedContext{1, 50}));
}

TEST(Identity, a_workflow_without_ops_has_succeeded) {
  Story story;
  story.ensure({});
  EXPECT_EQ(story.workflow(), WorkflowStatus::succeeded);
}

TEST(Identity, creation_writes_one_event_for_the_workflow_and_one_for_each_op) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b")});
  EXPECT_EQ(story.state.last_seq, 3);
  EXPECT_EQ(story.state.workflows.at("w").last_seq, 3);
}

}  // namespace
}  // namespace leaseproof::model
