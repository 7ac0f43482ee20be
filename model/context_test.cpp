// Checks contexts: what an op is pinned to and what makes it invalid (SEMANTICS 2 and 3). Does not
// check that an approval is bound to it; canonical_test.cpp does.
#include <gtest/gtest.h>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

OpSpec under(std::string id, std::string scope) {
  OpSpec spec = op_spec(std::move(id));
  spec.context = std::move(scope);
  return spec;
}

Story running_under_memory() {
  Story story;
  story.tell(ContextPut{"memory", "null", 100});
  story.begin_running(under("a", "memory"));
  return story;
}

TEST(Context, each_put_is_a_new_revision) {
  Story story;
  story.tell(ContextPut{"memory", "1", 100});
  story.now_us = 5;
  story.tell(ContextPut{"memory", "1", 100});
  EXPECT_EQ(story.state.contexts.at("memory"), (ContextState{2, 105, 0}));
  EXPECT_EQ(story.state.last_seq, 2);
}

TEST(Context, an_op_is_valid_until_its_own_revision_expires) {
  Story story = running_under_memory();
  story.tell(ContextPut{"memory", "2", 1});
  story.now_us = 99;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::ok);
  story.now_us = 100;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::context_invalid);
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(story.op("a").view.error, "context_invalid");
}

TEST(Context, revoking_ends_every_revision_so_far_and_none_after) {
  Story story = running_under_memory();
  story.tell(ContextRevoke{"memory"});
  EXPECT_EQ(story.complete("a").word, Word::context_invalid);

  story.tell(ContextPut{"memory", "2", 100});
  story.ensure({under("b", "memory")}, "v");
  story.refresh();
  story.lease();
  EXPECT_EQ(story.complete("b").word, Word::ok);
}

TEST(Context, revoking_twice_changes_nothing) {
  Story story;
  story.tell(ContextPut{"memory", "null", 100});
  story.tell(ContextRevoke{"memory"});
  const State before = story.state;
  EXPECT_EQ(story.tell(ContextRevoke{"memory"}).word, Word::ok);
  EXPECT_EQ(story.state, before);
}

TEST(Context, an_op_may_be_made_under_a_context_that_is_invalid_already) {
  Story story;
  story.tell(ContextPut{"memory", "null", 1});
  story.now_us = 10;
  story.begin_running(under("a", "memory"));
  EXPECT_EQ(story.status("a"), OpStatus::running);
  EXPECT_EQ(story.complete("a").word, Word::context_invalid);
}

TEST(Context, the_deadline_is_judged_before_the_context) {
  Story story = running_under_memory();
  story.op("a").deadline_us = 100;
  story.now_us = 100;
  EXPECT_EQ(story.checkpoint("a", "1").word, Word::deadline_exceeded);
}

TEST(Context, a_receipt_outlives_context_and_deadline) {
  Story story;
  story.tell(ContextPut{"memory", "null", 100});
  OpSpec spec = effect_spec("e", Contract::opaque);
  spec.context = "memory";
  spec.deadline_us = 100;
  story.begin_running(spec);
  story.dispatch("e");
  story.tell(ContextRevoke{"memory"});
  story.now_us = 1'000;
  EXPECT_EQ(story.complete("e").word, Word::receipt_required);
  EXPECT_EQ(story.complete_with_receipt("e").word, Word::ok);
}

TEST(Context, an_invalid_context_does_not_hide_an_unknown_write) {
  Story story;
  story.tell(ContextPut{"memory", "null", 100});
  OpSpec spec = effect_spec("e", Contract::idempotent);
  spec.context = "memory";
  story.begin_running(spec);
  story.dispatch("e");
  story.tell(ContextRevoke{"memory"});
  EXPECT_EQ(story.checkpoint("e", "1").word, Word::context_invalid);
  EXPECT_EQ(story.status("e"), OpStatus::reconciling);
  EXPECT_EQ(story.op("e").view.error, "context_invalid");
}

}  // namespace
}  // namespace leaseproof::model
