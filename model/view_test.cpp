// Checks what can be seen: workflow status, observe, agrees, first_difference, snapshots and
// paging. Does not check how a state came about.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/sha256.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

// A state with something in every field of an observation.
Story rich() {
  Story story;
  story.tell(Queue{"default", "default", 9, 1, 9});
  OpSpec approved = approval_spec("p");
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c"), approved});
  story.refresh();
  story.lease();
  story.lease();
  story.lease();
  story.checkpoint("a", "1");
  Complete call;
  call.by.op = "a";
  call.artifacts = {{"page", "text"}};
  story.by_worker(call, 1);
  story.fail("c", FailKind::retryable);
  story.request_approval("p");
  story.decide("p");
  story.lease();
  story.dispatch("p", 2);
  return story;
}

Page page_since(Story& story, std::int64_t cursor, std::int64_t limit) {
  Given given;
  given.cursor = cursor;
  return std::get<Page>(story.tell(SnapshotsSince{"r", limit}, given).detail);
}

TEST(WorkflowStatus, runs_while_any_op_is_unsettled) {
  Story story;
  story.ensure({op_spec("a")});
  EXPECT_EQ(story.workflow(), WorkflowStatus::running);
  story.refresh();
  EXPECT_EQ(story.workflow(), WorkflowStatus::running);
  story.lease();
  EXPECT_EQ(story.workflow(), WorkflowStatus::running);
  story.complete("a");
  EXPECT_EQ(story.workflow(), WorkflowStatus::succeeded);
}

TEST(WorkflowStatus, a_failure_that_is_needed_optionally_only_is_forgiven) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {prefers_op("a")})});
  story.refresh();
  story.lease();
  story.fail("a", FailKind::permanent);
  story.refresh();
  story.lease();
  story.complete("b");
  EXPECT_EQ(story.workflow(), WorkflowStatus::succeeded);
}

TEST(WorkflowStatus, a_failure_that_nobody_needs_is_not_forgiven) {
  Story story;
  story.begin_running(op_spec("a"));
  story.fail("a", FailKind::permanent);
  EXPECT_EQ(story.workflow(), WorkflowStatus::failed);
}

TEST(WorkflowStatus, one_required_dependent_makes_a_failure_count) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {prefers_op("a")}), op_spec("c", {requires_op("a")})});
  story.refresh();
  story.lease();
  story.fail("a", FailKind::permanent);
  story.refresh();
  story.lease();
  story.complete("b");
  EXPECT_EQ(story.workflow(), WorkflowStatus::failed);
}

TEST(WorkflowStatus, an_optional_need_does_not_forgive_what_is_required_above_it) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")}), op_spec("c", {prefers_op("b")})});
  story.refresh();
  story.lease();
  story.fail("a", FailKind::permanent);
  story.refresh();
  story.lease();
  ASSERT_EQ(story.complete("c").word, Word::ok);
  EXPECT_EQ(story.workflow(), WorkflowStatus::failed);
}

TEST(WorkflowStatus, an_emitted_op_can_be_the_dependent) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b")});
  story.refresh();
  story.lease();
  story.fail("a", FailKind::permanent);
  story.lease();
  story.complete("b", 1, {op_spec("c", {prefers_op("a")})});
  story.refresh();
  story.lease();
  story.complete("c");
  EXPECT_EQ(story.workflow(), WorkflowStatus::succeeded);
}

TEST(WorkflowStatus, is_canceled_only_once_everything_is_settled) {
  Story story;
  story.begin_running(effect_spec("e", Contract::queryable));
  story.dispatch("e");
  story.tell(Cancel{"w"});
  EXPECT_EQ(story.workflow(), WorkflowStatus::running);
  story.close("e", true);
  EXPECT_EQ(story.workflow(), WorkflowStatus::canceled);
}

