// Checks that the tables are read rightly and that the model refuses to leave them. The laws of the
// tables themselves are proved by the compiler, in lifecycle.hpp. Does not check which call takes
// which row; the tests of the rooms do.
#include "model/lifecycle.hpp"

#include <gtest/gtest.h>

#include "model/story.hpp"

namespace leaseproof::model {
namespace {

TEST(Lifecycle, exactly_the_rows_are_allowed) {
  std::size_t allowed_steps = 0;
  for (std::size_t from = 0; from < op_status_count; ++from) {
    for (std::size_t via = 0; via < op_rule_count; ++via) {
      for (std::size_t to = 0; to < op_status_count; ++to) {
        const OpStep step{static_cast<OpStatus>(from), static_cast<OpRule>(via),
                          static_cast<OpStatus>(to)};
        const bool is_row =
            lifecycle::some(op_steps, [&](const OpStep& row) { return row == step; });
        EXPECT_EQ(allowed(step.from, step.via, step.to), is_row);
        allowed_steps += is_row ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(allowed_steps, op_steps.size());
}

TEST(Lifecycle, only_three_statuses_are_terminal) {
  EXPECT_TRUE(is_terminal(OpStatus::succeeded));
  EXPECT_TRUE(is_terminal(OpStatus::effect_confirmed));
  EXPECT_TRUE(is_terminal(OpStatus::canceled));
  EXPECT_FALSE(is_terminal(OpStatus::failed));
  EXPECT_FALSE(is_terminal(OpStatus::blocked));
}

TEST(LifecycleDeathTest, a_change_that_is_no_row_aborts_in_every_build) {
  Story story;
  story.begin_running(approval_spec("p"));
  story.request_approval("p");
  // No call leads here: a request is refused while the effect is dispatching.
  story.op("p").view.effect->status = EffectStatus::dispatching;
  EXPECT_DEATH(story.tell(Cancel{"w"}), "moves along a row of its lifecycle table");
}

TEST(LifecycleDeathTest, actions_of_the_world_never_reach_the_model) {
  Story story;
  EXPECT_DEATH(story.tell(Advance{1}), "never reach the model");
  EXPECT_DEATH(story.tell(Restart{}), "never reach the model");
  EXPECT_DEATH(story.tell(Forget{"A"}), "never reach the model");
  EXPECT_DEATH(story.tell(Call{}), "never reach the model");
  EXPECT_DEATH(story.tell(Deliver{}), "never reach the model");
}

}  // namespace
}  // namespace leaseproof::model
