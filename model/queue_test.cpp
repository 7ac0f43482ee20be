// Checks caps, token buckets and the `queue` call (SEMANTICS 3, queue room). Does not check which
// op is taken from a queue with room; leasing_test.cpp does.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "model/queue_room.hpp"
#include "model/story.hpp"

namespace leaseproof::model {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

Queue limits(std::int64_t max_in_flight, std::int64_t rate_per_s, std::int64_t burst) {
  return {"default", "default", max_in_flight, rate_per_s, burst};
}

const QueueState& queue_of(const Story& story) {
  return story.state.queues.at({"default", "default"});
}

Story with_ready(int ops) {
  Story story;
  std::vector<OpSpec> specs;
  for (int i = 0; i < ops; ++i)
    specs.push_back(op_spec(std::string(1, static_cast<char>('a' + i))));
  story.ensure(specs);
  story.refresh();
  return story;
}

TEST(QueueCap, holds_until_one_ends) {
  Story story = with_ready(3);
  story.tell(limits(2, 0, 0));
  EXPECT_EQ(story.lease().word, Word::leased);
  EXPECT_EQ(story.lease().word, Word::leased);
  EXPECT_EQ(story.lease().word, Word::none);
  story.complete("a");
  EXPECT_EQ(story.lease().word, Word::leased);
}

TEST(QueueCap, counts_what_ran_before_the_queue_was_named) {
  Story story = with_ready(2);
  story.lease();
  story.tell(limits(1, 0, 0));
  EXPECT_EQ(queue_of(story).running, 1);
  EXPECT_EQ(story.lease().word, Word::none);
}

TEST(QueueCap, of_one_queue_leaves_the_others_alone) {
  Story story;
  OpSpec elsewhere = op_spec("b");
  elsewhere.site = "oslo";
  story.ensure({op_spec("a"), elsewhere});
  story.refresh();
  story.tell(limits(1, 0, 0));
  story.lease();
  EXPECT_EQ(std::get<Leased>(story.lease().detail).op, "b");
}

TEST(QueueCap, an_op_in_a_full_queue_is_skipped_and_not_judged) {
  Story story;
  OpSpec late = op_spec("b");
  late.deadline_us = 5;
  story.ensure({op_spec("a"), late});
  story.refresh();
  story.tell(limits(1, 0, 0));
  story.lease();
  story.now_us = 5;
  EXPECT_EQ(story.lease().word, Word::none);
  EXPECT_EQ(story.status("b"), OpStatus::ready);
}

TEST(Bucket, starts_full_and_spends_one_token_a_lease) {
  Story story = with_ready(3);
  story.tell(limits(0, 1, 2));
  EXPECT_EQ(queue_of(story).tokens, 2'000'000);
  story.lease();
  EXPECT_EQ(queue_of(story).tokens, 1'000'000);
  story.lease();
  EXPECT_EQ(story.lease().word, Word::none);
}

TEST(Bucket, gives_the_next_token_at_the_microsecond_it_is_whole) {
  Story story = with_ready(3);
  story.tell(limits(0, 3, 2));
  story.lease();
  story.lease();
  story.now_us = 333'333;
  EXPECT_EQ(story.lease().word, Word::none);
  EXPECT_EQ(queue_of(story).tokens, 0) << "a refill is stored only with a spent token";
  story.now_us = 333'334;
  EXPECT_EQ(story.lease().word, Word::leased);
  EXPECT_EQ(queue_of(story).tokens, 2) << "the fraction is kept";
}

TEST(Bucket, a_failing_candidate_spends_no_token) {
  Story story = with_ready(1);
  story.tell(limits(0, 1, 1));
  story.op("a").deadline_us = 0;
  EXPECT_EQ(story.lease().word, Word::none);
  EXPECT_EQ(story.status("a"), OpStatus::failed);
  EXPECT_EQ(queue_of(story).tokens, 1'000'000);
}

TEST(Bucket, a_clock_that_steps_back_and_forth_counts_no_time_twice) {
  QueueState queue{0, 1, 10, 0, 0, 0};
  queue.last_refill_us = 1'000'000;
  EXPECT_EQ(refilled(queue, 0), 0);
  queue.tokens = 1'000'000;
  spend_token(queue, 0);
  EXPECT_EQ(queue.last_refill_us, 1'000'000);
  EXPECT_EQ(refilled(queue, 2'000'000), 1'000'000);
}

TEST(Bucket, never_overflows_nor_overfills) {
  const std::int64_t largest_burst = most / micro_tokens;
  QueueState queue{0, most, largest_burst, 0, std::numeric_limits<std::int64_t>::min(), 0};
  EXPECT_EQ(refilled(queue, most), largest_burst * micro_tokens);
  queue.tokens = largest_burst * micro_tokens;
  EXPECT_EQ(refilled(queue, most), largest_burst * micro_tokens);
}

TEST(QueueCall, without_a_change_changes_nothing) {
  Story story;
  story.tell(limits(1, 2, 3));
  const State before = story.state;
  story.now_us = 5;
  EXPECT_EQ(story.tell(limits(1, 2, 3)).word, Word::ok);
  EXPECT_EQ(story.state, before) << "not even the time of the refill of a full bucket";
}

TEST(QueueCall, stores_the_refill_under_the_old_rate) {
  Story story = with_ready(3);
  story.tell(limits(0, 1, 3));
  story.lease();
  story.lease();
  story.now_us = 500'000;
  story.tell(limits(0, 100, 3));
  EXPECT_EQ(queue_of(story).tokens, 1'500'000);
  EXPECT_EQ(queue_of(story).last_refill_us, 500'000);
}

TEST(QueueCall, keeps_no_more_than_the_new_burst) {
  Story story;
  story.tell(limits(0, 1, 3));
  story.tell(limits(0, 1, 2));
  EXPECT_EQ(queue_of(story).tokens, 2'000'000);
  story.tell(limits(0, 1, 9));
  EXPECT_EQ(queue_of(story).tokens, 2'000'000) << "a larger bucket is not a fuller one";
}

TEST(QueueCall, fills_the_bucket_where_there_was_no_limit) {
  Story story;
  story.tell(limits(5, 0, 0));
  EXPECT_EQ(queue_of(story).tokens, 0);
  story.tell(limits(5, 1, 4));
  EXPECT_EQ(queue_of(story).tokens, 4'000'000);
  story.tell(limits(5, 0, 0));
  EXPECT_EQ(queue_of(story).tokens, 0);
}

TEST(QueueCall, does_not_move_the_refill_time_back) {
  Story story;
  story.now_us = 10;
  story.tell(limits(0, 1, 1));
  story.now_us = 5;
  story.tell(limits(0, 2, 1));
  EXPECT_EQ(queue_of(story).last_refill_us, 10);
}

}  // namespace
}  // namespace leaseproof::model