TEST(Observe, shows_everything_and_its_own_state_agrees) {
  Story story = rich();
  const Observation seen = observe(story.state);
  EXPECT_EQ(seen.ops.at("a").artifacts.at("page"), sha256_hex("text"));
  EXPECT_EQ(seen.ops.at("a").checkpoints.at("step"), "1");
  EXPECT_EQ(seen.workflows.at("w").counts[static_cast<std::size_t>(OpStatus::succeeded)], 1);
  EXPECT_EQ(seen.queues.at({"default", "default"}).running, 1);
  EXPECT_EQ(seen.queues.at({"default", "default"}).tokens, 5'000'000);
  EXPECT_TRUE(agrees(story.state, seen));
  EXPECT_EQ(first_difference(story.state, seen), "");
  EXPECT_EQ(story.tell(Observe{}), Outcome(Word::ok, seen));
}

TEST(Observe, a_queue_that_was_never_named_is_not_listed) {
  Story story;
  story.begin_running(op_spec("a"));
  EXPECT_TRUE(observe(story.state).queues.empty());
}

TEST(Agrees, events_and_writes_are_not_compared) {
  Story story = rich();
  Observation seen = observe(story.state);
  seen.events = 0;
  seen.last_seq = 0;
  seen.writes["k"] = 1;
  EXPECT_TRUE(agrees(story.state, seen));
}

// Each change alone must be noticed, by both, and named.
TEST(Agrees, every_field_counts_and_the_first_difference_names_it) {
  struct Case {
    std::string named;
    std::function<void(Observation&)> change;
  };
  const std::vector<Case> cases{
      {"op \"a\" should be there", [](Observation& o) { o.ops.erase("a"); }},
      {"op \"z\" is there", [](Observation& o) { o.ops["z"]; }},
      {"workflow should be w", [](Observation& o) { o.ops["a"].workflow = "v"; }},
      {"status should be succeeded, but is failed",
       [](Observation& o) { o.ops["a"].status = OpStatus::failed; }},
      {"generation", [](Observation& o) { ++o.ops["a"].generation; }},
      {"attempts", [](Observation& o) { ++o.ops["a"].attempts; }},
      {"next_attempt_us should be nothing, but is 3",
       [](Observation& o) { o.ops["a"].next_attempt_us = 3; }},
      {"error", [](Observation& o) { o.ops["c"].error = "other"; }},
      {"having a lease should be true", [](Observation& o) { o.ops["p"].lease.reset(); }},
      {"lease.owner", [](Observation& o) { o.ops["p"].lease->owner = "B"; }},
      {"lease.generation", [](Observation& o) { ++o.ops["p"].lease->generation; }},
      {"lease.expires_us", [](Observation& o) { ++o.ops["p"].lease->expires_us; }},
      {"result", [](Observation& o) { o.ops["a"].result.reset(); }},
      {"artifact \"page\" should be", [](Observation& o) { o.ops["a"].artifacts.clear(); }},
      {"artifact \"page\"", [](Observation& o) { o.ops["a"].artifacts["page"] = "0"; }},
      {"checkpoint \"step\" should be 1, but is 2",
       [](Observation& o) { o.ops["a"].checkpoints["step"] = "2"; }},
      {"having an approval", [](Observation& o) { o.ops["p"].approval.reset(); }},
      {"approval.request_no", [](Observation& o) { ++o.ops["p"].approval->request_no; }},
      {"approval.status should be spent, but is void",
       [](Observation& o) { o.ops["p"].approval->status = ApprovalStatus::void_; }},
      {"approval.hash", [](Observation& o) { o.ops["p"].approval->hash = "0"; }},
      {"having an effect", [](Observation& o) { o.ops["p"].effect.reset(); }},
      {"effect.status", [](Observation& o) { o.ops["p"].effect->status = EffectStatus::none; }},
      {"effect.key", [](Observation& o) { o.ops["p"].effect->key.reset(); }},
      {"effect.receipt", [](Observation& o) { o.ops["p"].effect->receipt = "r"; }},
      {"workflow \"w\" should be there", [](Observation& o) { o.workflows.erase("w"); }},
      {"cancel_requested should be false, but is true",
       [](Observation& o) { o.workflows["w"].cancel_requested = true; }},
      {"counts.ready", [](Observation& o) { ++o.workflows["w"].counts[1]; }},
      {"workflow \"w\": status",
       [](Observation& o) { o.workflows["w"].status = WorkflowStatus::failed; }},
      {"queue \"default/default\" should be there", [](Observation& o) { o.queues.clear(); }},
      {"queue \"default/default\": running",
       [](Observation& o) {
         ++o.queues[{"default", "default"}].running;
       }},
      {"queue \"default/default\": tokens", [](Observation& o) {
         ++o.queues[{"default", "default"}].tokens;
       }}};
  Story story = rich();
  for (const Case& c : cases) {
    Observation seen = observe(story.state);
    c.change(seen);
    EXPECT_FALSE(agrees(story.state, seen)) << c.named;
    const std::string sentence = first_difference(story.state, seen);
    EXPECT_NE(sentence.find(c.named), std::string::npos) << c.named << " in: " << sentence;
  }
}

