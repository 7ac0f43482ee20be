// Checks from when on the engine says that it has something to do, for each reason that it can
// have. Does not check who waits by it (host_service_test.cpp).
#include "engine/store/due.hpp"

#include <optional>
#include <string>
#include <vector>

#include "engine/fixture_test.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Word;

class WhatIsDue : public EngineTest {
 protected:
  Due due() {
    Due found;
    EXPECT_EQ(Word::ok, engine().next_due(found).word);
    return found;
  }
  std::optional<std::int64_t> earliest() { return due().earliest_us(); }
  void start_ready(std::vector<model::OpSpec> ops) {
    start("w", std::move(ops));
    EXPECT_EQ(Word::ok, engine().refresh().word);
  }
  // `site/queue@due` of each, with spaces between.
  std::string queues() {
    std::string text;
    for (const auto& queue : due().queues) {
      if (!text.empty()) text += ' ';
      text += queue.site + "/" + queue.queue + "@" + std::to_string(queue.due_us);
    }
    return text;
  }
  void fail(const std::string& token, const std::string& id) {
    model::Fail action;
    action.by.op = id;
    EXPECT_EQ(Word::retry_scheduled, engine().fail(token, action).word);
  }
};

TEST_F(WhatIsDue, is_nothing_where_nothing_is_open) {
  EXPECT_FALSE(earliest().has_value());
  start_ready({op("a")});
  complete(lease("A"), "a");
  engine().refresh();
  EXPECT_FALSE(earliest().has_value());
}

TEST_F(WhatIsDue, is_no_refresh_after_the_end_of_an_op_that_nobody_needs) {
  start_ready({op("alone"), op("needed"), op("b", {{"needed", true}})});
  complete(lease("A"), "alone");
  EXPECT_FALSE(due().refresh_us().has_value());
  complete(lease("A"), "needed");
  EXPECT_EQ(0, due().refresh_us());
}

TEST_F(WhatIsDue, is_a_refresh_at_once_after_a_change_that_others_may_wait_for) {
  start("w", {op("a")});
  EXPECT_EQ(0, due().refresh_us());
  EXPECT_EQ("", queues());
  engine().refresh();
  EXPECT_FALSE(due().refresh_us().has_value());
  EXPECT_EQ("default/default@0", queues());
}

TEST_F(WhatIsDue, is_the_first_lease_that_ends) {
  start_ready({op("a"), op("b")});
  lease("A");
  clock_.time_us = 5;
  lease("B");
  EXPECT_EQ("", queues());
  EXPECT_EQ(model::default_lease_us, due().refresh_us());
}

TEST_F(WhatIsDue, is_a_request_until_it_is_decided) {
  auto spec = op("a");
  spec.effect = model::EffectSpec{};
  spec.effect->approval = true;
  spec.effect->scope = "team";
  spec.effect->requester = "paul";
  start_ready({spec});
  model::RequestApproval request;
  request.by.op = "a";
  request.ttl_us = 77;
  ASSERT_EQ(Word::waiting, engine().request_approval(lease("A"), request).word);
  EXPECT_EQ(77, earliest());
  model::Decide decide;
  decide.op = "a";
  decide.actor = {"rita", {"reviewer"}, {"team"}};
  ASSERT_EQ(Word::ok, engine().decide(decide).word);
  EXPECT_FALSE(due().refresh_us().has_value());
  EXPECT_EQ("default/default@0", queues());
}

TEST_F(WhatIsDue, is_the_earliest_retry_of_a_queue_unless_an_op_is_due_at_once) {
  start_ready({op("a"), op("b")});
  const std::string first = lease("A");
  const std::string second = lease("B");
  fail(first, "a");
  clock_.time_us = 10;
  fail(second, "b");
  EXPECT_EQ("default/default@2000000", queues());
  start("v", {op("c")});
  engine().refresh();
  EXPECT_EQ("default/default@0", queues());
}

TEST_F(WhatIsDue, is_told_by_queue_in_the_order_of_their_names) {
  auto b = op("b");
  b.queue = "b";
  auto elsewhere = op("e");
  elsewhere.site = "a-site";
  elsewhere.queue = "z";
  start_ready({b, op("d"), elsewhere});
  EXPECT_EQ("a-site/z@0 default/b@0 default/default@0", queues());
}

TEST_F(WhatIsDue, leaves_out_a_queue_at_its_cap) {
  model::Queue queue;
  queue.max_in_flight = 1;
  engine().set_queue(queue);
  start_ready({op("a"), op("b")});
  EXPECT_EQ("default/default@0", queues());
  const std::string token = lease("A");
  EXPECT_EQ("", queues());
  complete(token, "a");
  EXPECT_EQ("default/default@0", queues());
}

TEST_F(WhatIsDue, waits_for_a_whole_token) {
  model::Queue queue;
  queue.rate_per_s = 3;
  queue.burst = 1;
  clock_.time_us = 100;
  engine().set_queue(queue);
  start_ready({op("a"), op("b")});
  EXPECT_EQ("default/default@0", queues());
  complete(lease("A"), "a");
  // A third of a second, rounded up: a microsecond earlier a little is missing.
  EXPECT_EQ("default/default@333434", queues());
  clock_.time_us = 333'433;
  EXPECT_EQ("", lease("A"));
  clock_.time_us = 333'434;
  EXPECT_NE("", lease("A"));
}

TEST_F(WhatIsDue, waits_for_both_the_retry_and_the_token) {
  model::Queue queue;
  queue.rate_per_s = 1;
  queue.burst = 1;
  engine().set_queue(queue);
  start_ready({op("a")});
  fail(lease("A"), "a");
  EXPECT_EQ("default/default@2000000", queues());
}

}  // namespace
}  // namespace leaseproof::engine::store