TEST(Snapshot, counts_the_ops_of_one_workflow) {
  Story story;
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})}, "w");
  story.ensure({op_spec("c")}, "v");
  story.refresh();
  StatusCounts expected;
  expected.counts[static_cast<std::size_t>(OpStatus::pending)] = 1;
  expected.counts[static_cast<std::size_t>(OpStatus::ready)] = 1;
  EXPECT_EQ(story.tell(Snapshot{"w"}), Outcome(Word::ok, expected));
}

TEST(SnapshotsSince, pages_in_the_order_of_last_changes) {
  Story story;
  for (const auto* id : {"u", "v", "w"}) story.ensure({op_spec(std::string("op-") + id)}, id);
  story.tell(Cancel{"u"});
  Page page = page_since(story, 0, 2);
  EXPECT_EQ(page, (Page{{"v", "w"}, true}));
  std::int64_t cursor = page_cursor(story.state, page, 0);
  page = page_since(story, cursor, 2);
  EXPECT_EQ(page, (Page{{"u"}, false}));
  cursor = page_cursor(story.state, page, cursor);
  page = page_since(story, cursor, 2);
  EXPECT_EQ(page, Page{});
  EXPECT_EQ(page_cursor(story.state, page, cursor), cursor);
}

TEST(SnapshotsSince, a_full_last_page_says_that_there_is_no_more) {
  Story story;
  story.ensure({});
  EXPECT_EQ(page_since(story, 0, 1), (Page{{"w"}, false}));
}

TEST(SnapshotsSince, a_reader_is_told_of_every_workflow_after_its_last_change) {
  Story story;
  const std::vector<std::string> ids{"a", "b", "c", "d", "e"};
  for (const std::string& id : ids) story.ensure({op_spec("op-" + id)}, id);
  std::int64_t cursor = 0;
  std::set<std::string> told_after_change;
  // Between two pages of one, one workflow changes again; all at the same microsecond.
  for (const std::string& id : ids) {
    const Page page = page_since(story, cursor, 1);
    cursor = page_cursor(story.state, page, cursor);
    story.tell(Cancel{id});
  }
  for (Page page = page_since(story, cursor, 1); !page.workflows.empty();
       page = page_since(story, cursor, 1)) {
    cursor = page_cursor(story.state, page, cursor);
    told_after_change.insert(page.workflows.begin(), page.workflows.end());
  }
  EXPECT_EQ(told_after_change, std::set<std::string>(ids.begin(), ids.end()));
}

TEST(SnapshotsSince, reading_changes_nothing) {
  Story story = rich();
  const State before = story.state;
  page_since(story, 0, 1);
  story.tell(Snapshot{"w"});
  story.tell(Observe{});
  EXPECT_EQ(story.state, before);
}

}  // namespace
}  // namespace leaseproof::model
